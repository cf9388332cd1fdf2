"""Words beside a metric's name that make another metric of it.

"Weighted RMSE" is not RMSE, and the stability of a Gini is no Gini. Where the library has the qualified
metric, its alias begins with the qualifier, or goes on beyond the name.
"""

from collections.abc import Sequence

from mapping.metric_words import Word

_BEFORE = frozenset(
    [
        "adjusted",
        "asymmetric",
        "balanced",
        "cumulative",
        "custom",
        "efficient",
        "generalized",
        "geometric",
        "global",
        "harmonic",
        "hierarchical",
        "invariant",
        "macro",
        "micro",
        "modified",
        "normalized",
        "partial",
        "penalized",
        "pixel",
        "relative",
        "robust",
        "root",
        "scaled",
        "smoothed",
        "soft",
        "stratified",
        "total",
        "trimmed",
        "truncated",
        "weighted",
        "wise",
    ]
)
_AFTER = frozenset(["stability", "ratio", "improvement", "reduction", "skill", "difference", "gap"])
_CLOSE = len(" **")
"""Characters between two words of one name at most."""


def qualified(words: Sequence[Word], at: int) -> bool:
    """Whether the name that begins at a word is qualified by those before it, with an average in between."""
    if _stands_before(words, at) and words[at - 1].text == "mean":
        at -= 1
    if not _stands_before(words, at):
        return False
    before = words[at - 1]
    top = at > 1 and words[at - 2].text == "top" and before.text.isdigit() and before.text != "1"
    return before.text in _BEFORE or top


def _stands_before(words: Sequence[Word], at: int) -> bool:
    """Whether a word stands right before the one at `at`."""
    return at > 0 and words[at].start - words[at - 1].end <= _CLOSE


def turned(words: Sequence[Word], end: int) -> bool:
    """Whether the word at `end`, right after a name, makes something else of it."""
    return (
        0 < end < len(words) and words[end].start - words[end - 1].end <= _CLOSE and words[end].text in _AFTER
    )
