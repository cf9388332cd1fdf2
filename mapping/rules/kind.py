"""The type of task: from the wording of the pages and from the metric."""

import re
from collections.abc import Sequence

from mapping.evidence import quote
from mapping.rules.document import Document, Found
from mapping.rules.sections import Topic
from schema.evidence import Evidence

# Which type a metric's id speaks for, the first that fits.
_BY_METRIC: Sequence[tuple[str, str]] = (
    (r"map_3d|voc_map|coco_map|box_|point_in_box", "detection"),
    (r"dice|mask|object_f2|mean_iou", "segmentation"),
    (r"at_k|ndcg|mrr|per_query|kendall|rowwise_spearman|rank", "ranking"),
    (r"levenshtein|edit_distance|jaccard|bleu|rouge|answer_span|span_", "sequence prediction"),
    (
        (
            r"auc|log_loss|accuracy|f1|fbeta|kappa|matthews|recall|precision|lwlrap|classification"
            r"|gini|brier|hamming"
        ),
        "classification",
    ),
    (
        r"rms|mae|mse|r2|smape|mape|pearson|spearman|absolute|angular|laplace|position|crps|pinball|mase",
        "regression",
    ),
)
# Wording that says more than the metric does; counted over the goal, the data and the evaluation.
_BY_WORDS: Sequence[tuple[str, str]] = (
    (
        "forecasting",
        (
            r"\bforecast\w*|\bnext \d+ (?:days|weeks|months|hours)|\bfuture (?:sales|demand|values"
            r"|prices)|\btime[- ]series"
        ),
    ),
    ("segmentation", r"\bsegment(?:ation|ing)\b(?! of customers)|\bmasks?\b|run[- ]length|\bpixel[- ]wise"),
    ("detection", r"\bbounding box(?:es)?\b|\bobject detection\b|\blocali[sz](?:e|ation)\b"),
    (
        "generation",
        (
            r"\bgenerat(?:e|ion|ing) (?:text|images|captions|summaries|answers)|\btranslat(?:e"
            r"|ion)\b|\bsummari[sz]ation\b"
        ),
    ),
    ("ranking", r"\brecommend(?:ation|er|ing)?\b|\bretriev(?:e|al)\b|\branked list\b|\bmost relevant\b"),
    (
        "classification",
        (
            r"\bclassif(?:y|ication|ier)\b|\bbinary\b|\bwhether\b|\bprobability (?:that|of)\b"
            r"|\bclass(?:es)?\b|\bcategor(?:y|ies)\b"
        ),
    ),
    (
        "regression",
        (
            r"\bregression\b|\bpredict(?:ing)? the (?:price|amount|value|number|duration|time|age"
            r"|cost|score)\b|\bcontinuous\b"
        ),
    ),
)
# What the words may turn a metric's type into; a classification metric never scores a forecast of numbers.
_MAY_BECOME = {
    "regression": {"forecasting"},
    "classification": {"detection", "segmentation"},
    "sequence prediction": {"generation"},
    "ranking": set[str](),
}
_TIMES = 3
"""Mentions that are needed for the words to overrule the metric."""


def read_kind(
    document: Document,
    metric_id: str | None,
    metric_evidence: Evidence | None,
    goal: Found[str] | None,
) -> Found[str] | None:
    """The type of task: from the metric, else from the goal's words, else from words said twice; or None."""
    counts = _mentions(document)
    by_metric = next(
        (kind for pattern, kind in _BY_METRIC if metric_id and re.search(pattern, metric_id)), None
    )
    if by_metric and metric_evidence:
        for kind, found in counts.items():
            if kind in _MAY_BECOME.get(by_metric, set()) and len(found) >= _TIMES:
                return Found(kind, found[0])
        return Found(
            by_metric, metric_evidence.model_copy(update={"field": "task_type", "rule": "kind of metric"})
        )
    if goal is not None:
        said = (kind for kind, pattern in _BY_WORDS if re.search(pattern, goal.value, re.IGNORECASE))
        if (meant := next(said, None)) is not None:
            rule = "wording of the goal"
            return Found(meant, goal.evidence.model_copy(update={"field": "task_type", "rule": rule}))
    best = max(counts.items(), key=lambda item: len(item[1]), default=None)
    return Found(best[0], best[1][0]) if best and len(best[1]) > 1 else None


def _mentions(document: Document) -> dict[str, list[Evidence]]:
    found: dict[str, list[Evidence]] = {}
    for section in document.of(Topic.GOAL, Topic.DATA, Topic.EVALUATION, Topic.SUBMISSION):
        for kind, pattern in _BY_WORDS:
            for match in re.finditer(pattern, section.text[:20_000], re.IGNORECASE):
                start, end = section.start + match.start(), section.start + match.end()
                found.setdefault(kind, []).append(
                    quote(section.page, start, end, "task_type", "wording of the page")
                )
    return found
