"""Ranked lists: one list per row, best guess first."""

import ast
import json
import math
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graders.metrics.frame import Frame, refuse_all_blank
from graders.metrics.hits import average_precisions, plain
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from graders.submission.table import SubmissionTable
from schema.metric import Direction

_KIND = PredictionKind.RANKING
_SHARE = (0, 1)
_LONGEST_LITERAL = 1_000_000
_HITS_FOUND = "number of hits found"


@metric(
    "map_at_k",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "map@k",
        "mean average precision at k",
        "mean average precision @ k",
        "mean average precision at cutoff k",
        "map at k",
        "map@{k}",
        "map at {k}",
        "mean average precision @ {k}",
        "mean average precision at {k}",
        "mean average precision cut off at {k}",
        "mean average precision at cutoff {k}",
        "mean average precision of the top {k}",
        "mean average precision ... map@{k}",
        "mapk!",
        "mean average precision ... @{k}",
    ),
)
def map_at_k(
    frame: Frame,
    *,
    k: int = 5,
    truncate: bool = True,
    duplicates: str = "skip",
    denominator: str = "min(k, truths)",
    exactly_k_per_line: bool = False,
    flag_field: str | None = None,
) -> float:
    """Mean average precision at k: per row sum over hits at place i of hits so far / i, over min(k, truths).

    Lists are words between white space, or between commas with `exactly_k_per_line`, which refuses any other
    length. Only the first k guesses count unless `truncate` is false. `duplicates` "skip": a repeated guess
    keeps its place but hits once; "count": it hits again. `denominator` "number of hits found" divides by the
    hits instead. A row without hits, guesses or truths is 0; a file of blank rows only is refused. Rows whose
    `flag_field` in the answers is not 1 (blank is 1) are left out. Source: Kaggle, `ml_metrics.mapk`; AQA,
    KDD Cup 2024.
    """
    if truncate and duplicates == "skip" and denominator != _HITS_FOUND and not exactly_k_per_line:
        quick = _plain_columns(frame)
        if quick and (flag_field is None or flag_field not in frame.answers.names):
            return float(np.mean(average_precisions(*quick, frame.order, k)))
    truth, predicted = frame.texts()
    refuse_all_blank(predicted)
    lists = _exact_lists(predicted, k) if exactly_k_per_line else [cell.split() for cell in predicted]
    by_hits, again = denominator == _HITS_FOUND, duplicates == "count" or exactly_k_per_line
    flags = _flags(frame, flag_field, len(truth))
    scores = []
    for cell, guesses, flag in zip(truth, lists, flags, strict=True):
        if flag:
            relevant = true_items(cell)
            hits = _hits(relevant, guesses[:k] if truncate else guesses, again=again)
            full = len(hits) if by_hits else min(k, len(relevant))
            scores.append(sum((n + 1) / place for n, place in enumerate(hits)) / full if hits else 0.0)
    return float(np.mean(scores))


def _plain_columns(frame: Frame) -> tuple[pa.Array, pa.Array] | None:
    """Both columns as they lie in the files, if neither holds a blank cell, odd white space or JSON."""
    if frame.keep is not None:
        return None
    truth, predicted = frame.answers.text(frame.truth), frame.submission.text(frame.target)
    if not plain(truth) or not plain(predicted) or pc.any(pc.starts_with(truth, "[")).as_py():
        return None
    return truth, predicted


def true_items(cell: str) -> set[str]:
    """The relevant items of an answer cell: a JSON list or words between white space."""
    if cell.lstrip().startswith("["):
        return {str(item) for item in json.loads(cell)}
    return set(cell.split())


def _hits(relevant: set[str], guesses: Sequence[str], *, again: bool) -> list[int]:
    """The places (from 1) at which a relevant item stands, repeats only if they count again."""
    places, seen = [], set[str]()
    for place, guess in enumerate(guesses, start=1):
        if guess in relevant and (again or guess not in seen):
            places.append(place)
            seen.add(guess)
    return places


def _exact_lists(cells: list[str], k: int) -> list[list[str]]:
    lists = [[item.strip() for item in cell.split(",")] for cell in cells]
    wrong = sum(len(items) != k or not all(items) for items in lists)
    if wrong:
        raise InvalidPredictionError(
            "malformed_list", f"{wrong} of {len(lists)} lines do not list {k} items."
        )
    return lists


def _flags(frame: Frame, name: str | None, rows: int) -> list[bool]:
    if name is None or name not in frame.answers.names:
        return [True] * rows
    return [str(cell).strip() in {"", "1", "1.0", "true", "True"} for cell in frame.answer_texts(name)]


@metric(
    "mrr_at_k",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=("mrr@k", "mean reciprocal rank", "mrr@{k}", "mrr!", "mean reciprocal rank ... mrr@{k}"),
)
def mrr_at_k(frame: Frame, *, k: int = 100, list_syntax: str = "words") -> float:
    """Mean reciprocal rank at k: mean over rows of 1 / place of the first true item in the first k, or 0.

    `list_syntax` "python list literal" reads cells such as `['a', 'b']`, anything else words between white
    space; a cell that is no list is refused. Source: KDD Cup 2023.
    """
    truth, predicted = frame.texts()
    literal = "literal" in list_syntax
    lists = _literal_lists(predicted) if literal else [cell.split() for cell in predicted]
    scores = []
    for cell, guesses in zip(truth, lists, strict=True):
        hits = _hits({cell} if literal else true_items(cell), guesses[:k], again=False)
        scores.append(1 / hits[0] if hits else 0.0)
    return float(np.mean(scores))


