"""What the words around a quote say: which way is better, which day, or that they command the reader."""

import re
from datetime import datetime

from schema.metric import Direction

_FIELD = (
    "metric|metric[_ ]id|direction|modality|domain|task[_ ]type|target[_ ]columns?|output[_ ]format|deadline"
    "|license|control|goal[_ ]description"
)
_MACHINE = "ai|llms?|language models?|chatbots?|bots?|assistants?|automated|automatic|crawlers?|scrapers?"
_COMMANDS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}"
    r"\b(?:instructions?|prompts?|rules above|previous|prior)\b"
    r"|\b(?:set|change|put|write|fill|report|return|answer|record)\s+(?:in\s+)?(?:the\s+|your\s+)?"
    rf"(?:fields?\s+|value of (?:the )?)?\W?(?:{_FIELD})\b\W?\s*(?:field\s+)?(?:\b(?:to|as|with)\b|=|:)"
    rf"|\b(?:note|notice|message|instructions?|attention)\b[^.\n]{{0,20}}\b(?:{_MACHINE})\b"
    r"|\b(?:if|as|when|since) you(?:'re| are) an? (?:ai|llm|large|language model|assistant|bot)\b"
    r"|\bsystem prompt\b|^[^\w\n]*(?:system|assistant|developer)\s*:"
    r"|\b(?:metric_id|task_type|goal_description|output_format)\b\W{1,4}\w",
    re.IGNORECASE | re.MULTILINE,
)


def commands_reader(text: str) -> bool:
    """Whether a text tells whoever reads it what to put down; such text is evidence of nothing."""
    return bool(_COMMANDS.search(text))


def line_around(text: str, start: int, end: int) -> str:
    """The whole lines that `start` to `end` stand in."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return text[first : last if last >= 0 else len(text)]


_LESS = r"less|fewer|lower|smaller|lowest|smallest|least|minimal"
_MORE = r"more|higher|larger|highest|largest|greater|greatest|bigger|maximal"
_GOOD = r"better|best|wins?|winning|preferred|desired"


def _better(words: str) -> str:
    return rf"\b(?:{words})\b[^.\n]{{0,40}}\b(?:{_GOOD})\b|\b(?:{_GOOD})\b[^.\n]{{0,40}}\b(?:{words})\b"


_MINIMIZE = re.compile(rf"{_better(_LESS)}|\bminimi[sz]\w*|越[小低少]越好", re.IGNORECASE)
_MAXIMIZE = re.compile(rf"{_better(_MORE)}|\bmaximi[sz]\w*|越[大高多]越好", re.IGNORECASE)


def direction_in(text: str) -> Direction | None:
    """The direction that a text states in so many words; None where it states none, or both."""
    lower, higher = bool(_MINIMIZE.search(text)), bool(_MAXIMIZE.search(text))
    if lower == higher:
        return None
    return Direction.MINIMIZE if lower else Direction.MAXIMIZE


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def day_in(text: str, day: datetime) -> bool:
    """Whether a text names this day: its year, its month as a word or a number, and its day of the month."""
    numbers = [int(number) for number in re.findall(r"(?<!\d)\d{1,4}(?!\d)", text)]
    if day.year not in numbers or day.day not in numbers:
        return False
    named = re.search(rf"(?<![a-z]){_MONTHS[day.month - 1]}", text, re.IGNORECASE) is not None
    numbers.remove(day.day)
    return named or day.month in numbers
