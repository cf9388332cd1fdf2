"""What a board says: on ugly boards, and the same from one query over all of them."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from difficulty.features import LARGEST, NAMES, BoardFeatures, RangePolicy, board_features
from difficulty.features_query import features_query
from difficulty.formula import difficulty_score, level_of
from schema.board import parse_score
from schema.metric import Direction

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Page:
    """A board as the lake holds it."""

    scores: Sequence[float | None]
    ranks: Sequence[int | None]
    direction: Direction = Direction.MAXIMIZE
    bounds: Bounds = (None, None)

    def features(self) -> BoardFeatures:
        """In Python; baselines (rank 0, or none on a board that prints ranks) left out."""
        prints_ranks = any(rank for rank in self.ranks)
        rows = [
            (place, score)
            for place, (score, rank) in enumerate(zip(self.scores, self.ranks, strict=True), 1)
            if score is not None and (rank if prints_ranks else rank is None)
        ]
        return board_features(
            [score for _, score in rows],
            self.direction,
            self.bounds,
            places=[place for place, _ in rows],
        )


def by_query(pages: Sequence[Page]) -> list[dict[str, object]]:
    """The features of all pages from one query, in the order of the pages."""
    lines = [
        {"board_id": number, "position": place, "rank": rank, "score": score}
        for number, page in enumerate(pages)
        for place, (score, rank) in enumerate(zip(page.scores, page.ranks, strict=True), 1)
    ]
    facts = [
        {"board_id": number, "direction": page.direction, "low": page.bounds[0], "high": page.bounds[1]}
        for number, page in enumerate(pages)
    ]
    connection = duckdb.connect()
    connection.register("lines", pa.Table.from_pylist(lines))
    connection.register("facts", pa.Table.from_pylist(facts))
    answer = connection.sql(features_query("lines", "facts") + " ORDER BY board_id").to_arrow_table()
    return answer.drop_columns("board_id").to_pylist()


def ugly_pages(count: int, seed: int) -> list[Page]:
    """Boards of every ugliness: huge scores, ties, constants, one row, gaps, baselines, leaked tops."""
    chance = np.random.default_rng(seed)
    return [_ugly(chance, number) for number in range(count)]


def _ugly(chance: np.random.Generator, number: int) -> Page:
    size = int(chance.choice([1, 2, 3, 7, 40, 120, 300, 1500]))
    kinds = [
        chance.normal(size=size),
        np.full(size, float(chance.integers(-3, 4))),
        np.round(chance.random(size), 1),
        np.concatenate([np.ones(min(size, 5)), chance.random(max(0, size - 5)) * 0.1]),
        -np.exp(chance.uniform(0, 93, size)),
        chance.uniform(-1, 1, size) * 1e99,
        chance.random(size) * 1e-300,
    ]
    direction = list(Direction)[number % 2]
    scores: list[float | None] = sorted(
        kinds[number % len(kinds)].tolist(), reverse=direction is Direction.MAXIMIZE
    )
    ranks: list[int | None] = list(range(1, size + 1)) if number % 3 else [None] * size
    if size > 3:
        for place in chance.integers(0, size - 1, size // 4):
            scores[place] = [None, math.nan, math.inf, -math.inf, 2 * LARGEST][int(place) % 5]
        ranks[size // 2] = 0
    bounds: Bounds = [(None, None), (0.0, 1.0), (0.0, None)][number % 3]
    return Page(scores, ranks, direction, bounds)


def test_one_query_gives_what_python_gives_for_every_ugly_board() -> None:
    pages = ugly_pages(200, seed=1)
    for page, row in zip(pages, by_query(pages), strict=True):
        features = page.features()
        for name in NAMES:
            expected = getattr(features, name)
            assert row[name] == (
                expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-9, abs=1e-300)
            ), name


def test_every_ugly_board_has_finite_features_and_a_level() -> None:
    for page in ugly_pages(200, seed=2):
        features = page.features()
        assert all(math.isfinite(getattr(features, name)) for name in NAMES if name != "range_policy")
        for share in (features.gap_to_gold, features.gap_to_half, features.crowdedness, features.tie_share):
            assert 0 <= share <= 1
        level_of(difficulty_score(features, page.direction))


def test_gaps_are_shares_of_the_lead_over_three_quarters_of_the_places() -> None:
    features = board_features([10, 8, 6, 4, 2], Direction.MAXIMIZE)
    assert (features.gold, features.half, features.three_quarters) == (10, 6, 4)
    assert features.gap_to_gold == 0
    assert features.gap_to_half == pytest.approx(4 / 6)


def test_the_upper_half_of_a_board_is_crowded_where_it_stands_close_together() -> None:
    close = board_features([1.0, 0.99, 0.98, 0.97, 0.96, 0.5, 0.4, 0.3], Direction.MAXIMIZE)
    even = board_features([0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1], Direction.MAXIMIZE)
    assert close.crowdedness > even.crowdedness


def test_a_plateau_of_ties_is_seen() -> None:
    assert board_features([3, 2, 2, 2, 1], Direction.MAXIMIZE).tie_share == 0.5
    assert board_features([5, 5, 5], Direction.MINIMIZE).tie_share == 1
    assert board_features([1], Direction.MINIMIZE).tie_share == 0


def test_a_board_without_a_number_has_no_features() -> None:
    with pytest.raises(ValueError, match="no features"):
        board_features([math.nan, math.inf], Direction.MAXIMIZE)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.sampled_from(list(Direction)))
def test_turning_scores_and_direction_around_keeps_what_has_no_direction(
    scores: list[float], direction: Direction
) -> None:
    turned = Direction.MINIMIZE if direction is Direction.MAXIMIZE else Direction.MAXIMIZE
    one = board_features(scores, direction, policy=RangePolicy.OBSERVED)
    other = board_features([-score for score in scores], turned, policy=RangePolicy.OBSERVED)
    for name in ("gap_to_gold", "gap_to_tenth", "gap_to_half", "crowdedness", "tie_share"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))


def test_every_real_board_has_finite_features_in_both_directions(real_competitions: Path) -> None:
    paths = sorted(real_competitions.glob("*/*/leaderboard_*.csv"))
    assert paths
    for path in paths:
        scores = [
            score for line in _lines(path) if (score := parse_score(line.get("score") or "")) is not None
        ]
        for direction in Direction:
            features = board_features(scores, direction)
            assert all(math.isfinite(getattr(features, name)) for name in NAMES if name != "range_policy")
            level_of(difficulty_score(features, direction))


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [{name.lower(): cell for name, cell in line.items() if name} for line in csv.DictReader(file)]
