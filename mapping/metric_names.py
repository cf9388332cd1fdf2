"""From words to a metric: finds the metrics that a text names, through the catalogue's aliases.

An alias is written as a page would: `root mean squared error`. `mapping.metric_words` says what does not
matter. Three signs mean something:

- `{k}` stands for a number, which becomes the parameter `k`: `map@{k}`;
- ` ... ` stands for up to 60 words between two parts: `roc auc ... averaged over the columns`;
- `!` at the end marks a short name (`map!`) that counts only where its letters are capitals in the text.
"""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from mapping.metric_qualifiers import qualified, turned
from mapping.metric_words import IDLE, Word, words_of
from schema.metric import MetricCatalogue

GAP = 60
"""Most words between two parts of an alias."""


@dataclass(frozen=True, slots=True)
class MetricMatch:
    """A metric named in a text, at `start`..`end`, by an alias."""

    metric_id: str
    """Empty for a metric that the library does not have."""
    params: Mapping[str, object] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    alias: str = ""
    words: int = 0
    """How many words of the alias were matched: its specificity."""
    head_end: int = 0
    """Where the alias's first part ends in the text."""


def resolve(text: str, catalogue: MetricCatalogue, *, stated: bool = False) -> MetricMatch | None:
    """The metric that `text` names as the one to be scored by, or None; one that we lack has the id `""`.

    With `stated`, only names that the words around them say to be the metric; for text about anything.

    A sentence that says what is evaluated or scored goes before others, then the alias with most words, then
    the earlier. Two different metrics that tie in all but position are taken as the first one named.
    """
    cues = [match.span() for match in _CUE.finditer(text)]
    named = [match for match in find_all(text, catalogue) if not _contrasted(match, text)]
    matches = [(_cued(match, cues, text), match) for match in named]
    matches = [(cued, match) for cued, match in matches if cued or not stated]
    best = min(matches, key=lambda one: (-one[0], -one[1].words, one[1].start), default=None)
    return best[1] if best else None


def find_all(text: str, catalogue: MetricCatalogue) -> list[MetricMatch]:
    """Every metric named in `text`, by position; a name inside a longer one is left out."""
    words = words_of(text)
    index = _index(catalogue)
    named = (match for at in range(len(words)) for match in _matches_at(words, at, index))
    found = list(islice(named, _MOST_NAMES))
    found.sort(key=lambda match: (match.start - match.head_end, -match.words, match.start))
    kept: list[MetricMatch] = []
    for match in found:
        if not any(_hides(other, match) for other in kept):
            kept.append(match)
    return sorted(kept, key=lambda match: match.start)


_MOST_NAMES = 1000
"""Names that are read in one text at most."""


def _hides(longer: MetricMatch, match: MetricMatch) -> bool:
    """Whether `match` is a part of `longer`: its first words lie within a longer name, or all of it does.

    Of two names that begin together the one with more words counts, wherever its later parts stand.
    """
    if longer.start == match.start:
        return longer.words >= match.words
    if longer.start <= match.start and match.head_end <= longer.head_end:
        return (match.head_end - match.start) < (
            longer.head_end - longer.start
        ) or longer.words >= match.words
    return longer.start <= match.start and match.end <= longer.end and longer.words > match.words


_CUE = re.compile(
    r"\b(?:evaluated|scored|judged|ranked|measured|assessed|graded)\b(?! manually)"
    r"|\b(?:evaluation|scoring|competition|official|primary|main)(?: \w+)? (?:metric|measure|criterion)\b"
    r"|\bmetric\b[^.\n]{0,60}?\b(?:is|are|will be|used)\b|\b(?:is|as|use) (?:the|our|a)(?: \w+)? metric\b"
    r"|\bscore is (?:the|calculated|computed|defined)\b|\bperformance evaluation\b|\bwe (?:use"
    r"|evaluate|measure)\b"
    r"|\b(?:primary|main|final|official) score\b"
    r"|\b(?:ha(?:s|ve)|with|achiev\w+) the (?:low|high|small|larg|b)est\b"
    r"|(?:评价|评测|评估|评分)(?:指标|标准|方案|方式)|采用|使用",
    re.IGNORECASE,
)
_REACH = 260
"""How many characters after a cue still belong to it, within its paragraph."""
_AT_ONCE = re.compile(r"(?:[\s*_\[`:]+[a-z]+){0,4}[\s*_\[`:\"“]*")
"""At most four small words between a cue and the name that it introduces."""
_CONTRAST = re.compile(
    r"(?:\b(?:equivalent|similar|analogous|identical|comparable|related|akin) to"
    r"|\binstead of|\brather than|\bunlike|\bas opposed to|\bnot|\bcompared (?:to|with)"
    r"|\bsecondary (?:score|metric|measure) (?:is|will be|being))"
    r"[\s*_\[`]+(?:(?:the|an?|by|on|using|mean)[\s*_\[`]+){0,2}$|\d\s*[-−–*/]\s*$",
    re.IGNORECASE,
)
"""What stands before a name that is only mentioned, or is but a term of a formula (`1 - MAPE`)."""


def _contrasted(match: MetricMatch, text: str) -> bool:
    return bool(_CONTRAST.search(text[max(0, match.start - 80) : match.start]))


