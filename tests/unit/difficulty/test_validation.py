"""Agreement of levels, and the procedure behind the calibrated scorer."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from core.errors import UsageError
from difficulty.calibrated import BOARD_INPUTS, FAR, Assessment, CalibratedModel, fact_inputs, shipped_model
from difficulty.training import Example, Predictions, fit, nested_predictions
from difficulty.validation import agreement, quadratic_kappa, rank_correlation
from schema.difficulty import Level

LEVELS = tuple(Level)


def examples(count: int, *, signal: float, seed: int = 0) -> list[Example]:
    """Tasks whose first input tells the level as far as `signal` says; the other inputs are noise."""
    chance = np.random.default_rng(seed)
    targets = chance.integers(0, 3, count)
    return [
        Example(
            f"task-{number}",
            {name: float(chance.normal()) for name in BOARD_INPUTS}
            | {BOARD_INPUTS[0]: float(signal * target + chance.normal())},
            LEVELS[target],
        )
        for number, target in enumerate(targets)
    ]


def known(tasks: list[Example]) -> np.ndarray:
    return np.array([LEVELS.index(task.level) for task in tasks])


def test_kappa_is_that_of_scikit_learn() -> None:
    chance = np.random.default_rng(3)
    for _ in range(20):
        one, other = chance.integers(0, 3, (2, 30))
        table = np.zeros((3, 3))
        np.add.at(table, (one, other), 1)
        assert quadratic_kappa(table) == pytest.approx(cohen_kappa_score(one, other, weights="quadratic"))


def test_one_level_for_all_has_no_kappa_and_the_share_of_that_level_as_accuracy() -> None:
    truth = np.array([0, 1, 1, 1, 2])
    given = agreement(truth, Predictions(np.ones((1, 5), dtype=np.int64), np.ones((1, 5))))
    assert given.kappa.value == 0
    assert given.spearman.value == 0
    assert given.accuracy.value == pytest.approx(0.6)


def test_the_interval_holds_the_figure_and_narrows_with_tasks() -> None:
    chance = np.random.default_rng(4)
    widths = []
    for tasks in (30, 300):
        truth = chance.integers(0, 3, tasks)
        levels = np.where(chance.random(tasks) < 0.7, truth, chance.integers(0, 3, tasks))[None]
        found = agreement(truth, Predictions(levels, levels.astype(float)))
        for figure in (found.accuracy, found.kappa, found.spearman):
            assert figure.low <= figure.value <= figure.high
        widths.append(found.kappa.high - found.kappa.low)
    assert widths[1] < widths[0]


def test_a_signal_is_learnt_and_noise_is_not_taken_for_one() -> None:
    for signal, least, most in ((3.0, 0.7, 1.0), (0.0, -0.3, 0.3)):
        tasks = examples(60, signal=signal)
        found = agreement(known(tasks), nested_predictions(tasks, seed=0, repeats=1))
        assert least <= found.kappa.value <= most


def test_a_fit_is_the_same_for_any_order_of_the_tasks() -> None:
    tasks = examples(40, signal=2)
    assert fit(tasks, labels="made up", seed=0) == fit(tasks[::-1], labels="made up", seed=0)


def test_too_few_tasks_of_a_level_are_refused() -> None:
    tasks = [task for task in examples(40, signal=1) if task.level is not Level.HARD]
    with pytest.raises(UsageError, match="0 tasks of the lake have the level hard"):
        fit(tasks, labels="made up", seed=0)


def test_an_assessment_sums_to_one_and_doubt_is_marked() -> None:
    model = CalibratedModel(
        inputs=("x",),
        means=(0,),
        scales=(1,),
        weights=(2,),
        cuts=(1, -1),
        strength=1,
        trained_on=30,
        labels="made up",
        data_sha256="0",
    )
    doubtful, clear = model.assess({"x": 0.4}), model.assess({"x": 5})
    assert sum(doubtful.probabilities) == pytest.approx(1)
    assert doubtful.uncertain
    assert clear.level is Level.HARD
    assert not clear.uncertain
    assert model.assess({"x": 2 * FAR}) == model.assess({"x": 1e300})
    assert model.assess({}) == model.assess({"x": 0})
    assert Assessment(Level.HARD, (0, 0.5, 0.5), uncertain=True).expected == 1.5


def test_the_shipped_model_knows_no_name() -> None:
    model = shipped_model()
    allowed = {*BOARD_INPUTS, *fact_inputs("text", None)}
    assert all(name in allowed or name.startswith(("modality ", "metric ")) for name in model.inputs)
    assert len(model.inputs) <= 30
    assert model.cuts[0] > model.cuts[1]


def test_rank_correlation_of_a_constant_is_zero() -> None:
    assert rank_correlation(np.array([1, 1, 1]), np.array([1, 2, 3])) == 0
    assert rank_correlation(np.array([1, 2, 3]), np.array([1, 5, 6])) == pytest.approx(1)
