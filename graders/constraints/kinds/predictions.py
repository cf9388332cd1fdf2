"""The form of the predictions: their range, their sign, their decimals."""

import ast
import math
import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, kind, required
from graders.constraints.wording import NUMBER, negated, number

_RANGE = re.compile(
    r"\b(?:between|range|interval|from|to|clip\w*)\W*(?:\w+ ){0,3}?\[?"
    rf"({NUMBER})\]?\s*(?:,|and|to|-)\s*({NUMBER})",
    re.IGNORECASE,
)
_ABOUT_VALUES = re.compile(
    r"\b(?:predict\w*|forecasts?|estimates?|probabilit\w*|scores?|values?|outputs?)\b", re.IGNORECASE
)
_SQUASHING = re.compile(r"^(?:predict_proba|sigmoid|expit|softmax|MinMaxScaler|Sigmoid|Softmax)$")
_CLIPPING = frozenset({"clip", "clamp"})
_NOT_NEGATIVE = re.compile(
    r"\b(?:not|never) (?:be )?negative\b|\bnon-?negative\b|\bno negative\b"
    r"|\b(?:not|never|no) (?:be |fall |go )?(?:below|less than|smaller than) (?:zero|0)\b"
    r"|\bat least (?:zero|0)\b(?!\.\d)",
    re.IGNORECASE,
)
_POSITIVE = re.compile(
    r"\b(?:must|should|have to|has to|need to|shall) be (?:strictly )?positive\b", re.IGNORECASE
)
_DECIMALS = re.compile(r"\b(one|two|three|four|five|six|\d)\s+decimal", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


@kind
def value_range(text: str, facts: Facts) -> KindFinding | None:
    """`Predictions must be between 0 and 1`, `clip probabilities to the range 0.01 to 0.99`."""
    match = _RANGE.search(text)
    if match is None or negated(text) or not _ABOUT_VALUES.search(text):
        return None
    low, high = number(match[1]), number(match[2])
    lines = [
        call.line
        for call in facts.calls
        if call.last in _CLIPPING
        and _has(facts, call, low)
        and _has(facts, call, high)
        and facts.reaches_output(call)
    ]
    if (low, high) == (0, 1):
        lines += [call.line for call in facts.calls if _squashes(facts, call) and facts.reaches_output(call)]
    return required(lines, f"predictions kept between {low:g} and {high:g}")


@kind
def not_negative(text: str, facts: Facts) -> KindFinding | None:
    """`Predictions must not be negative`."""
    positive = bool(_POSITIVE.search(text))
    if not (positive or _NOT_NEGATIVE.search(text)) or not _ABOUT_VALUES.search(text):
        return None
    lines = []
    for call in facts.calls:
        floor = _floor(facts, call)
        if floor is not None and (floor > 0 if positive else floor >= 0) and facts.reaches_output(call):
            lines.append(call.line)
    return required(lines, f"predictions kept {'positive' if positive else 'from being negative'}")


def _floor(facts: Facts, call: Call) -> float | None:
    """The smallest value that the call lets pass; None: any."""
    if call.last in ("abs", "absolute", "relu", "ReLU"):
        return 0.0
    lowest: list[ast.expr | None] = []
    if call.last in ("maximum", "fmax") or call.name == "max":
        lowest = [*call.node.args]
    elif call.last in _CLIPPING:
        of_module = call.name.partition(".")[0] in ("numpy", "torch", "tensorflow", "jax")
        lowest = [facts.argument(call, "lower", "min", "a_min", "lower_bound", position=int(of_module))]
    found = [
        float(value)
        for one in lowest
        for value in facts.values(one, call.scope)
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    return min(found) if found else None


@kind
def decimals(text: str, facts: Facts) -> KindFinding | None:
    """`Two decimal places`."""
    match = _DECIMALS.search(text)
    if match is None or negated(text):
        return None
    wanted = _COUNTS.get(match[1].lower()) or int(match[1])
    rounded = [
        call.line
        for call in facts.calls
        if (call.last in ("round", "around") and _has(facts, call, wanted) and facts.reaches_output(call))
        or (
            f"%.{wanted}f" in facts.texts(facts.argument(call, "float_format", "fmt"), call.scope)
            and facts.influences(call.node)
        )
    ]
    return required(rounded, f"rounding to {wanted} decimals")


def _squashes(facts: Facts, call: Call) -> bool:
    """Its values lie between 0 and 1."""
    activation = facts.values(facts.argument(call, "activation"), call.scope)
    return bool(_SQUASHING.match(call.last)) or bool(activation & {"sigmoid", "softmax"})


def _has(facts: Facts, call: Call, wanted: float) -> bool:
    return any(math.isclose(value, wanted) for value in _numbers(facts, call))


def _numbers(facts: Facts, call: Call) -> Iterator[float]:
    """Constant numbers among the arguments."""
    for part in (*call.node.args, *(keyword.value for keyword in call.node.keywords)):
        for value in facts.values(part, call.scope):
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield float(value)