def _cued(match: MetricMatch, cues: list[tuple[int, int]], text: str) -> int:
    """3: named right after a cue; 2: in its sentence; 1: in its paragraph; 0: elsewhere."""
    best = 0
    for start, end in cues[
        bisect(cues, (match.start - 2 * _REACH, 0)) : bisect(cues, (match.start + _REACH, 0))
    ]:
        near, far = sorted((start, match.start))
        between = text[near:far]
        if "\n\n" in between or far - end > _REACH:
            continue
        at_once = end <= match.start and _AT_ONCE.fullmatch(text, end, match.start)
        best = max(best, 1 if re.search(r"[.!?]\s", between) else 3 if at_once else 2)
    return best


@dataclass(frozen=True, slots=True)
class _Alias:
    metric_id: str
    written: str
    parts: tuple[tuple[str, ...], ...]
    capital: bool

    @property
    def words(self) -> int:
        return sum(len(part) for part in self.parts)


@lru_cache(maxsize=8)
def _index(catalogue: MetricCatalogue) -> Mapping[str, tuple[_Alias, ...]]:
    """Aliases by their first word, the most specific first."""
    index: dict[str, list[_Alias]] = defaultdict(list)
    for facts in catalogue:
        for written in {*facts.aliases, facts.metric_id.replace("_", " ")}:
            alias = _alias(facts.metric_id, written)
            if alias.parts and alias.parts[0]:
                index[alias.parts[0][0]].append(alias)
    for written in OTHER_METRICS:
        alias = _alias("", written)
        index[alias.parts[0][0]].append(alias)
    return {word: tuple(sorted(aliases, key=_order)) for word, aliases in index.items()}


def _order(alias: _Alias) -> tuple[int, bool, str, str]:
    """The most specific first; of equals one of the library."""
    return -alias.words, not alias.metric_id, alias.metric_id, alias.written


def _alias(metric_id: str, written: str) -> _Alias:
    parts: list[list[str]] = [[]]
    for word in words_of(written.removesuffix("!")):
        if word.text == "...":
            parts.append([])
        elif word.text not in IDLE:
            parts[-1].append(word.text)
    return _Alias(metric_id, written, tuple(tuple(part) for part in parts if part), written.endswith("!"))


def _matches_at(words: list[Word], at: int, index: Mapping[str, tuple[_Alias, ...]]) -> Iterator[MetricMatch]:
    """Every alias that begins at a word, unless a word before it makes another metric of it."""
    if qualified(words, at):
        # "weighted RMSE" is not RMSE; where the library has it, its alias begins one word earlier.
        return
    for alias in index.get(words[at].text, ()):
        if alias.capital and not words[at].capital:
            continue
        params: dict[str, object] = {}
        end = head_end = _part_end(words, at, alias.parts[0], params)
        for part in alias.parts[1:]:
            end = _later_end(words, end, part, params) if end is not None else None
        if end is not None and head_end is not None and not turned(words, head_end):
            start, stop = words[at].start, words[end - 1].end
            head = words[head_end - 1].end
            yield MetricMatch(alias.metric_id, params, start, stop, alias.written, alias.words, head)


def _part_end(words: list[Word], at: int, part: Iterable[str], params: dict[str, object]) -> int | None:
    begin = at
    for expected in part:
        while begin < at < len(words) and words[at].idle and words[at].text != expected:
            at += 1
        if at >= len(words):
            return None
        actual = words[at].text
        if expected.startswith("{"):
            number = _number(actual)
            if number is None:
                return None
            params[expected.strip("{}")] = number
        elif actual != expected:
            return None
        at += 1
    return at


def _later_end(words: list[Word], begin: int, part: tuple[str, ...], params: dict[str, object]) -> int | None:
    for at in range(begin, min(begin + GAP, len(words))):
        end = _part_end(words, at, part, params)
        if end is not None:
            return end
    return None


def _number(word: str) -> int | float | None:
    if not word[0].isdigit():
        return None
    return float(word) if "." in word else int(word)


OTHER_METRICS: tuple[str, ...] = (
    "f{beta}",
    "f-beta",
    "fβ",
    "mean average precision",
    "mean column-wise log loss",
    "column-wise log loss",
    "global average precision",
    "gap!",
    "gini stability",
    "sharpe ratio",
    "sortino ratio",
    "information coefficient",
    "utility score",
    "concordance index",
    "c-index",
    "fréchet inception distance",
    "frechet inception distance",
    "fid!",
    "mifid",
    "inception score",
    "cosine similarity",
    "signal-to-distortion ratio",
    "signal-to-noise ratio",
    "psnr!",
    "ssim!",
    "approximate median significance",
    "ams!",
    "earth mover's distance",
    "wasserstein distance",
    "hinge loss",
    "explained variance",
    "intersection over union",
    "mean iou",
    "miou",
    "mean reciprocal rank ... weighted",
    "skill rating",
    "elo rating",
    "trueskill",
    "meteor!",
    "cider!",
    "perplexity",
    "pass@{k}",
    "template modeling score",
    "tm-score",
    "average displacement error",
    "top-{k} error",
    "top-{k} classification error",
)
