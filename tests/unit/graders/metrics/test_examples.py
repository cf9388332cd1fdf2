"""One small example per metric, worked by hand; the arithmetic stands in the expected value."""

import json
from collections.abc import Callable
from math import e, log, log2, pi, sqrt
from pathlib import Path
from typing import Any

import pytest

from graders.evaluate import Evaluation, EvaluationCase, evaluate
from graders.metrics import metrics

Score = Callable[..., Evaluation]
Columns = dict[str, list[object]] | tuple[list[object], ...]

NUMBERS = [
    ("rmse", [1, 2, 3], [1, 2, 6], {}, sqrt(9 / 3)),
    ("mse", [1, 2, 3], [1, 2, 6], {}, 9 / 3),
    ("mae", [1, 2, 3], [1, 1, 5], {}, 3 / 3),
    ("median_absolute_error", [0, 0, 0, 0], [1, 2, 4, 9], {}, (2 + 4) / 2),
    ("r2", [1, 2, 3], [1, 2, 2], {}, 1 - 1 / 2),
    ("rmsle", [0, 0], [e - 1, 0], {}, sqrt(1 / 2)),
    ("rmspe", [0, 2, 4], [9, 1, 4], {}, sqrt(0.25 / 2)),
    ("mape", [0, 2, 4], [9, 1, 4], {}, 0.5 / 2),
    ("smape", [0, 1, 1], [0, 1, 3], {}, 100 * (2 * 2 / 4) / 3),
    ("pinball_loss", [1, 1], [0, 2], {"quantile": 0.9}, (0.9 + 0.1) / 2),
    ("pearson", [1, 2, 3], [1, 3, 2], {}, 0.5),
    ("spearman", [1, 2, 3], [10, 1000, 100], {}, 0.5),
    ("roc_auc", [0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], {}, 3.5 / 4),
    ("gini", [0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], {}, 2 * 3.5 / 4 - 1),
    ("normalized_gini", [0, 0, 1, 1], [1, 2, 2, 3], {}, 2 * 3.5 / 4 - 1),
    ("weighted_tpr_roc_auc", [0, 1], [0.5, 0.5], {}, (2 * (0.6 * 0.4 + 0.08) + 0.6 * 0.6 / 2) / (0.8 + 0.6)),
    ("average_precision", [1, 0, 1, 0], [4, 3, 2, 1], {}, (1 + 2 / 3) / 2),
    ("log_loss", [1, 0], [0.5, 0.25], {}, -(log(0.5) + log(0.75)) / 2),
    ("brier_score", [1, 0], [0.5, 0.25], {}, (0.25 + 0.0625) / 2),
    ("probabilistic_fbeta", [1, 0, 1], [0.5, 0.5, 1], {}, 2 * 0.75 * 0.75 / (0.75 + 0.75)),
]

