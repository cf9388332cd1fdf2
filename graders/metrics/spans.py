"""Spans of text: character or token positions from a start to an end."""

import json
import re

import numpy as np
import pyarrow as pa

from graders.metrics.cells import Booleans
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError
from graders.metrics.registry import Layout, PredictionKind, metric
from graders.submission import RefusedError, SubmissionTable, match_ids
from schema.metric import Direction

_SHARE = (0, 1)
_SPAN = re.compile(r"-?\d+:-?\d+", re.ASCII)
_LONGEST = 1_000_000


@metric(
    "span_character_micro_f1",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.TEXT,
    aliases=(
        "micro-averaged f1 over character spans",
        "span micro f1",
        "character span f1",
        "micro-averaged f1 ... character spans",
        "micro-averaged f1 ... character index",
        "character-level f1 ... spans",
        "micro f1 ... character spans",
        "span character micro f1",
    ),
)
def span_character_micro_f1(
    truth: list[str],
    predicted: list[str],
    *,
    span_end: str = "exclusive",
    separator: str = ";",
    all_empty: float = 1,
) -> float:
    """Micro F1 of character positions: 2 TP / (2 TP + FP + FN) over all rows.

    A cell lists spans `start end` between separators, also inside a Python list of such texts; blank or [] is
    none. Pieces that are not two integers, or whose start is beyond the end, are left out. Everything empty
    scores `all_empty`. Source: Kaggle, NBME - Score Clinical Patient Notes.
    """
    inclusive = span_end == "inclusive"
    hits = all_marked = 0
    for true, guess in zip(truth, predicted, strict=True):
        a, b = (_covered(cell, separator, inclusive=inclusive) for cell in (true, guess))
        hits += int((a[: len(b)] & b[: len(a)]).sum())
        all_marked += int(a.sum() + b.sum())
    return 2 * hits / all_marked if all_marked else all_empty


def _covered(cell: str, separator: str, *, inclusive: bool) -> Booleans:
    spans = []
    for piece in re.split(f"[{re.escape(separator)},]", re.sub(r"[\[\]'\"]", " ", cell)):
        bounds = piece.split()
        if len(bounds) == 2 and all(bound.isdecimal() for bound in bounds):
            start, end = int(bounds[0]), int(bounds[1]) + inclusive
            if start <= end:
                spans.append((start, end))
    longest = max((end for _, end in spans), default=0)
    if longest > _LONGEST:
        raise InvalidPredictionError("malformed_span", f"A span ends beyond position {_LONGEST:,}.")
    marked = np.zeros(longest, dtype=np.bool_)
    for start, end in spans:
        marked[start:end] = True
    return marked


@metric(
    "answer_span_accuracy",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=PredictionKind.TEXT,
    layout=Layout.OWN,
    aliases=(
        "micro f1 over long and short answers",
        "answer span accuracy",
        "micro f1 ... long and short answer",
    ),
)
def answer_span_accuracy(
    frame: Frame, *, averaging: str = "micro over both outcomes, equals accuracy"
) -> float:
    """Answer span accuracy: share of right rows, two per question: `<id>_long`, `<id>_short`.

    A prediction `start:end`, YES or NO is right if it is one of the true answers, a blank one if there is
    none. Long: the first annotation's span unless its start is -1; short: each of its short spans, and its
    YES or NO. Anything else is malformed_span. Source: Kaggle, TensorFlow 2.0 Question Answering (micro F1
    over both outcomes).
    """
    del averaging  # the definition in words; there is one
    answers = _true_answers(frame)
    id_column = frame.id_columns[0]
    known = SubmissionTable(pa.table({id_column: pa.array(answers, pa.string())}))
    match = match_ids(known, frame.submission, [id_column])
    if match.problems:
        raise RefusedError(*match.problems)
    predicted = np.array(frame.predicted_texts(), dtype=np.object_)[match.order]
    wrong = sum(not (_SPAN.fullmatch(cell) or cell in {"", "YES", "NO"}) for cell in predicted)
    if wrong:
        raise InvalidPredictionError(
            "malformed_span", f"{wrong} predictions are no start:end, YES, NO or blank."
        )
    pairs = zip(answers.values(), predicted, strict=True)
    return float(np.mean([cell in true if cell else not true for true, cell in pairs]))


def _true_answers(frame: Frame) -> dict[str, set[str]]:
    answers: dict[str, set[str]] = {}
    cells = frame.answer_texts("annotations")
    for name, cell in zip(frame.ids(), cells, strict=True):
        annotation = json.loads(cell)[0]
        answers[f"{name}_long"] = {_span(annotation["long_answer"])} - {""}
        short = {_span(part) for part in annotation["short_answers"]} - {""}
        yes_no = annotation.get("yes_no_answer", "NONE")
        answers[f"{name}_short"] = short | ({yes_no} if yes_no in {"YES", "NO"} else set())
    return answers


def _span(part: dict[str, int]) -> str:
    return "" if part["start_token"] < 0 else f"{part['start_token']}:{part['end_token']}"
