"""What metrics refuse, and what they have no value for; the numbers are those of the grading semantics."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from core.errors import GradingError, TaskError, UsageError
from graders.evaluate import Evaluation, EvaluationCase, checked, evaluate

Score = Callable[..., Evaluation]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), np.float32("nan")])
def test_case_3_a_score_that_is_not_finite_is_no_score(value: float) -> None:
    assert checked(value).reason == "non_finite_score"


@pytest.mark.parametrize("value", [np.float32(0.5), np.int64(1), np.array(0.5), 1])
def test_case_4_numpy_scores_are_cast(value: object) -> None:
    score = checked(value).score
    assert type(score) is float


@pytest.mark.parametrize("value", [True, np.bool_(True), None, "0.5"])
def test_case_4_a_bool_is_our_fault(value: object) -> None:
    with pytest.raises(GradingError):
        checked(value)


def test_case_16_ids_are_cast_to_the_answers_type(score: Score) -> None:
    same = score("rmse", {"id": [892, 7], "y": [1, 2]}, {"id": ["7.0", "892.0"], "y": [2, 1]})
    assert same.score == 0
    text = score("rmse", {"id": ["007", "x"], "y": [1, 2]}, {"id": ["7", "x"], "y": [1, 2]})
    assert text.reason == "unknown_id"


def test_case_18_ids_repeated_in_the_answers_are_our_fault(score: Score) -> None:
    with pytest.raises(TaskError):
        score("rmse", {"id": [1, 1], "y": [1, 2]}, {"id": [1, 1], "y": [1, 2]})


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        *(("", "nan_prediction"), ("NaN", "nan_prediction"), ("abc", "not_numeric"), ("inf", "not_finite")),
        *(("1,5", "not_numeric"), ("1_000", "not_numeric"), ("0x1", "not_numeric")),
    ],
)
def test_case_20_what_is_no_number_is_refused(score: Score, cell: str, reason: str) -> None:
    assert score("rmse", [1, 2], [1, cell]).reason == reason


@pytest.mark.parametrize(
    ("metric", "params", "reason"),
    [
        ("log_loss", {}, "out_of_range"),
        ("roc_auc", {}, None),
        ("gini", {}, None),
        ("roc_auc", {"prediction_range": [0, 1]}, "out_of_range"),
        ("gini", {"prediction_range": [0, 1]}, "out_of_range"),
    ],
)
def test_case_21_the_policy_for_odd_probabilities_is_the_metrics(
    score: Score, metric: str, params: dict[str, object], reason: str | None
) -> None:
    assert score(metric, [0, 1], [0.5, 1.5], **params).reason == reason


def test_case_21_rows_of_classes_are_rescaled_as_on_kaggle_and_must_sum_to_one_where_the_params_say_so(
    score: Score,
) -> None:
    truth = {"a": [1, 0], "b": [0, 1]}
    uneven, even = {"a": [0.5, 0], "b": [0.3, 1]}, {"a": [0.625, 0], "b": [0.375, 1]}
    rescaled = score("multiclass_log_loss", truth, uneven)
    assert rescaled.score == pytest.approx(score("multiclass_log_loss", truth, even).score)
    assert rescaled.score == pytest.approx(-math.log(0.625) / 2)
    zeros = {"a": [0, 0], "b": [0, 1]}
    assert score("multiclass_log_loss", truth, zeros).reason == "rows_not_normalised"
    for strict in ({"row_sum_tolerance": None}, {"row_sum_tolerance": 1e-6}):
        assert score("multiclass_log_loss", truth, uneven, **strict).reason == "rows_not_normalised"
        assert score("multiclass_log_loss", truth, {"a": [0.5, 0], "b": [0.5 + 1e-7, 1]}, **strict).valid


def test_a_certain_error_costs_what_it_costs_on_kaggle(score: Score) -> None:
    truth = {"a": [1], "b": [0]}
    assert score("multiclass_log_loss", truth, {"a": [0], "b": [1]}).score == pytest.approx(
        34.53878, abs=1e-5
    )


def test_quadratic_kappa_counts_the_distance_between_labels(score: Score) -> None:
    """1 and 6 are five apart, though no row has a label between 2 and 6."""
    truth, guess = [1, 2, 6, 6], [1, 2, 6, 1]
    # sum w O = 25; totals 1, 1, 2 and 2, 1, 1: sum w E = (1·1 + 25·1 + 1·2 + 16·1 + 25·4 + 16·2) / 4
    assert score("quadratic_weighted_kappa", truth, guess).score == pytest.approx(1 - 25 / (176 / 4))
    by_index = score("quadratic_weighted_kappa", truth, guess, distance="index").score
    assert by_index == pytest.approx(cohen_kappa_score(truth, guess, weights="quadratic"))


def test_case_22_the_clip_is_part_of_log_loss(score: Score) -> None:
    assert score("log_loss", [1], [0], clip_eps=1e-15).score == pytest.approx(-np.log(1e-15))


@pytest.mark.parametrize(
    ("metric", "truth", "predicted"),
    [
        ("roc_auc", [1, 1], [0.2, 0.4]),
        ("pearson", [1, 2], [3, 3]),
        ("spearman", [1, 1], [3, 4]),
        ("quadratic_weighted_kappa", [1, 1], [1, 1]),
        ("r2", [2, 2], [1, 2]),
        ("rmspe", [0, 0], [1, 2]),
    ],
)
def test_case_23_a_metric_without_a_value_says_so(
    score: Score, metric: str, truth: list[int], predicted: list[float]
) -> None:
    assert score(metric, truth, predicted).reason == "metric_undefined"


def test_case_24_a_column_of_one_class_follows_the_params(score: Score) -> None:
    truth, guess = {"a": [0, 1], "b": [1, 1]}, {"a": [0, 1], "b": [0.1, 0.2]}
    assert score("mean_columnwise_roc_auc", truth, guess).reason == "metric_undefined"
    assert score("mean_columnwise_roc_auc", truth, guess, single_class_value=0.5).score == 0.75


@pytest.mark.parametrize("value", [-1, -2.5])
def test_case_25_rmsle_refuses_what_has_no_logarithm(score: Score, value: float) -> None:
    assert score("rmsle", [1, 2], [1, value]).reason == "out_of_range"
    assert score("rmsle", [1, 2], [1, value], clip_min=0).valid


def test_case_26_smape_of_nothing_and_nothing_is_0(score: Score) -> None:
    assert score("smape", [0, 0], [0, 0]).score == 0
    assert score("smape", [0, 1], [1, 0]).score == 200


@pytest.mark.parametrize(
    ("truth", "guess", "expected"),
    [
        ("a", "x x a", 1 / 3),
        ("a", "a a a", 1),
        ("a b", "a", 1 / 2),
        ("a", "", 0),
        ("", "a", 0),
        ("a", "x y z a", 0),
    ],
)
def test_case_27_map_at_k(score: Score, truth: str, guess: str, expected: float) -> None:
    assert score("map_at_k", [truth, "q"], [guess, "q"], k=3).score == pytest.approx((expected + 1) / 2)


def test_case_28_micro_row_mean_and_macro_f1_are_three_metrics(score: Score) -> None:
    rows = ["a", "a b"], ["a", "b c"]
    assert score("multilabel_micro_f1", *rows).score == 2 * 2 / (2 * 2 + 1)
    assert score("mean_set_f1", *rows).score == (1 + 1 / 2) / 2
    assert score("macro_f1", list("aab"), list("aaa")).score == pytest.approx((4 / 5 + 0) / 2)


def test_case_29_an_empty_text_is_a_text(score: Score) -> None:
    assert score("word_error_rate", ["a b", "c"], ["", "c"]).score == 2 / 3
    assert score("accuracy", ["NA", "", "x"], ["NA", "", "y"]).score == 2 / 3


def test_case_31_no_message_shows_a_value_of_the_answers(score: Score) -> None:
    secret = 73519
    outcomes = [
        score("rmse", {"id": [1, 2], "y": [secret, secret]}, {"id": [1, 3], "y": [1, 2]}),
        score("r2", [secret, secret], [1, 2]),
        score("accuracy", [secret, secret], [1, "x"]),
        score("kendall_tau_ordering", [f"{secret} 1", "1 2"], ["1 2", "1 2"]),
    ]
    assert all(not outcome.valid and str(secret) not in outcome.message for outcome in outcomes)


@pytest.mark.parametrize(
    "cell", ["1", "0 2", "5 -1", "5 0", "5 3 6 1", "9 1 2 1", "1 17", "a 1", "1.5 2", "1,2"]
)
def test_case_32_a_malformed_mask_is_refused(score: Score, cell: str) -> None:
    assert score("mean_dice", ["1 2"], [cell], height=4, width=4).reason == "malformed_rle"


def test_case_32_two_empty_masks_follow_the_params(score: Score) -> None:
    assert score("mean_dice", ["", "1 1"], ["", "1 1"]).score == 1
    assert score("mean_dice", ["", "1 1"], ["", "1 1"], both_empty=0).score == 1 / 2


@pytest.mark.parametrize(
    ("truth", "guess", "reason"),
    [
        ([0, 1], [0, 1.5], "not_a_label"),
        ([0, 1], [0, -1], "label_out_of_set"),
        ([0, 1], [0, 99999], "label_out_of_set"),
        ([0, 1], [0, ""], "nan_prediction"),
        ([0, 1], [0, "b"], "not_numeric"),
        (["a", "b"], ["a", ""], "nan_prediction"),
        (["True", "False"], ["True", "yes"], "not_a_label"),
        ([0, 1], [0, 7], None),
        ([0, -1], [0, -5], None),
        (["True", "False"], ["true", "0"], None),
        (["a", "b"], ["a", "zz"], None),
    ],
)
def test_labels_must_fit_the_answers_type(
    score: Score, truth: list[object], guess: list[object], reason: str | None
) -> None:
    assert score("accuracy", truth, guess).reason == reason


def test_a_mask_column_chooses_the_scored_rows_but_all_are_checked(score: Score) -> None:
    truth = {"y": [1, 2, 3], "seen": ["True", "False", "True"]}
    assert score("mae", truth, [1, 99, 4], mask_column="seen").score == 1 / 2
    assert score("mae", truth, [1, "", 4], mask_column="seen").reason == "nan_prediction"
    assert score("mae", truth, [1, 99, 4], mask_column="seen", mask_keep_value=False).score == 97


def test_blank_answers_are_our_fault_unless_they_are_dropped(score: Score) -> None:
    assert score("mae", [1, "", 3], [1, 2, 5], drop_blank_truth=True).score == 1
    with pytest.raises(GradingError):
        score("mae", [1, "", 3], [1, 2, 5])


def test_the_truth_column_may_have_another_name(score: Score) -> None:
    assert score("mae", {"target": [1, 2]}, {"prediction": [1, 3]}).score == 1 / 2
    params = {"truth_column": "b"}
    assert score("mae", {"a": [9, 9], "b": [1, 2]}, {"prediction": [1, 3]}, **params).score == 1 / 2


def test_params_that_change_nothing_are_named(score: Score) -> None:
    assert score("mae", [1], [1], flavour="plain").notes == ("Params that change nothing here: flavour.",)


def test_columns_of_a_sample_beside_the_answers_are_allowed(tmp_path: Path) -> None:
    answers, submission = tmp_path / "answers.csv", tmp_path / "submission.csv"
    answers.write_text("id,y\n1,1\n2,2\n")
    submission.write_text("id,y,more\n1,1,0\n2,2,0\n")
    case = EvaluationCase(
        metric="mae", answers=answers, submission=submission, id_columns=("id",), target_columns=("y",)
    )
    assert evaluate(case).reason == "unexpected_column"
    (tmp_path / "sample_submission.csv").write_text("id,y,more\n1,0,0\n")
    assert evaluate(case).valid


def test_an_unknown_metric_is_wrong_usage(score: Score) -> None:
    with pytest.raises(UsageError):
        score("no_such_metric", [1], [1])


def test_a_required_param_that_is_missing_is_our_fault(score: Score) -> None:
    with pytest.raises(GradingError):
        score("dice_hausdorff", ["1 1"], ["1 1"])


@pytest.mark.parametrize(
    "cell", ["1e999", "1e308", "9" * 400, "\u0661", "1 2", "\x00", "[" * 5000, "=1+1", "-" * 1000, "nan nan"]
)
@pytest.mark.parametrize(
    "metric",
    ["rmse", "accuracy", "log_loss", "map_at_k", "mean_dice", "voc_map", "pearson", "f1", "mrr_at_k"],
)
def test_hostile_cells_give_an_outcome_never_a_traceback(score: Score, metric: str, cell: str) -> None:
    truth = {"voc_map": ["a 1 0 0 9 9", "b 1 0 0 9 9"], "mean_dice": ["1 1", ""]}.get(metric, [0, 1])
    params = {"list_syntax": "python list literal"} if metric == "mrr_at_k" else {}
    found = score(metric, truth, [cell, truth[1]], **params)
    assert found.valid == (found.score is not None)