COLUMNS = [
    ("mean_columnwise_rmse", ([0, 0], [0, 0]), ([3, 3], [1, 1]), {}, (3 + 1) / 2),
    ("mean_columnwise_mae", ([0, 0], [0, 0]), ([3, 1], [1, 1]), {}, (2 + 1) / 2),
    ("mean_columnwise_rmsle", ([0, 0], [0, 0]), ([e - 1, e - 1], [0, 0]), {}, 1 / 2),
    ("pooled_rmse", ([0, 0], [0, 0]), ([3, 3], [1, 1]), {}, sqrt((9 + 9 + 1 + 1) / 4)),
    ("pooled_rmsle", ([0, 0], [0, 0]), ([e - 1, e - 1], [0, 0]), {}, sqrt(2 / 4)),
    ("mean_floored_r2", ([0, 2], [0, 2]), ([0, 2], [9, 9]), {}, (1 + 0) / 2),
    ("mean_columnwise_spearman", ([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 3, 2]), {}, (1 + 0.5) / 2),
    ("mean_columnwise_roc_auc", ([0, 1], [0, 1]), ([0, 1], [0.5, 0.5]), {}, (1 + 0.5) / 2),
    ("mean_classwise_average_precision", ([1, 0], [1, 0]), ([2, 1], [1, 2]), {}, (1 + 1 / 2) / 2),
    ("lwlrap", ([1, 0], [1, 1], [0, 0]), ([3, 1], [2, 2], [1, 3]), {}, (1 + 1 + 1 / 2) / 3),
    ("hamming_loss", ([0, 1], [1, 1]), ([0, 0], [1, 1]), {}, 1 / 4),
    ("multiclass_log_loss", ([1, 0], [0, 1]), ([0.5, 0.2], [0.5, 0.8]), {}, -(log(0.5) + log(0.8)) / 2),
    ("balanced_log_loss", ([1, 1, 0], [0, 0, 1]), ([0.5, 0.5, 0.2], [0.5, 0.5, 0.8]), {}, -log(0.4) / 2),
    ("kl_divergence", ([2, 1], [0, 1]), ([0.5, 0.5], [0.5, 0.5]), {}, (log(2) + 0) / 2),
    ("mean_angular_error", ([0, 0], [0, pi / 2]), ([0, pi / 2], [0, pi / 2]), {}, (0 + pi / 2) / 2),
]

LABELS = [
    ("accuracy", [1, 2, 3, 3], [1, 2, 3, 1], {}, 3 / 4),
    ("classification_error", [1, 2, 3, 3], ["1", "2 3", "3", "1 3"], {}, 1 / 4),
    ("macro_f1", list("aabb"), list("aabc"), {}, (1 + 2 / 3 + 0) / 3),
    ("micro_f1", list("aabb"), list("aabc"), {}, 3 / 4),
    ("f1", [1, 1, 0, 0], [1, 0, 1, 0], {}, 2 * 1 / (2 + 2)),
    ("matthews_corrcoef", [1, 1, 0, 0], [1, 0, 0, 0], {}, (1 * 2 - 0 * 1) / sqrt(1 * 2 * 2 * 3)),
    ("balanced_accuracy", list("aaab"), list("aaba"), {}, (2 / 3 + 0) / 2),
    ("quadratic_weighted_kappa", [1, 2, 3], [1, 2, 1], {}, 1 - 4 / ((2 * (0 + 1 + 4) + 1 * (1 + 0 + 1)) / 3)),
    ("cohen_kappa", [0, 0, 1, 1], [0, 1, 1, 1], {}, 1 - (1 / 4) / (1 / 2)),
]

