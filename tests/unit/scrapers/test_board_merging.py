"""Pages of rows put together: nothing is lost and nothing is doubled, however the board was cut."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BoardUnreadableError
from schema.board import BoardRow
from scrapers.boards import merge_pages

_TEAMS = st.sampled_from(["", "A", "B", "Unknown User", "baseline", "蜂"])
_SCORES = st.sampled_from(["0.5", "0.50", "-", ""])


@st.composite
def boards(draw: st.DrawFn) -> tuple[BoardRow, ...]:
    """Ranks that may be tied or absent, names and scores that repeat; a ranked team is there only once."""
    rows: list[BoardRow] = []
    rank = 0
    for team, score, step in draw(st.lists(st.tuples(_TEAMS, _SCORES, st.integers(-1, 2)), max_size=40)):
        rank += max(step, 0)
        rows.append(BoardRow(len(rows) + 1, rank if step >= 0 and rank else None, team, None, score))
    unique = {(row.rank, row.team) if row.rank and row.team else row.position: row for row in rows}
    return tuple(replace(row, position=n) for n, row in enumerate(unique.values(), 1))


def cut(rows: Sequence[BoardRow], ends: list[int]) -> list[list[BoardRow]]:
    """Disjoint pages, positions counted anew on each, as a page of a site is read."""
    bounds = sorted({0, len(rows), *(end % (len(rows) + 1) for end in ends)})
    pages = [rows[a:b] for a, b in pairwise(bounds)]
    return [[replace(row, position=n) for n, row in enumerate(page, 1)] for page in pages]


@given(boards(), st.lists(st.integers(0, 1_000), max_size=12))
def test_disjoint_pages_give_the_board_in_any_cutting(rows: tuple[BoardRow, ...], ends: list[int]) -> None:
    assert merge_pages(cut(rows, ends)) == rows


@given(boards(), st.lists(st.tuples(st.integers(1, 9), st.integers(0, 8)), min_size=1, max_size=60))
def test_overlapping_states_with_positions_give_the_board(
    rows: tuple[BoardRow, ...], moves: list[tuple[int, int]]
) -> None:
    first = moves[0][0]
    pages, end = [rows[:first]], min(len(rows), first)
    for forward, back in [*moves, (len(rows), 0)]:
        start = max(1, end - back)  # a page from position 1 on could be any page whose positions start anew
        end = min(len(rows), end + forward)
        pages.append(rows[start:end])
    assert merge_pages(pages) == rows


@given(st.integers(1, 60), st.lists(st.tuples(st.integers(1, 9), st.integers(0, 8)), min_size=1, max_size=60))
def test_overlapping_states_of_ranked_teams_need_no_positions(
    size: int, moves: list[tuple[int, int]]
) -> None:
    rows = tuple(BoardRow(n, n, f"team {n}", None, "0.5") for n in range(1, size + 1))
    pages, end = [], 0
    for forward, back in [*moves, (size, 0)]:
        start = max(0, end - back)
        end = min(size, end + forward)
        pages.append([replace(row, position=n) for n, row in enumerate(rows[start:end], 1)])
    assert merge_pages(pages) == rows


def test_the_last_page_served_again_adds_nothing() -> None:
    rows = [BoardRow(n, n, f"team {n}", None, "0.5") for n in range(1, 8)]
    pages = cut(rows, [3])
    assert merge_pages([*pages, pages[-1], pages[-1]]) == tuple(rows)


def test_a_gap_between_known_positions_is_an_error_that_names_the_missing_rows() -> None:
    rows = [BoardRow(n, n, f"team {n}", None, "0.5") for n in range(1, 8)]
    with pytest.raises(BoardUnreadableError, match="rows 3 to 4 are missing"):
        merge_pages([rows[:2], rows[4:]], "http://x/")
