"""Header words, printed cells and counter texts."""

import pytest

from schema.board import BoardRow
from scrapers.boards import (
    Columns,
    claimed_participants,
    claimed_rows,
    claimed_teams,
    columns_of,
    parse_integer,
    rows_of,
    with_score_column,
    without_repeats,
)


@pytest.mark.parametrize(
    ("headers", "columns"),
    [
        ("# | △pub | Team Name | Kernel | Team Members | Score | Entries | Last", Columns(0, 2, 5, 6, 7)),
        ("# | Team | Members | Score | Entries | Last | Code", Columns(0, 1, 3, 4, 5)),
        ("Rank | TeamName | Score | Parameters | SubmissionCount", Columns(0, 1, 2, 4, None)),
        ("排名 | 队伍名称 | 队员 | 最高分 | 提交次数 | 最后提交时间", Columns(0, 1, 3, 4, 5)),
        ("Δ | # | Participants | mAP | Successful Entries | Last Submission", Columns(1, 2, None, 4, 5)),
        ("Rank ▲ | Participant team (↓) | Score (↑) | Last submission at", Columns(0, 1, 2, None, 3)),
        ("Column | Description", Columns()),
    ],
)
def test_columns_are_known_by_their_header_words(headers: str, columns: Columns) -> None:
    assert columns_of(headers.split(" | ")) == columns


def test_a_score_named_by_its_metric_is_the_first_unclaimed_column_of_numbers() -> None:
    columns = columns_of(["#", "Team", "Affiliation", "F1", "AUC", "Entries"])
    rows = [["1", "A", "North", "0.5", "0.9", "3"], ["2", "B", "South", "-", "0.8", "1"]]
    assert with_score_column(columns, rows).score == 3


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("01", 1), ("#1", 1), ("1st", 1), ("2,767", 2767), ("第1名", 1), ("1 ▲3", 1), ("0", 0)),
        *(("", None), ("—", None), ("n/a", None), (None, None)),
    ],
)
def test_a_rank_is_the_first_whole_number_of_its_cell(text: str | None, number: int | None) -> None:
    assert parse_integer(text) == number


def test_scores_stay_as_printed_and_ranks_are_not_recomputed() -> None:
    cells = [["1", "A", "1.00000"], ["1", "B", "0.8737 ± 0.0006"], ["", "baseline", "-"], ["7", "C", "n/a"]]
    rows = rows_of(Columns(rank=0, team=1, score=2), cells)
    assert [row.rank for row in rows] == [1, 1, None, 7]
    assert [row.score_text for row in rows] == ["1.00000", "0.8737 ± 0.0006", "-", "n/a"]
    assert [row.score for row in rows] == [1.0, 0.8737, None, None]
    assert [row.position for row in rows] == [1, 2, 3, 4]


def test_lines_of_a_table_that_are_no_rows_are_left_out() -> None:
    cells = [["Prize Winners"], ["1", "A", "0.9"], [], ["", "", ""], ["2", "B", "0.8"]]
    assert [row.team for row in rows_of(Columns(rank=0, team=1, score=2), cells)] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "teams", "people"),
    [
        ("2,767 teams", 2767, None),
        ("2,680 Entrants / 738 Participants / 716 Teams / 1,313 Submissions", 716, 738),
        ("Cloud ¥100,000 1021 Team1127 participants", 1021, 1127),
        ("¥50,000 (~ $3496) 653 Single-Player Team30 Multi-Player Team736 participants", 683, 736),
        ("共 1021 支队伍, 参赛人数: 1127", 1021, 1127),
        ("Number of teams: 42", 42, None),
        ("a teamwork of many", None, None),
        ("2019-01-29 - Close", None, None),
    ],
)
def test_counters_are_read_though_numbers_are_glued_to_labels(
    text: str, teams: int | None, people: int | None
) -> None:
    assert claimed_teams(text) == teams
    assert claimed_participants(text) == people


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1-50 of 1,234", 1234),
        ("Showing 1 to 50 of 120 entries", 120),
        ("共 120 条", 120),
        ("Page 1 of 3", None),
        ("2018-09-15 - Launch", None),
    ],
)
def test_the_count_beside_a_board_is_read(text: str, rows: int | None) -> None:
    assert claimed_rows(text) == rows


def test_a_pinned_row_is_dropped_and_lookalikes_are_kept() -> None:
    first, unknown = BoardRow(1, 1, "A", 0.9, "0.9"), BoardRow(2, 2, "Unknown User", 0.5, "0.5")
    baseline = BoardRow(4, None, "baseline", 0.5, "0.5")
    rows = without_repeats([first, unknown, unknown, baseline, baseline, first])
    assert [row.team for row in rows] == ["A", "Unknown User", "Unknown User", "baseline", "baseline"]
    assert [row.position for row in rows] == [1, 2, 3, 4, 5]
