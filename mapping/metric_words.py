"""The words of a text, folded so that a page and an alias that mean the same read the same.

Case, hyphens, Markdown marks, plurals and a few endings (squared/square, logarithmic/log, averaged/mean) do
not matter; nor do articles, "of", and an abbreviation in brackets within a name: "mean Average Precision
(mAP) at an IoU of 0.5". The Chinese names of common metrics read as the English ones.
"""

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word with its place in the text."""

    text: str
    start: int
    end: int
    capital: bool
    idle: bool = False
    """Says nothing between the words of a name: an article, or an abbreviation in brackets."""


IDLE = frozenset({"the", "of", "a", "an"})
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff]+|[\u4e00-\u9fff]+|\d+(?:\.\d+)?|[@%]|\{\w+\}|\.\.\.")
_FOLDS = {
    "squared": "square",
    "squares": "square",
    "logarithmic": "log",
    "logarithm": "log",
    "averaged": "mean",
    "average": "mean",
    "averaging": "mean",
    "avg": "mean",
    "columnwise": "column wise",
    "rowwise": "row wise",
    "multiclass": "multi class",
    "multilabel": "multi label",
    "logloss": "log loss",
    "crossentropy": "cross entropy",
    "normalised": "normalized",
    "centre": "center",
    "percent": "percentage",
    "areas": "area",
    "rocauc": "roc auc",
    "receiver": "roc",
    "matthew": "matthews",
    "mathews": "matthews",
    "liebler": "leibler",
}
_CHINESE = {
    "均方根误差": "root mean square error",
    "均方根对数误差": "root mean square log error",
    "平均绝对误差": "mean absolute error",
    "平均绝对百分比误差": "mean absolute percentage error",
    "均方误差": "mean square error",
    "对数损失": "log loss",
    "准确率": "accuracy",
    "宏平均": "macro",
    "微平均": "micro",
    "平均倒数排名": "mean reciprocal rank",
}
_CHINESE_NAME = re.compile("|".join(sorted(_CHINESE, key=len, reverse=True)))
_UNLIKE_WORDS = re.compile(r"\]\([^)(]{0,500}\)|https?://\S+")
"""A link's address is not read, so that a page's name in it names no metric."""
_BRACKETED = re.compile(r"\(\**[A-Za-z][\w@.-]{1,11}\**\)")
"""An abbreviation in brackets."""


def words_of(text: str) -> list[Word]:
    """The words of `text`, folded, each with its place in `text`."""
    text = _UNLIKE_WORDS.sub(lambda match: " " * len(match.group()), text)
    text = re.sub(r"[’']s\b", "  ", "".join(map(_ascii_digit, text)))
    bracketed = {place for match in _BRACKETED.finditer(text) for place in range(*match.span())}
    words: list[Word] = []
    for match in _WORD.finditer(text):
        raw = match.group()
        if raw[0] >= "\u4e00" and raw[0] <= "\u9fff":
            words.extend(_chinese(raw, match.start()))
            continue
        idle = match.start() in bracketed or raw.lower() in IDLE
        folded = _fold(unicodedata.normalize("NFKC", raw).lower()).split()
        words.extend(Word(part, match.start(), match.end(), raw.isupper(), idle) for part in folded)
    return words


def _chinese(text: str, start: int) -> list[Word]:
    """The English words of the metrics that a run of Chinese names, each at the place of the whole name."""
    return [
        Word(word, start + name.start(), start + name.end(), capital=False)
        for name in _CHINESE_NAME.finditer(text)
        for word in _CHINESE[name.group()].split()
    ]


def _ascii_digit(character: str) -> str:
    """Small raised and lowered digits (R², F₁) as plain ones; always one character."""
    return str(unicodedata.digit(character)) if character.isdigit() and not character.isascii() else character


def _fold(word: str) -> str:
    if word in _FOLDS:
        return _FOLDS[word]
    if word.endswith(("xes", "sses", "shes", "ches")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _FOLDS.get(word, word)
