"""Which of several boards is the final one."""

import pytest

from schema.board import BoardKind
from scrapers.phases import BoardPlace, placed

FINAL, EARLIER = BoardPlace(BoardKind.PRIVATE, None), BoardPlace(BoardKind.PUBLIC, None)


@pytest.mark.parametrize(
    ("names", "places"),
    [
        ([("Development", ""), ("Final", "")], [EARLIER, FINAL]),
        ([("Phase 1", ""), ("Phase 2", "")], [EARLIER, FINAL]),
        ([("Only phase", "")], [FINAL]),
        ([("Warm-up", "")], [EARLIER]),
        (
            [("Test Phase", "test-dev"), ("Test Phase", "Test Split")],
            [FINAL, BoardPlace(BoardKind.PRIVATE, "Test Split")],
        ),
        ([("Main", "val"), ("Main", "test")], [EARLIER, FINAL]),
        (
            [("Final: images", ""), ("Final: text", "")],
            [BoardPlace(BoardKind.PRIVATE, "Final: images"), FINAL],
        ),
        (
            [("2023 Test", "all"), ("2024 Test", "all")],
            [BoardPlace(BoardKind.PRIVATE, "2023 Test: all"), FINAL],
        ),
    ],
)
def test_names_tell_final_boards_from_earlier_ones(
    names: list[tuple[str, str]], places: list[BoardPlace]
) -> None:
    assert placed(names) == places


def test_no_two_boards_have_one_place() -> None:
    names = [(f"Phase {number}", split) for number in range(3) for split in ("dev", "test", "extra")]
    assert len(set(placed(names))) == len(names)
