"""Free text to metric ids, through the metric library's own aliases."""

import pytest

from graders.metrics import catalogue
from mapping.metric_names import find_all, resolve
from schema.metric import Direction, MetricCatalogue, MetricFacts

CATALOGUE = catalogue()


@pytest.mark.parametrize(
    ("text", "metric_id"),
    [
        ("Submissions are evaluated using the RMSE between predicted and observed values.", "rmse"),
        ("Entries are scored on the root-mean-squared error.", "rmse"),
        ("The metric is the root mean squared logarithmic error (RMSLE).", "rmsle"),
        ("We use mean column-wise root mean squared error.", "mean_columnwise_rmse"),
        ("Evaluation: mean absolute error (MAE), in minutes.", "mae"),
        ("Scored by the weighted mean absolute error (WMAE).", "weighted_mae"),
        ("Scored on root mean squared error. Compared to the mean absolute error, it punishes.", "rmse"),
        ("Ranking is by the **median absolute error**.", "median_absolute_error"),
        ("The score is the symmetric mean absolute percentage error.", "smape"),
        ("Submissions are evaluated on $R^2$, the coefficient of determination.", "r2"),
        ("The metric is R².", "r2"),
        ("scored by the [area under the ROC curve](https://example.org/log_loss)", "roc_auc"),
        ("evaluated on AUC", "roc_auc"),
        (
            "evaluated on the area under the ROC curve; the score is the average of the individual AUCs.",
            "mean_columnwise_roc_auc",
        ),
        ("scored with the multi-class logarithmic loss", "multiclass_log_loss"),
        (
            "evaluated on a balanced logarithmic loss. You submit a probability for each class.",
            "balanced_log_loss",
        ),
        ("scored by the log loss", "log_loss"),
        ("evaluated by macro-averaged F1", "macro_f1"),
        ("We report Macro-F1: F1 for each class, averaged.", "macro_f1"),
        ("scored on the mean F1 score, calculated for every row", "mean_set_f1"),
        ("evaluated on the F1 score of the positive class", "f1"),
        ("scored by the quadratic weighted kappa", "quadratic_weighted_kappa"),
        ("Categorization accuracy decides the ranking.", "accuracy"),
        ("Teams are ranked by Matthews correlation coefficient.", "matthews_corrcoef"),
        ("scored by Spearman's rank correlation", "spearman"),
        ("evaluated on the Pearson correlation coefficient", "pearson"),
        ("The metric is the Kullback-Leibler divergence.", "kl_divergence"),
        ("The normalised Gini coefficient is computed.", "normalized_gini"),
        ("evaluated on the mean Levenshtein distance", "mean_levenshtein"),
        ("the metric is the word-level Jaccard score", "word_jaccard"),
        ("evaluated on the mean Dice coefficient of the masks", "mean_dice"),
        ("evaluated on the global Dice coefficient", "global_dice"),
        (
            "mean average precision at different intersection over union of bounding boxes",
            "box_threshold_precision",
        ),
        ("evaluated on a micro-averaged F1 score of predicted character spans", "span_character_micro_f1"),
        ("scored by the label-weighted label-ranking average precision", "lwlrap"),
    ],
)
def test_a_metric_is_found_by_its_words(text: str, metric_id: str) -> None:
    match = resolve(text, CATALOGUE)
    assert match is not None
    assert match.metric_id == metric_id


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Entries are ranked by a composite of seven partial scores.",
        "The map shows all stations, and the recall of faulty cars is noted.",
        "You may use a graph of the metrics.",
        "Teams are ranked by weighted RMSE.",
        "Scored by the top-5 error rate and pixel accuracy.",
        "Scored by mean squared log error.",
    ],
)
def test_text_without_a_metric_of_ours_gives_no_id(text: str) -> None:
    match = resolve(text, CATALOGUE)
    assert match is None or match.metric_id == ""


