"""The invented boards: their levels, their order, and what makes them like real ones."""

import csv
import math
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from demo.invented import KEPT, SCREENED_OUT, all_invented, invented, write_content
from schema.board import parse_score
from schema.screening import Rule


@dataclass(frozen=True)
class _Read:
    rows: list[dict[str, str]]

    @property
    def scores(self) -> list[float]:
        return [score for row in self.rows if (score := parse_score(row["Score"])) is not None]

    @property
    def teams(self) -> list[str]:
        return [row.get("TeamName") or row["Method"] for row in self.rows]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], _Read]:
    """Every board by slug and kind."""
    folder, found = write_content(tmp_path_factory.mktemp("content")), {}
    for path in folder.glob("*/*/leaderboard_*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found[path.parent.name, path.stem.removeprefix("leaderboard_")] = _Read(
                list(csv.DictReader(file))
            )
    return found


Boards = dict[tuple[str, str], _Read]


def _ranked_on(boards: Boards, slug: str) -> _Read:
    return boards[slug, "private"] if (slug, "private") in boards else boards[slug, "public"]


def _difficulty(slug: str, scores: list[float]) -> float:
    """The published formula, with the metric's own range where both ends are known."""
    metric = invented(slug).metric
    low, high = metric.low, metric.high
    if low is None or high is None:
        low, high = min(scores), max(scores)
    best = max(scores) if metric.higher_is_better else min(scores)
    mean, best = (sum(scores) / len(scores) - low) / (high - low), (best - low) / (high - low)
    from_best = 1 - best if metric.higher_is_better else best
    return 0.4 * mean + 0.1 * math.log10(len(scores) + 1) + 0.5 * from_best


@pytest.mark.parametrize("slug", KEPT)
def test_the_formula_puts_a_board_well_inside_its_level(slug: str, boards: Boards) -> None:
    bounds = {"easy": (0.0, 0.6), "medium": (0.6, 0.85), "hard": (0.85, 2.0)}
    low, high = bounds[KEPT[slug][1]]
    assert low + 0.01 < _difficulty(slug, _ranked_on(boards, slug).scores) < high - 0.01


@pytest.mark.parametrize("slug", all_invented())
def test_boards_are_sorted_by_the_stated_direction_but_for_those_that_contradict_it(
    slug: str, boards: Boards
) -> None:
    scores, higher = _ranked_on(boards, slug).scores, invented(slug).metric.higher_is_better
    contradicts = SCREENED_OUT.get(slug) is Rule.DIRECTION_CONSISTENT
    falling = higher != contradicts
    assert all(a >= b if falling else a <= b for a, b in pairwise(scores))


@pytest.mark.parametrize("slug", all_invented())
def test_only_boards_that_cannot_be_used_hold_one_score(slug: str, boards: Boards) -> None:
    constant = len(set(_ranked_on(boards, slug).scores)) == 1
    assert constant == (SCREENED_OUT.get(slug) is Rule.BOARD_USABLE)


def test_scores_stay_inside_the_range_of_their_metric(boards: Boards) -> None:
    for (slug, _), board in boards.items():
        low, high = invented(slug).metric.low, invented(slug).metric.high
        assert low is None or min(board.scores) >= low
        assert high is None or max(board.scores) <= high


def test_boards_have_20_to_3000_teams_and_two_pass_2000(boards: Boards) -> None:
    sizes = [sum(row["Rank"] != "0" for row in board.rows) for board in boards.values()]
    assert all(20 <= size <= 3000 for size in sizes)
    assert sum(size > 2000 for size in sizes) >= 2


def test_ranks_run_on_over_ties_and_leave_out_baselines(boards: Boards) -> None:
    for board in boards.values():
        ranks = [int(row["Rank"]) for row in board.rows if row["Rank"] != "0"]
        assert ranks == list(range(1, len(ranks) + 1))
    final = [board for (_, kind), board in boards.items() if kind == "private"]
    assert all(any(a == b for a, b in pairwise(board.scores)) for board in final)


def test_some_boards_have_baselines_and_teams_without_a_score(boards: Boards) -> None:
    with_baseline = {
        slug for (slug, _), board in boards.items() if any(row["Rank"] == "0" for row in board.rows)
    }
    with_empty = {
        slug for (slug, _), board in boards.items() if any(row["Score"] == "" for row in board.rows)
    }
    assert len(with_baseline) >= 10
    assert len(with_empty) >= 10
    # AIcrowd prints nothing as 0: there it could not be told from a score.
    assert not any(invented(slug).meta.platform == "aicrowd" for slug in with_empty)


def test_trailing_zeros_are_kept(boards: Boards) -> None:
    for (slug, _), board in boards.items():
        printed = [row["Score"].partition(" ")[0] for row in board.rows]
        decimals = {len(score.partition(".")[2]) for score in printed if score}
        assert decimals == {invented(slug).board.decimals}
    assert any(row["Score"].endswith("00") for board in boards.values() for row in board.rows)


def test_team_names_of_many_scripts_with_commas_quotes_and_stray_spaces_occur(boards: Boards) -> None:
    for (slug, _), board in boards.items():
        names = board.teams
        assert any("CJK" in unicodedata.name(sign, "") for name in names for sign in name), slug
        assert any(unicodedata.category(sign) == "So" for name in names for sign in name), slug
    everywhere = [name for board in boards.values() for name in board.teams]
    assert any("," in name for name in everywhere)
    assert any('"' in name for name in everywhere)
    assert any(name != name.strip() for name in everywhere)
    assert any(unicodedata.decomposition(sign) for name in everywhere for sign in name if sign.isalpha())


def test_public_and_private_boards_hold_the_same_teams_in_another_order(boards: Boards) -> None:
    both = [slug for slug, kind in boards if kind == "public" and (slug, "private") in boards]
    assert len(both) >= 30
    for slug in both:
        private, public = boards[slug, "private"].teams, boards[slug, "public"].teams
        assert sorted(private) == sorted(public)
        assert (private == public) == (SCREENED_OUT.get(slug) is Rule.BOARD_USABLE)


def test_one_kept_competition_has_a_public_board_only(boards: Boards) -> None:
    assert [slug for slug in KEPT if (slug, "private") not in boards] == ["guild-of-pen-friends"]


def test_kaggle_team_ids_are_unique(boards: Boards) -> None:
    for board in boards.values():
        ids = [row["TeamId"] for row in board.rows if "TeamId" in row]
        assert len(ids) == len(set(ids))


def test_content_is_small_enough_to_crawl(tmp_path: Path) -> None:
    folder = write_content(tmp_path)
    rows = sum(len(path.read_bytes().splitlines()) for path in folder.glob("*/*/leaderboard_*.csv"))
    assert rows < 70_000
    slow = [
        path
        for path in folder.glob("aicrowd/*/leaderboard_*.csv")
        if len(path.read_bytes().splitlines()) > 260
    ]
    assert not slow, "AIcrowd shows 50 rows at a time: every page is a scroll of the browser"