def _literal_lists(cells: list[str]) -> list[list[str]]:
    lists = [_literal(cell) for cell in cells]
    wrong = sum(items is None for items in lists)
    if wrong:
        raise InvalidPredictionError("malformed_list", f"{wrong} of {len(lists)} cells are no lists.")
    return [items or [] for items in lists]


def _literal(cell: str) -> list[str] | None:
    if len(cell) > _LONGEST_LITERAL:
        return None
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return [str(item) for item in value] if isinstance(value, list | tuple) else None


@metric(
    "ndcg_at_k",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=(
        "ndcg@k",
        "normalized discounted cumulative gain",
        "ndcg!",
        "ndcg@{k}",
        "ndcg at {k}",
        "normalized discounted cumulative gain ... ndcg@{k}",
    ),
)
def ndcg_at_k(frame: Frame, *, k: int = 5, long_format: bool = False, relevance: str = "binary") -> float:
    """NDCG at k with binary relevance: per id sum over hits of 1 / log2(place + 1), over the best sum.

    `long_format`: one guess per row, the file's order within an id is the ranking, at most k rows per id;
    otherwise a list of words per row, cut at k. A repeated guess keeps its place but hits once; blank guesses
    are refused. The score is the mean over the ids of the answers. Source: Kaggle, Airbnb New User Bookings.
    """
    del relevance  # the definition in words; graded relevance needs another metric
    pairs = _long_lists(frame, k) if long_format else zip(*frame.lists(), strict=True)
    scores = []
    for relevant, guesses in pairs:
        best = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(relevant))) + 1))
        hits = _hits(set(relevant), guesses[:k], again=False)
        scores.append(sum(1 / math.log2(place + 1) for place in hits) / best if best else 0.0)
    return float(np.mean(scores))


def _long_lists(frame: Frame, k: int) -> list[tuple[list[str], list[str]]]:
    guesses = grouped(frame.submission, frame.id_columns[0], frame.target)
    if any(not guess.strip() for items in guesses.values() for guess in items):
        raise InvalidPredictionError("nan_prediction", "Some guesses are empty.")
    long = sum(len(items) > k for items in guesses.values())
    if long:
        raise InvalidPredictionError("too_many_items", f"{long} ids have more than {k} guesses.")
    truth = grouped(frame.answers, frame.id_columns[0], frame.truth)
    return [(items, guesses.get(name, [])) for name, items in truth.items()]


def grouped(table: SubmissionTable, id_column: str, column: str) -> dict[str, list[str]]:
    """The cells of a column by id, in file order."""
    groups: dict[str, list[str]] = {}
    for name, cell in zip(table.texts(id_column), table.texts(column), strict=True):
        groups.setdefault(name, []).append(cell)
    return groups


@metric(
    "recall_at_k",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=("recall@k", "recall at k", "hit rate at k", "recall@{k}", "recall at {k}", "hit@{k}"),
)
def recall_at_k(truth: list[list[str]], predicted: list[list[str]], *, k: int = 20) -> float:
    """Recall at k: mean over rows of the share of true items among the first k guesses; 0 without true items.

    Source: Manning et al., Introduction to Information Retrieval, 8.4.
    """
    return _row_mean(
        truth, predicted, lambda true, guess: len(true & set(guess[:k])) / len(true) if true else 0.0
    )


@metric(
    "top_k_accuracy",
    Direction.MAXIMIZE,
    bounds=_SHARE,
    kind=_KIND,
    aliases=("top-k accuracy", "top-{k} accuracy"),
)
def top_k_accuracy(truth: list[list[str]], predicted: list[list[str]], *, k: int = 5) -> float:
    """Top-k accuracy: share of rows with a true item among the first k guesses.

    Source: scikit-learn `top_k_accuracy_score`.
    """
    return _row_mean(truth, predicted, lambda true, guess: float(bool(true & set(guess[:k]))))


def _row_mean(
    truth: list[list[str]], predicted: list[list[str]], score: Callable[[set[str], list[str]], float]
) -> float:
    return float(np.mean([score(set(true), guess) for true, guess in zip(truth, predicted, strict=True)]))


@metric(
    "kendall_tau_ordering",
    Direction.MAXIMIZE,
    bounds=(-1, 1),
    kind=_KIND,
    aliases=("kendall tau", "kendall rank correlation"),
)
def kendall_tau_ordering(truth: list[list[str]], predicted: list[list[str]]) -> float:
    """Pooled Kendall tau of orderings: 1 - 4 sum S_i / sum n_i (n_i - 1), S_i the inversions of row i.

    Each predicted list must be a permutation of the true one (not_a_permutation). Undefined when no row has
    two items. Source: Kaggle, AI4Code.
    """
    wrong = sum(sorted(true) != sorted(guess) for true, guess in zip(truth, predicted, strict=True))
    blank = sum(not guess for guess in predicted)
    if blank:
        raise InvalidPredictionError("nan_prediction", f"{blank} of {len(truth)} orderings are empty.")
    if wrong:
        raise InvalidPredictionError(
            "not_a_permutation", f"{wrong} of {len(truth)} orderings are no permutation."
        )
    pairs = sum(len(true) * (len(true) - 1) for true in truth)
    if not pairs:
        raise UndefinedScoreError("Kendall's tau has no value: no row has two items.")
    return 1 - 4 * sum(_inversions(true, guess) for true, guess in zip(truth, predicted, strict=True)) / pairs


def _inversions(true: list[str], guess: list[str]) -> int:
    place = {item: index for index, item in enumerate(true)}
    seen: list[int] = []
    count = 0
    for item in guess:
        count += len(seen) - bisect_left(seen, place[item])
        insort(seen, place[item])
    return count
