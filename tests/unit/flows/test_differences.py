"""What differs between two versions of a text or a board."""

import time

from flows.crawling.changes import board_difference, text_difference
from schema.board import BoardRow, parse_score


def rows(*cells: tuple[int | None, str, str]) -> list[BoardRow]:
    return [BoardRow(n, rank, team, parse_score(s), s) for n, (rank, team, s) in enumerate(cells, 1)]


def test_lines_that_came_and_went_are_counted_and_shown_in_their_order() -> None:
    found = text_difference("a\n\nb\nc\n", "a\nb2\nc\nd\n")
    assert (found.added, found.removed) == (2, 1)
    assert found.sample == ("- b", "+ b2", "+ d")


def test_what_only_moved_the_empty_lines_is_no_difference() -> None:
    assert str(text_difference("a\n\nb", "a\nb\n\n")) == "+0 −0 lines"


def test_a_sample_is_short_and_prints_no_controls() -> None:
    found = text_difference("", "\n".join(f"{n} \x1b[31m{'x' * 1000}" for n in range(100)))
    assert found.added == 100
    assert len(found.sample) == 6
    assert all(line.isprintable() and len(line) <= 160 for line in found.sample)


def test_texts_that_were_made_to_be_slow_are_compared_in_time() -> None:
    started = time.process_time()
    text_difference("a\n" * 50_000, "b\n" * 50_000 + "a\n")
    assert time.process_time() - started < 60


def test_rows_are_known_by_their_team_and_a_new_leader_moves_the_others() -> None:
    before = rows((1, "a", "0.9"), (2, "b", "0.8"), (3, "c", "0.7"))
    after = rows((1, "new", "0.95"), (2, "a", "0.9"), (3, "b", "0.81"))
    found = board_difference(before, after)
    assert (found.added, found.removed, found.changed, found.moved) == (1, 1, 1, 1)
    assert (found.best_before, found.best_after) == ("0.9", "0.95")


def test_teams_that_share_a_name_are_told_apart_by_their_order() -> None:
    before = rows((1, "Unknown User", "3"), (2, "Unknown User", "2"))
    found = board_difference(before, rows((1, "Unknown User", "3"), (2, "Unknown User", "2.5")))
    assert (found.added, found.removed, found.changed) == (0, 0, 1)


def test_a_baseline_on_top_is_not_the_best() -> None:
    board = rows((0, "baseline", "1.0"), (1, "a", "0.9"))
    assert board_difference([], board).best_after == "0.9"
    assert board_difference(board, rows((None, "x", "0.5"))).best_after == "0.5"


def test_a_difference_is_told_in_one_short_line() -> None:
    before = rows((1, "a", "0.9"), (2, "b", "0.8"))
    assert str(board_difference(before, rows((1, "a", "0.9"), (2, "b", "0.7")))) == (
        "2 rows, 1 changed; best still 0.9"
    )
    assert str(board_difference(before, rows((1, "c", "1"), (2, "a", "0.9"), (3, "b", "0.8")))) == (
        "2 → 3 rows, 1 new, 2 moved; best 0.9 → 1"
    )
    assert str(board_difference(before, before)) == "2 rows, the claimed number differs; best still 0.9"
