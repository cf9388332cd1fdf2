import math

import pytest

from difficulty.features import RangePolicy, board_features
from difficulty.formula import difficulty_score, level_of
from schema.difficulty import Level
from schema.metric import Direction


def test_a_bounded_metric_is_normalised_by_its_own_bounds() -> None:
    features = board_features([0.5, 0.7, 0.9], Direction.MAXIMIZE, (0.0, 1.0))
    assert features.range_policy is RangePolicy.METRIC
    expected = 0.4 * 0.7 + 0.1 * math.log10(4) + 0.5 * (1 - 0.9)
    assert difficulty_score(features, Direction.MAXIMIZE) == pytest.approx(expected, abs=1e-6)


def test_an_unbounded_metric_is_normalised_by_the_scores_observed() -> None:
    features = board_features([1.0, 2.0, 5.0], Direction.MINIMIZE, (0.0, None))
    assert (features.low, features.high) == (1.0, 5.0)
    expected = 0.4 * (5 / 3) / 4 + 0.1 * math.log10(4)
    assert difficulty_score(features, Direction.MINIMIZE) == pytest.approx(expected, abs=1e-6)


def test_lower_is_better_counts_the_best_score_itself() -> None:
    features = board_features([0.7, 0.8, 0.9], Direction.MINIMIZE, (0.0, 1.0))
    expected = 0.4 * 0.8 + 0.1 * math.log10(4) + 0.5 * 0.7
    assert difficulty_score(features, Direction.MINIMIZE) == pytest.approx(expected, abs=1e-6)


def test_scores_outside_the_metrics_bounds_mean_another_scale() -> None:
    features = board_features([51.0, 88.0], Direction.MAXIMIZE, (0.0, 1.0))
    assert features.range_policy is RangePolicy.OBSERVED


def test_the_observed_policy_ignores_the_metrics_bounds() -> None:
    features = board_features([0.5, 0.9], Direction.MAXIMIZE, (0.0, 1.0), RangePolicy.OBSERVED)
    assert (features.norm_mean, features.norm_best) == pytest.approx((0.5, 1.0))


def test_a_constant_board_has_finite_features() -> None:
    features = board_features([0.3, 0.3], Direction.MINIMIZE)
    assert math.isfinite(difficulty_score(features, Direction.MINIMIZE))


def test_huge_outliers_stay_finite() -> None:
    features = board_features([-3e40, 0.1, 0.2], Direction.MAXIMIZE)
    assert math.isfinite(difficulty_score(features, Direction.MAXIMIZE))


def test_a_board_without_scores_is_refused() -> None:
    with pytest.raises(ValueError, match="no features"):
        board_features([], Direction.MAXIMIZE)


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (0.0, Level.EASY),
        (0.6, Level.EASY),
        (0.6000001, Level.MEDIUM),
        (0.85, Level.MEDIUM),
        (0.8500001, Level.HARD),
    ],
)
def test_a_threshold_belongs_to_the_easier_level(score: float, level: Level) -> None:
    assert level_of(score) is level