TEXTS = [
    ("multilabel_micro_f1", ["a b", "c"], ["a", "c b zz"], {}, 2 * 2 / (2 * 2 + 1 + 1)),
    ("mean_set_f1", ["a b", ""], ["a", ""], {}, (2 / 3 + 1) / 2),
    ("samples_f1", ["a b", "c"], ["a", "c d"], {}, (2 / 3 + 2 / 3) / 2),
    ("map_at_k", ["a", "b"], ["x a", "b"], {"k": 3}, (1 / 2 + 1) / 2),
    ("mrr_at_k", ["a", "b"], ["x a", "y"], {"k": 3}, (1 / 2 + 0) / 2),
    ("ndcg_at_k", ["a", "b c"], ["x a", "b y"], {"k": 2}, (1 / log2(3) + 1 / (1 + 1 / log2(3))) / 2),
    ("recall_at_k", ["a b", "c"], ["a x", "y c"], {"k": 1}, (1 / 2 + 0) / 2),
    ("top_k_accuracy", ["a", "b"], ["x a", "x y b"], {"k": 2}, 1 / 2),
    ("kendall_tau_ordering", ["a b c", "d e"], ["b a c", "d e"], {}, 1 - 4 * 1 / (6 + 2)),
    ("mean_rowwise_spearman", ["1 2 3", "1 2 3"], ["1 2 3", "1 3 2"], {}, (1 + 0.5) / 2),
    ("mean_levenshtein", ["kitten", "ab"], ["sitting", "ab"], {}, 3 / 2),
    ("normalized_edit_distance", ["1 2 3", "4"], ["1 3", "5"], {}, (1 + 1) / 4),
    ("word_error_rate", ["the cat sat", "on"], ["the cat", "on"], {}, 1 / 4),
    ("character_error_rate", ["abc", "d"], ["abx", "d"], {}, 1 / 4),
    ("word_jaccard", ["The cat", "a"], ["the dog", "a"], {}, (1 / 3 + 1) / 2),
    ("rouge_l", ["a b c d", "x"], ["a c", "y"], {}, (2 * 2 / 6 + 0) / 2),
    ("bleu", ["a b c d", "e f"], ["a b c", "e f"], {"max_order": 2}, e ** (1 - 6 / 5)),
    ("bleu", ["a b", "c d"], ["a x", "c d"], {"max_order": 2, "scale": 100}, 100 * sqrt(3 / 4 * 1 / 2)),
    ("span_character_micro_f1", ["0 4", ""], ["2 6", ""], {}, 2 * 2 / (4 + 4)),
    ("global_dice", ["1 4", ""], ["3 4", "9 2"], {}, 2 * 2 / (4 + 6)),
    ("mean_dice", ["1 4", ""], ["3 4", ""], {}, (2 * 2 / 8 + 1) / 2),
    ("mean_mask_fbeta", ["1 4"], ["1 2"], {"beta": 1}, 2 * 1 * 0.5 / (1 + 0.5)),
    ("mean_iou_threshold_precision", ["1 4"], ["1 3"], {"thresholds": [0.5, 0.75, 1.0]}, 2 / 3),
    (
        "dice_hausdorff",
        ["1 1"],
        ["2 1"],
        {"height": 10, "width": 10},
        0.4 * 0 + 0.6 * (1 - 0.1 / sqrt(2)),
    ),
    ("box_threshold_precision", ["1 0 0 10 10"], ["1 0 0 10 8"], {"thresholds": [0.5, 0.9]}, (1 + 0) / 2),
    ("voc_map", ["a 1 0 0 9 9", "b 1 0 0 9 9"], ["a 1 0 0 9 9", "a 0.5 0 0 9 9"], {}, 1 / (1 + 1e-6) / 2),
    ("map_3d_iou", ["1 0 0 0 2 4 2 0 car"], ["1 0 0 1 2 4 2 0 car"], {"iou_thresholds": [0.3, 0.4]}, 1 / 2),
    ("point_in_box_f1", ["a 0 0 10 10"], ["a 5 5 b 6 6"], {}, 2 * 1 / (1 + 2)),
]