@pytest.mark.parametrize(
    ("text", "metric_id"),
    [
        ("Scored by the Sharpe ratio; unlike accuracy, it rewards calm.", ""),
        ("Scored by the mean F2 score. The F score is 1 at best.", ""),
        ("Scored by the mean average precision.", ""),
        ("Scored by MAP@7, the mean average precision at 7.", "map_at_k"),
        ("Evaluated on the Brier score, which is equivalent to the mean squared error.", "brier_score"),
        ("Score = 100 * (1 - MAPE).", None),
        ("采用 Macro-F1 作为评价指标", "macro_f1"),
        ("使用均方根误差作为评测指标", "rmse"),
        ("Scored by mean Average Precision (mAP) at an IoU of 0.5.", "voc_map"),
        ("Scored by the mean row-wise root mean squared error.", None),
        ("Scored by the macro-averaged mean absolute error.", None),
        ("Scored by the AUC ratio of two halves.", None),
        ("We evaluate with Recall@100.", "recall_at_k"),
        ("Scored by the top-3 accuracy.", "top_k_accuracy"),
        ("评估指标为 AUC", "roc_auc"),
    ],
)
def test_what_stands_beside_the_metric_is_not_taken_for_it(text: str, metric_id: str | None) -> None:
    match = resolve(text, CATALOGUE)
    assert (match.metric_id if match else None) == metric_id


@pytest.mark.parametrize(
    ("text", "metric_id", "k"),
    [
        ("evaluated by Mean Average Precision @ 5 (MAP@5)", "map_at_k", 5),
        ("scored with MAP@12", "map_at_k", 12),
        ("The metric is NDCG@10.", "ndcg_at_k", 10),
        ("Entries are scored by MRR@100 over all sessions.", "mrr_at_k", 100),
    ],
)
def test_the_cut_off_is_read_as_a_parameter(text: str, metric_id: str, k: int) -> None:
    match = resolve(text, CATALOGUE)
    assert match is not None
    assert (match.metric_id, match.params) == (metric_id, {"k": k})


def test_a_longer_name_hides_the_shorter_one_inside_it() -> None:
    found = find_all("root mean squared logarithmic error", CATALOGUE)
    assert [match.metric_id for match in found] == ["rmsle"]


def test_a_name_in_the_sentence_of_the_evaluation_goes_before_a_longer_one_elsewhere() -> None:
    text = "Baselines had a root mean squared logarithmic error of 0.4.\n\nSubmissions are evaluated on MAE."
    match = resolve(text, CATALOGUE)
    assert match is not None
    assert match.metric_id == "mae"


def test_only_stated_metrics_count_where_asked() -> None:
    text = "The columns F1 to F28 are sales; accuracy of the clock is 1 s."
    assert resolve(text, CATALOGUE, stated=True) is None


def test_positions_are_those_of_the_text() -> None:
    text = "Scored on **root mean  squared error**, in metres."
    match = resolve(text, CATALOGUE)
    assert match is not None
    assert text[match.start : match.end] == "root mean  squared error"


def test_gaps_and_capitals_in_aliases_mean_what_they_say() -> None:
    facts = (
        MetricFacts("plain", Direction.MAXIMIZE, None, None, "", ("hit rate",)),
        MetricFacts("special", Direction.MAXIMIZE, None, None, "", ("hit rate ... for each user",)),
        MetricFacts("short", Direction.MAXIMIZE, None, None, "", ("map!",)),
    )
    small = MetricCatalogue(facts)
    assert [match.metric_id for match in find_all("the hit rate, taken for each user", small)] == ["special"]
    assert [match.metric_id for match in find_all("the hit rate", small)] == ["plain"]
    assert [match.metric_id for match in find_all("a map, then MAP", small)] == ["short"]


def test_an_alias_of_the_library_names_one_metric_only() -> None:
    owners: dict[str, set[str]] = {}
    for facts in CATALOGUE:
        for alias in facts.aliases:
            owners.setdefault(alias, set()).add(facts.metric_id)
    assert {alias: ids for alias, ids in owners.items() if len(ids) > 1} == {}
