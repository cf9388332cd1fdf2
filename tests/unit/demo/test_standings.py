"""Boards of the content, in every header that the platforms' exports have."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ContentError
from demo.standings import Standing, count_rows, read_standings
from schema.board import BoardKind

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "leaderboard_private.csv"
        path.write_bytes(text.encode())
        return path

    return write


def _first(path: Path) -> Standing:
    return read_standings(path, BoardKind.PRIVATE).rows[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank,score\n1,1.0\n", (1, "Team 1", "1.0", "", "")),
        (
            '\ufeffRank,TeamId,TeamName,LastSubmissionDate,Score,Entries\n4,77,"A, B",2020-01-02,0.5000,9\n',
            (4, "A, B", "0.5000", "9", "2020-01-02"),
        ),
        (
            "scoreNullable,teamId,hasTeamName,submissionDate,score,hasScore\n0.9,5,False,2021-09-25,0.9,True\n",
            (1, "Team 5", "0.9", "", "2021-09-25"),
        ),
        ("teamId,teamName,submissionDate,score\n5,Ün,2021,-3.10\n", (1, "Ün", "-3.10", "", "2021")),
        (
            'Rank,TeamName,Score,Entries,LastSubmission\n2,x,0.4,7,"Fri, 23 Jun 2023 08:04"\n',
            (2, "x", "0.4", "7", "Fri, 23 Jun 2023 08:04"),
        ),
        ("Rank,TeamName,Score\n,baseline,\n", (None, "baseline", "", "", "")),
        ("Rank,TeamName,Score\n0,benchmark,0.1\n", (None, "benchmark", "0.1", "", "")),
        ("rank,teamName,score\n3,,1e-7\n", (3, "Team 1", "1e-7", "", "")),
    ],
)
def test_each_known_header_gives_the_cells_as_written(
    write: Write, text: str, expected: tuple[object, ...]
) -> None:
    row = _first(write(text))
    assert (row.rank, row.team, row.score, row.entries, row.last) == expected


def test_order_and_shared_ranks_are_the_files(write: Write) -> None:
    rows = read_standings(write("rank,score\n1,5\n3,7\n3,6\n"), BoardKind.PRIVATE).rows
    assert [(row.rank, row.score) for row in rows] == [(1, "5"), (3, "7"), (3, "6")]


def test_columns_without_a_meaning_are_kept_with_their_headers(write: Write) -> None:
    board = read_standings(
        write("Rank,TeamName,Score,Parameters,SubmissionCount\n1,a,0.5,999,3\n"), BoardKind.PRIVATE
    )
    assert board.further == ("Parameters",)
    assert board.rows[0].further == ("999",)
    assert board.rows[0].entries == "3"


def test_invented_teams_of_the_two_boards_never_meet(write: Write) -> None:
    path = write("rank,score\n1,1\n2,0\n")
    names = [{row.team for row in read_standings(path, kind).rows} for kind in BoardKind]
    assert not names[0] & names[1]


def test_a_changed_file_is_read_again(write: Write) -> None:
    path = write("rank,score\n1,1\n")
    assert count_rows(path) == len(read_standings(path, BoardKind.PRIVATE).rows) == 1
    path.write_text("rank,score\n1,1\n2,0\n", encoding="utf-8")
    assert count_rows(path) == len(read_standings(path, BoardKind.PRIVATE).rows) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no score column"),
        ("rank,points\n1,2\n", r"no score column in the header \(rank,points\)"),
        ("rank,score\n1,2,3\n", "row 1 has 3 cells, the header 2"),
        ("rank,score\nfirst,2\n", "row 1 has the rank 'first'"),
    ],
)
def test_a_bad_board_names_the_file_and_the_remedy(write: Write, text: str, problem: str) -> None:
    path = write(text)
    with pytest.raises(
        ContentError, match=f"leaderboard_private.csv: {problem}.*Remedy: ".replace(",points", ", points")
    ):
        read_standings(path, BoardKind.PRIVATE)


def test_a_board_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard_public.csv"
    path.write_bytes(b"rank,teamName,score\n1,\xff\xfe,2\n")
    with pytest.raises(ContentError, match=r"leaderboard_public\.csv: not UTF-8"):
        read_standings(path, BoardKind.PUBLIC)