@pytest.mark.parametrize(
    ("metric", "truth", "predicted", "params", "expected"),
    [*NUMBERS, *LABELS, *TEXTS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_column_gives_the_score_worked_by_hand(
    score: Score, metric: str, truth: list[Any], predicted: list[Any], params: dict[str, Any], expected: float
) -> None:
    assert score(metric, truth, predicted, **params).score == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "truth", "predicted", "params", "expected"),
    COLUMNS,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_several_columns_give_the_score_worked_by_hand(
    score: Score, metric: str, truth: Columns, predicted: Columns, params: dict[str, Any], expected: float
) -> None:
    named = [dict(zip("abc", side, strict=False)) for side in (truth, predicted)]
    assert score(metric, *named, **params).score == pytest.approx(expected, abs=1e-12)


FRAMES = [
    ("weighted_mae", {"y": [1, 1], "w": [3, 1]}, {"y": [2, 5]}, {"weight_column": "w"}, (3 * 1 + 1 * 4) / 4),
    (
        "mean_group_log_mae",
        {"y": [0, 0, 0], "type": ["a", "a", "b"]},
        {"y": [1, 3, 1]},
        {},
        (log(2) + log(1)) / 2,
    ),
    (
        "laplace_log_likelihood",
        {"id": ["p_1", "p_2"], "v": [100, 100]},
        {"id": ["p_1", "p_2"], "v": [100, 170], "c": [0, 100]},
        {"last_weeks_per_patient": 1},
        -sqrt(2) * 70 / 100 - log(sqrt(2) * 100),
    ),
    (
        "weighted_log_loss",
        {"id": ["s_all", "s_C1"], "y": [1, 0]},
        {"id": ["s_all", "s_C1"], "y": [0.5, 0.25]},
        {"groups": ["all", "C1"], "weight_negative": [7, 1], "weight_positive": [14, 2]},
        -(14 * log(0.5) + 1 * log(0.75)) / 15,
    ),
    (
        "weighted_macro_recall",
        {"id": ["1_a", "2_a", "1_b"], "y": [1, 2, 5]},
        {"id": ["1_a", "2_a", "1_b"], "y": [1, 1, 5]},
        {"components": {"a": 2, "b": 1}},
        (2 * 0.5 + 1 * 1) / 3,
    ),
    (
        "bias_weighted_roc_auc",
        {"toxic": [0, 1, 0, 1], "male": [1, 1, 0, 0]},
        {"y": [0.1, 0.9, 0.2, 0.8]},
        {"identity_columns": ["male"]},
        0.25 + 0.25 * 3,
    ),
    (
        "crps",
        {"y": [1, 9]},
        {"P0": [0, 0], "P1": [0.5, 0.5], "P2": [1, 1]},
        {},
        ((0 + 0.25 + 0) + (0 + 0.25 + 1)) / 6,
    ),
    (
        "crps",
        {"y": [2, 0]},
        {"a": [1, 0], "b": [3, 4]},
        {"form": "ensemble"},
        ((1 - 2 / 4) + (2 - 4 / 4)) / 2,
    ),
    (
        "wrmsse",
        {"F1": [1, 2], "F2": [1, 2], "history": ["0 0 1 3", "2 4 2"], "weight": [3, 1]},
        {"F1": [3, 2], "F2": [1, 4]},
        {},
        (3 * sqrt(2 / 4) + 1 * sqrt(2 / 4)) / 4,
    ),
    (
        "wrmsse",
        {"F1": [1, 2], "history": ["1 3", "2 4"], "weight": [3, 1], "shop": ["a", "b"]},
        {"F1": [3, 0]},
        {"levels": [[], ["shop"]]},
        (0 / 4 + (3 * 2 / 2 + 1 * 2 / 2) / 4) / 2,
    ),
    (
        "wrmsse",
        {"F1": [1, 2], "S": [4, 0]},
        {"F1": [3, 9]},
        {"scale_column": "S", "weight_column": None},
        2 / 2,
    ),
    (
        "event_detection_ap",
        {"series_id": ["s", "s", "t"], "step": [10, 50, 10], "event": ["on", "on", "off"]},
        {
            "series_id": ["s", "s", "s", "t", "u", "t"],
            "step": [11, 12, 47, 10, 1, 50],
            "event": ["on", "on", "on", "off", "on", "on"],
            "score": [0.9, 0.8, 0.7, 0.5, 1, 0.75],
        },
        {"tolerances": [2, 4]},
        ((1 / 2 + (1 / 2 * 1 + 1 / 2 * 2 / 4)) / 2 + 1) / 2,
    ),
    (
        "position_error_percentile_mean",
        {"lat": [0, 0], "lon": [0, 0], "tripId": ["t", "t"]},
        {"lat": [0, 1], "lon": [0, 0]},
        {"radius_m": 180 / pi},
        (0.5 + 0.95) / 2,
    ),
    (
        "object_f2_over_iou",
        {"id": ["i", "j"], "y": ["1 4", ""]},
        {"id": ["i", "i", "j"], "y": ["1 4", "9 1", ""]},
        {"height": 4, "width": 4, "long_format": True},
        (5 / (5 + 1) + 1) / 2,
    ),
    (
        "coco_map",
        {
            "id": ["i", "i"],
            "class_id": [0, 1],
            "x_min": [0, 0],
            "y_min": [0, 0],
            "x_max": [9, 9],
            "y_max": [9, 9],
        },
        {"id": ["i"], "y": ["0 0.5 0 0 9 9 1 0.9 0 0 1 1"]},
        {"iou_thresholds": [0.5]},
        (1 + 0) / 2,
    ),
]


@pytest.mark.parametrize(
    ("metric", "truth", "predicted", "params", "expected"),
    FRAMES,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tables_with_further_columns_give_the_score_worked_by_hand(
    score: Score, metric: str, truth: Columns, predicted: Columns, params: dict[str, Any], expected: float
) -> None:
    assert score(metric, truth, predicted, **params).score == pytest.approx(expected, abs=1e-9)


DOCUMENTS = [
    (
        "group_weighted_roc_auc",
        {"x": {"normal_data": ["a"], "outliers": ["b"]}, "y": {"normal_data": ["a"], "outliers": ["b", "c"]}},
        {"x": {"a": 1, "b": 2}, "y": {"a": 3, "b": 2, "c": 3}},
        (1 * 0 + 2 * 0.75) / 3,
    ),
    (
        "mean_average_precision_per_query",
        {"q": [1, 0], "r": [0, 1]},
        {"q": [1, 0], "r": [1, 0]},
        (1 + 0.5) / 2,
    ),
]


@pytest.mark.parametrize(("metric", "truth", "predicted", "expected"), DOCUMENTS)
def test_json_documents_give_the_score_worked_by_hand(
    tmp_path: Path, metric: str, truth: object, predicted: object, expected: float
) -> None:
    answers, submission = tmp_path / "answers.json", tmp_path / "submission.json"
    answers.write_text(json.dumps(truth))
    submission.write_text(json.dumps(predicted))
    case = EvaluationCase(metric=metric, answers=answers, submission=submission, target_columns=("y",))
    assert evaluate(case).score == pytest.approx(expected)


def test_answer_span_accuracy_counts_both_outcomes(tmp_path: Path) -> None:
    metric = "answer_span_accuracy"
    annotation = {
        "long_answer": {"start_token": 3, "end_token": 9},
        "short_answers": [],
        "yes_no_answer": "NONE",
    }
    answers, submission = tmp_path / "answers.jsonl", tmp_path / "submission.csv"
    answers.write_text(json.dumps({"id": "q", "annotations": [annotation]}) + "\n")
    submission.write_text("id,y\nq_short,YES\nq_long,3:9\n")
    case = EvaluationCase(
        metric=metric, answers=answers, submission=submission, id_columns=("id",), target_columns=("y",)
    )
    assert evaluate(case).score == 1 / 2


def test_a_similarity_of_the_scene_changes_no_camera_centre_inlier_ratio(score: Score) -> None:
    metric = "camera_centre_inlier_ratio"
    names = [f"R{row}{column}" for row in range(3) for column in range(3)] + ["T0", "T1", "T2"]
    centres = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3), (1, 2, 3)]

    def poses(scale: float, last: float) -> dict[str, list[float]]:
        moved = [*(tuple(-scale * x - 7 for x in c) for c in centres[:-1]), (last, last, last)]
        rows = [(1, 0, 0, 0, 1, 0, 0, 0, 1, *shift) for shift in moved]
        return {name: [row[index] for row in rows] for index, name in enumerate(names)}

    assert score(metric, poses(1, 0), poses(5, 999)).score == 4 / 5


def test_perfect_numbers_have_the_best_score(score: Score) -> None:
    for metric, truth, _, params, _ in NUMBERS:
        facts = next(found for found in metrics() if found.metric_id == metric)
        best = facts.high if facts.direction == "maximize" else facts.low
        assert score(metric, truth, truth, **{**params, "prediction_range": None}).score == pytest.approx(
            best
        )
