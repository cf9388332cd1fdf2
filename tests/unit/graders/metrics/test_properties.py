"""Rules that hold for whatever numbers: order of rows and columns, spelling of ids, known relations."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as peer

from graders.evaluate import EvaluationCase, evaluate
from graders.metrics.auc import area
from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.labels import read_labels
from graders.metrics.masks import Mask, predicted_mask
from graders.metrics.registry import get
from graders.metrics.scoring import compute
from graders.submission import SubmissionTable

numbers = st.lists(st.floats(0, 1000, allow_nan=False), min_size=3, max_size=30)
probabilities = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), min_size=4, max_size=40)


def _array(values: list[float]) -> Floats:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    "metric",
    [
        *("rmse", "mae", "r2", "rmsle", "smape", "roc_auc", "log_loss", "brier_score", "normalized_gini"),
        *("gini", "average_precision", "weighted_tpr_roc_auc", "probabilistic_fbeta", "pearson", "spearman"),
    ],
)
@given(scores=probabilities, seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(metric: str, scores: list[float], seed: int) -> None:
    function = get(metric).function
    truth, predicted = _array([float(row % 2) for row in range(len(scores))]), _array([*scores[:-1], 0.33])
    order = np.random.default_rng(seed).permutation(len(scores))
    shuffled = function(truth[order], predicted[order])
    assert shuffled == pytest.approx(function(truth, predicted), abs=1e-9)


@pytest.mark.parametrize("metric", ["rmse", "roc_auc", "accuracy", "quadratic_weighted_kappa"])
@given(ids=st.lists(st.integers(0, 10**6), min_size=4, max_size=20, unique=True), seed=st.integers(0, 1000))
def test_rows_are_lined_up_by_id_and_columns_by_name(
    tmp_path_factory: pytest.TempPathFactory, metric: str, ids: list[int], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("case")
    truth = {name: row % 2 for row, name in enumerate(ids)}
    lines = [f"{name},{(row // 2) % 2}\n" for row, name in enumerate(ids)]
    (folder / "answers.csv").write_text("id,y\n" + "".join(f"{k},{v}\n" for k, v in truth.items()))
    (folder / "straight.csv").write_text("id,y\n" + "".join(lines))
    lines = [lines[row] for row in np.random.default_rng(seed).permutation(len(lines))]
    turned = ["{1},{0}.0\n".format(*line.strip().split(",")) for line in lines]
    (folder / "turned.csv").write_text("y,id\n" + "".join(turned))
    assert _score(folder, metric, "turned.csv") == _score(folder, metric, "straight.csv")


def _score(folder: Path, metric: str, file: str) -> float | None:
    case = EvaluationCase(
        metric=metric,
        answers=folder / "answers.csv",
        submission=folder / file,
        id_columns=("id",),
        target_columns=("y",),
    )
    found = evaluate(case)
    assert found.valid
    return found.score


@given(scores=probabilities)
def test_the_auc_is_that_of_scikit_learn(scores: list[float]) -> None:
    truth = np.arange(len(scores)) % 2 == 0
    assert area(truth, _array(scores)) == pytest.approx(peer.roc_auc_score(truth, scores))


@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=40))
def test_scores_of_labels_are_those_of_scikit_learn(labels: list[tuple[int, int]]) -> None:
    truth, predicted = (np.array(side) for side in zip(*labels, strict=True))
    pairs: list[tuple[str, float]] = [
        ("macro_f1", peer.f1_score(truth, predicted, average="macro", zero_division=0)),
        ("micro_f1", peer.f1_score(truth, predicted, average="micro")),
    ]
    if len(set(truth) | set(predicted)) > 1:
        pairs += [
            ("matthews_corrcoef", peer.matthews_corrcoef(truth, predicted)),
        ]
        by_index = get("quadratic_weighted_kappa").function(truth, predicted, distance="index")
        expected = peer.cohen_kappa_score(truth, predicted, weights="quadratic")
        assert by_index == pytest.approx(expected, abs=1e-9)
    for metric, expected in pairs:
        assert get(metric).function(truth, predicted) == pytest.approx(expected, abs=1e-9)


@given(truth=numbers)
def test_a_constant_shift_is_the_rmse_and_the_mae(truth: list[float]) -> None:
    for metric in ("rmse", "mae", "median_absolute_error"):
        assert get(metric).function(_array(truth), _array(truth) + 3) == pytest.approx(3)


@given(scores=probabilities)
def test_gini_is_twice_the_auc_less_one(scores: list[float]) -> None:
    truth = _array([float(row % 2) for row in range(len(scores))])
    expected = 2 * area(truth > 0, _array(scores)) - 1
    assert get("normalized_gini").function(truth, _array(scores)) == pytest.approx(expected, abs=1e-9)
    assert get("gini").function(truth, _array(scores)) == pytest.approx(expected, abs=1e-9)


@given(scores=st.lists(st.integers(-50, 50), min_size=4, max_size=30))
def test_a_monotone_transform_changes_no_ranking_metric(scores: list[int]) -> None:
    truth = _array([float(row % 2) for row in range(len(scores))])
    predicted = _array([float(score) for score in scores])
    for metric in ("roc_auc", "normalized_gini", "average_precision", "weighted_tpr_roc_auc"):
        function = get(metric).function
        assert function(truth, predicted) == pytest.approx(function(truth, 5 * predicted - 7), abs=1e-12)


masks = st.lists(st.booleans(), min_size=1, max_size=60)


@given(left=masks, right=masks)
def test_masks_survive_the_round_trip_and_count_their_overlap(left: list[bool], right: list[bool]) -> None:
    a, b = (predicted_mask(_encoded(side), len(side)) for side in (left, right))
    assert _decoded(a, len(left)) == left
    assert a.overlap(b) == b.overlap(a) == sum(p and q for p, q in zip(left, right, strict=False))


def _encoded(pixels: list[bool]) -> str:
    runs = [f"{place} 1" for place, marked in enumerate(pixels, start=1) if marked]
    return " ".join(runs)


def _decoded(mask: Mask, size: int) -> list[bool]:
    marked = [False] * size
    for start, end in zip(mask.starts, mask.ends, strict=True):
        marked[start:end] = [True] * int(end - start)
    return marked


@given(codes=st.lists(st.integers(0, 99), min_size=1, max_size=20))
def test_whole_numbers_are_labels_however_they_are_written(codes: list[int]) -> None:
    plain = pa.array([str(code) for code in codes])
    floats = pa.array([f"{code}.0" for code in codes])
    pair = read_labels(plain, floats, "y")
    assert (pair.truth == pair.predicted).all()


@given(rows=st.lists(st.integers(0, 2), min_size=3, max_size=20))
def test_a_column_of_classes_is_as_good_a_truth_as_columns_of_zeros_and_ones(rows: list[int]) -> None:
    names = ("a", "b", "c")
    guess = {name: [0.5 if row == index else 0.25 for row in rows] for index, name in enumerate(names)}
    one_hot = {name: [int(row == index) for row in rows] for index, name in enumerate(names)}
    wide = Frame(SubmissionTable(pa.table(one_hot)), SubmissionTable(pa.table(guess)), (), names, names)
    words = SubmissionTable(pa.table({"class": [names[row] for row in rows]}))
    narrow = Frame(words, SubmissionTable(pa.table(guess)), (), names, ("class",))
    metric = get("multiclass_log_loss")
    assert compute(metric, narrow, {}) == pytest.approx(compute(metric, wide, {}))
