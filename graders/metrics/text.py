"""Text compared with text: truth and prediction are exact strings, never guessed to be missing."""

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein

from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction

_KIND = PredictionKind.TEXT


@metric(
    "mean_levenshtein",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=("levenshtein distance", "mean levenshtein", "edit distance"),
)
def mean_levenshtein(
    truth: list[str],
    predicted: list[str],
    *,
    unit: str = "character",
    normalised: bool = False,
    blank_reads_as: str = "",
) -> float:
    """Mean Levenshtein distance: unit cost insert, delete, substitute, over Unicode code points or words.

    `unit` is "character" or "word"; `normalised` divides each row by the longer length. A blank cell is the
    empty text; `blank_reads_as` is what another parser makes of it (pandas: "nan"). Source: Kaggle,
    Bristol-Myers Squibb; rapidfuzz.
    """
    distances = []
    for true, guess in zip(_read(truth, blank_reads_as), _read(predicted, blank_reads_as), strict=True):
        a, b = (true, guess) if unit == "character" else (true.split(), guess.split())
        longest = max(len(a), len(b)) if normalised else 1
        distances.append(Levenshtein.distance(a, b) / (longest or 1))
    return float(np.mean(distances))


def _read(cells: Sequence[str], blank: str) -> list[str]:
    return [cell or blank for cell in cells]


@metric(
    "normalized_edit_distance",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=(
        "normalized levenshtein distance",
        "normalized edit distance",
        "token error rate",
        "levenshtein distance ... divided by the total number",
        "edit distance ... divided by the number of",
        "levenshtein distance ... divided by the length",
    ),
)
def normalized_edit_distance(
    truth: list[str], predicted: list[str], *, unit: str = "token", denominator: str = "total truth tokens"
) -> float:
    """Normalized edit distance: sum of Levenshtein distances over the number of true tokens; can exceed 1.

    Cells are integer tokens between white space; anything else is malformed_list, an empty one
    empty_prediction. Source: Kaggle, Multi-modal Gesture Recognition; rapidfuzz.
    """
    del unit, denominator  # the definition in words; there is one
    rows = [(true.split(), guess.split()) for true, guess in zip(truth, predicted, strict=True)]
    empty = sum(not guess for _, guess in rows)
    if empty:
        raise InvalidPredictionError("empty_prediction", f"{empty} of {len(rows)} sequences are empty.")
    odd = sum(not all(token.lstrip("-").isdecimal() for token in guess) for _, guess in rows)
    if odd:
        raise InvalidPredictionError(
            "malformed_list", f"{odd} of {len(rows)} cells are no lists of integers."
        )
    return _error_rate(rows)


def _error_rate(rows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> float:
    total = sum(len(true) for true, _ in rows)
    if not total:
        raise UndefinedScoreError("The edit distance has no value: the truth is empty.")
    return sum(Levenshtein.distance(true, guess) for true, guess in rows) / total


@metric(
    "word_error_rate",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=("word error rate", "wer"),
)
def word_error_rate(truth: list[str], predicted: list[str]) -> float:
    """Word error rate: sum of word-level Levenshtein distances over the total number of true words.

    Source: NIST sclite; rapidfuzz.
    """
    return _error_rate([(true.split(), guess.split()) for true, guess in zip(truth, predicted, strict=True)])


@metric(
    "character_error_rate",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=("character error rate", "cer"),
)
def character_error_rate(truth: list[str], predicted: list[str]) -> float:
    """Character error rate: sum of Levenshtein distances over the total number of true characters.

    Source: NIST sclite; rapidfuzz.
    """
    return _error_rate(list(zip(truth, predicted, strict=True)))


@metric(
    "word_jaccard",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=_KIND,
    aliases=("jaccard",),
)
def word_jaccard(
    frame: Frame,
    *,
    lowercase: bool = True,
    both_empty: float | str = 1,
    blank_reads_as: str = "",
) -> float:
    """Word-level Jaccard: mean over rows of |A and B| / |A or B| of the sets of words between white space.

    A blank cell reads as `blank_reads_as`. Both sets empty scores `both_empty`; "error" makes the score
    undefined. Source: Kaggle, Tweet Sentiment Extraction.
    """
    truth, predicted = frame.texts()
    scores = []
    for true, guess in zip(_read(truth, blank_reads_as), _read(predicted, blank_reads_as), strict=True):
        a, b = (set((text.lower() if lowercase else text).split()) for text in (true, guess))
        if not a and not b and isinstance(both_empty, str):
            raise UndefinedScoreError("Jaccard has no value: a row is empty on both sides.")
        scores.append(len(a & b) / len(a | b) if a or b else float(both_empty))
    return float(np.mean(scores))


@metric(
    "rouge_l",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=_KIND,
    aliases=("rouge-l", "rougel"),
)
def rouge_l(truth: list[str], predicted: list[str]) -> float:
    """ROUGE-L: mean over rows of the F1 of the longest common subsequence of lower-cased words.

    An empty side scores 0, two empty sides 1. Source: Lin 2004; words are those between white space.
    """
    scores = []
    for true, guess in zip(truth, predicted, strict=True):
        a, b = true.lower().split(), guess.lower().split()
        common = (len(a) + len(b) - Levenshtein.distance(a, b, weights=(1, 1, 2))) / 2
        scores.append(2 * common / (len(a) + len(b)) if a or b else 1.0)
    return float(np.mean(scores))
