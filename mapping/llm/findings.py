"""A model's reply held against the pages: what stands there is a finding, the rest is dropped and counted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from mapping.evidence import quote
from mapping.llm.context import commands_reader, day_in, direction_in, line_around
from mapping.llm.parts import PagePart, Passage
from mapping.llm.quotes import unlinked
from mapping.llm.reply import Asked, ColumnsSaid, Reply
from mapping.metric_names import resolve
from mapping.rules.document import plain
from mapping.rules.sections import Topic, TopicSection, sections_of
from schema.evidence import Evidence
from schema.metric import MetricCatalogue
from schema.page import Page

MOST_ITEMS = 60
"""Columns, files or constraints of one reply that are looked at."""
LONGEST_VALUE = 2000
"""Characters of a text that becomes a field."""

Value = str | tuple[str, ...] | datetime


class ReplyFault(StrEnum):
    """Why something that the model said is not used."""

    INVENTED = "not in the page"
    COMMAND = "an instruction to the reader"
    UNSUPPORTED = "not what the quote says"
    UNKNOWN = "not one of the values allowed"
    MALFORMED = "not of the form asked for"


@dataclass(frozen=True, slots=True)
class ReplyFinding:
    """A value with the page's words for it."""

    field: Asked
    value: Value
    evidence: tuple[Evidence, ...]
    """Their `field` is still the asked one; settling names the record's."""
    topic: Topic
    """Of the section that the first evidence stands in."""
    named: bool = True
    """Whether the words name the value as what it is; False: a metric that they describe or mention."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Something that the model said and that is not used."""

    field: Asked
    said: str
    fault: ReplyFault


@dataclass(frozen=True, slots=True)
class RepliesRead:
    """Everything that holds of a model's replies, and everything that does not."""

    findings: tuple[ReplyFinding, ...] = ()
    drops: tuple[Drop, ...] = ()

    def of(self, field: Asked) -> ReplyFinding | None:
        """The finding for a field that has one value: in the section that is about it, else the first."""
        found = [finding for finding in self.findings if finding.field is field]
        about = _ABOUT.get(field, ())
        return min(found, key=lambda one: one.topic not in about, default=None)

    def all_of(self, field: Asked) -> tuple[ReplyFinding, ...]:
        """Every finding for a field, in the pages' order, none twice."""
        seen: dict[tuple[str, int], ReplyFinding] = {}
        for finding in self.findings:
            if finding.field is field:
                seen.setdefault((finding.evidence[0].page_sha256, finding.evidence[0].start), finding)
        return tuple(seen.values())

    def joined(self, other: "RepliesRead") -> "RepliesRead":
        """Both, this one first."""
        return RepliesRead((*self.findings, *other.findings), (*self.drops, *other.drops))


_ABOUT = {
    Asked.GOAL: (Topic.GOAL,),
    Asked.METRIC_ID: (Topic.EVALUATION,),
    Asked.METRIC_NAME: (Topic.EVALUATION,),
    Asked.METRIC_FORMULA: (Topic.EVALUATION,),
    Asked.DIRECTION: (Topic.EVALUATION,),
    Asked.TARGET_COLUMNS: (Topic.SUBMISSION, Topic.EVALUATION),
    Asked.ID_COLUMNS: (Topic.SUBMISSION, Topic.EVALUATION),
    Asked.OUTPUT_FORMAT: (Topic.SUBMISSION, Topic.EVALUATION),
    Asked.DEADLINE: (Topic.TIMELINE,),
    Asked.LICENSE: (Topic.LICENSE,),
}
_COPIED = (Asked.GOAL, Asked.METRIC_NAME, Asked.METRIC_FORMULA, Asked.OUTPUT_FORMAT, Asked.LICENSE)
_VERBATIM = (Asked.METRIC_FORMULA, Asked.OUTPUT_FORMAT)
_CLAIMED = (
    Asked.TASK_TYPE,
    Asked.METRIC_ID,
    Asked.DIRECTION,
    Asked.MODALITY,
    Asked.DOMAIN,
    Asked.DEADLINE,
)


def verified(part: PagePart, reply: Reply, catalogue: MetricCatalogue, rule: str) -> RepliesRead:
    """What of one reply stands in the part that the model was shown.

    Args:
        part: what was shown; quotes count only there.
        reply: what the model said.
        catalogue: the metrics whose ids may be named.
        rule: what the evidence says of its origin.
    """
    outcomes = [*_Check(part, reply, catalogue, rule).outcomes()]
    findings = tuple(one for one in outcomes if isinstance(one, ReplyFinding))
    return RepliesRead(findings, tuple(one for one in outcomes if isinstance(one, Drop)))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where words were found."""

    passage: Passage
    start: int
    """In the page."""
    end: int


@dataclass(frozen=True, slots=True)
class _Check:
    """One reply under examination."""

    part: PagePart
    reply: Reply
    catalogue: MetricCatalogue
    rule: str

    def outcomes(self) -> Iterator[ReplyFinding | Drop]:
        for field in Asked:
            said = getattr(self.reply, field)
            if not said:
                continue
            if field in _COPIED:
                yield self._copied(field, said)
            elif field in _CLAIMED:
                yield self._claimed(field, str(said.value), said.quote)
            elif isinstance(said, ColumnsSaid):
                yield self._columns(field, said)
            elif field is Asked.CONSTRAINTS:
                yield from (self._copied(field, text) for text in said[:MOST_ITEMS])
            else:
                yield from self._files(field, said[:MOST_ITEMS])

    def _copied(self, field: Asked, said: str) -> ReplyFinding | Drop:
        """A text whose value is the page's own words."""
        place = self._place(field, said)
        if isinstance(place, Drop):
            return place
        text = place.passage.page.markdown[place.start : min(place.end, place.start + LONGEST_VALUE)]
        return self._finding(field, text.strip() if field in _VERBATIM else plain(unlinked(text)), place)

    def _claimed(self, field: Asked, value: str, words: str) -> ReplyFinding | Drop:
        """A value from a closed list, or a day, that a quote has to bear out."""
        place = self._place(field, words)
        if isinstance(place, Drop):
            return replace(place, said=value)
        line = line_around(place.passage.page.markdown, place.start, place.end)
        if field is Asked.METRIC_ID:
            return self._metric(value, line, place)
        checked = self._borne_out(field, value, line)
        if isinstance(checked, ReplyFault):
            return Drop(field, value, checked)
        return self._finding(field, checked, place)

    def _metric(self, value: str, line: str, place: _Place) -> ReplyFinding | Drop:
        """An id of the library that the line names as the metric, or at least no other metric than it."""
        if value not in self.catalogue:
            return Drop(Asked.METRIC_ID, value, ReplyFault.UNKNOWN)
        match = resolve(line, self.catalogue)
        if match is not None and match.metric_id != value:
            return Drop(Asked.METRIC_ID, value, ReplyFault.UNSUPPORTED)
        finding = self._finding(Asked.METRIC_ID, value, place)
        about = finding.topic in _ABOUT[Asked.METRIC_ID] or resolve(line, self.catalogue, stated=True)
        return replace(finding, named=bool(match and about))

    def _borne_out(self, field: Asked, value: str, line: str) -> Value | ReplyFault:
        if field is Asked.DIRECTION:
            return value if direction_in(line) == value else ReplyFault.UNSUPPORTED
        if field is Asked.DEADLINE:
            try:
                day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
            except ValueError:
                return ReplyFault.UNKNOWN
            return day if day_in(line, day) else ReplyFault.UNSUPPORTED
        return value

    def _columns(self, field: Asked, said: ColumnsSaid) -> ReplyFinding | Drop:
        """Column names, all of which have to stand in the quote."""
        names = tuple(dict.fromkeys(name.strip() for name in said.value if name.strip()))[:MOST_ITEMS]
        place = self._place(field, said.quote)
        if isinstance(place, Drop):
            return replace(place, said=", ".join(names))
        text = place.passage.page.markdown[place.start : place.end]
        if not names or not all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names):
            return Drop(field, ", ".join(names), ReplyFault.UNSUPPORTED)
        return self._finding(field, names, place)

    def _files(self, field: Asked, names: Sequence[str]) -> Iterator[ReplyFinding | Drop]:
        """File or folder names: each for itself, as the page writes it."""
        for name in dict.fromkeys(name.strip() for name in names):
            if not _FILE_NAME.fullmatch(name) or ".." in name:
                yield Drop(field, name, ReplyFault.UNKNOWN)
                continue
            place = self._folder(field, name) if name.rstrip("/").isalpha() else self._place(field, name)
            yield place if isinstance(place, Drop) else self._finding(field, name.rstrip("/"), place)

    def _folder(self, field: Asked, name: str) -> _Place | Drop:
        """Where the page writes a plain word as the name of a folder."""
        bare = name.rstrip("/")
        written = re.compile(rf"`{bare}/?`|(?<![\w/]){bare}(?=/| (?:folder|directory)\b)")
        for passage in self.part.passages:
            if match := written.search(passage.text):
                return _Place(passage, passage.start + match.start(), passage.start + match.end())
        return Drop(field, name, ReplyFault.UNSUPPORTED)

    def _place(self, field: Asked, words: str) -> _Place | Drop:
        """The first place of the words in the part, unless it commands whoever reads it."""
        commanded = False
        for passage in self.part.passages:
            span = passage.folded.find(words)
            if span is None:
                continue
            start, end = (passage.start + place for place in span)
            if not commands_reader(line_around(passage.page.markdown, start, end)):
                return _Place(passage, start, end)
            commanded = True
        return Drop(field, words, ReplyFault.COMMAND if commanded else ReplyFault.INVENTED)

    def _finding(self, field: Asked, value: Value, place: _Place) -> ReplyFinding:
        evidence = quote(place.passage.page, place.start, place.end, field, self.rule)
        return ReplyFinding(field, value, (evidence,), _topic_at(place))


_FILE_NAME = re.compile(r"[\w./*\[\]{}~()-]{2,120}")


def _topic_at(place: _Place) -> Topic:
    sections = _sections(place.passage.page)
    return next((one.topic for one in reversed(sections) if one.start <= place.start), Topic.GOAL)


@lru_cache(maxsize=32)
def _sections(page: Page) -> tuple[TopicSection, ...]:
    return tuple(sections_of(page))
