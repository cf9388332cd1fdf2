"""Labels: what the data is made of (modality) and is about (domain), by weighted words and files."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mapping.evidence import quote, site_quote
from mapping.rules.document import Document
from mapping.rules.files import FILE
from mapping.rules.sections import Topic, TopicSection
from mapping.rules.words import DOMAIN_WORDS, MODALITY_FILES, MODALITY_FOLDERS, MODALITY_WORDS, Words
from schema.competition import Competition
from schema.evidence import Evidence
from schema.page import Page
from schema.task import Domain, Modality

L = TypeVar("L", Modality, Domain)

_TOPIC_WEIGHTS = {
    Topic.GOAL: 1.0,
    Topic.DATA: 1.0,
    Topic.FILES: 1.0,
    Topic.FIELDS: 0.6,
    Topic.SUBMISSION: 0.4,
}
_OTHER_TOPICS = 0.25
_FILE_WEIGHT = 3.0
_TITLE_WEIGHT = 3.0
_LEAST_MODALITY = 2.0
_LEAST_DOMAIN = 1.5
_LEAST_ALONE = 1.2
"""What a domain needs of which no other has half."""
_SHORT, _PER_DOUBLING = 4000, 0.3
"""Letters up to which pages are short; what a domain needs more for each doubling of them."""
_SHOWN = 120
_TOLD = 600
"""Characters of pages by which the domain would have been named."""
_BOTH = 0.8
"""Two modalities of which the weaker has this share of the stronger make a multimodal task."""
_BASE = 3.0
"""What a table of rows adds to tabular: nearly every task has one; the words of others must outweigh it."""
_TABLE_FILE = re.compile(r"\.(?:csv|parquet|tsv|xlsx?)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"!\[[^\]]{0,300}\.\w{3,4}\]|\]\([^)(]{0,500}\)|https?://\S+")
"""Addresses, and names of pictures that decorate a page."""
_SUPPORTED = 0.45
"""The share of the strongest that a second modality needs for data that the page calls multimodal."""
_EXPLICIT = re.compile(r"\bmulti-?modal\b|多模态", re.IGNORECASE)
_TOGETHER = re.compile(
    r"\b(?:together|combin\w+|jointly|both|two (?:sources|kinds|views)|fus(?:e|ion|ing)"
    r"|alongside|as well as|supplement\w*|ancillary|auxiliary|accompan\w+)\b",
    re.IGNORECASE,
)
_KINDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bimages?\b|\bphoto\w*|\bpictures?\b|\bvideos?\b|\bpixels?\b",
        r"\baudio\b|\bsounds?\b|\brecordings?\b|\bspectr\w+",
        r"\btexts?\b|\btitles?\b|\bcaptions?\b|\btranscripts?\b|\bdescriptions?\b|\bcomments?\b",
        r"\bgraphs?\b|\bnodes\b",
        r"\btabular|\bnumbers|\bnumeric|\b(?:meta|(?:track|ancill|auxili)\w+ )data\b|\bmeasurement|\bsensor",
    )
)
"""Words for kinds of data, a pattern per kind; a sentence that puts two together calls it multimodal."""


@dataclass(slots=True)
class _Tally:
    score: float = 0.0
    best: float = 0.0
    evidence: Evidence | None = None

    def add(self, score: float, evidence: Evidence) -> None:
        self.score += score
        if score > self.best:
            self.best, self.evidence = score, evidence


def modality_of(
    pages: Sequence[Page], *, title: str = "", tags: Iterable[str] = ()
) -> tuple[Modality | None, Evidence | None]:
    """The modality and the words that speak most for it; None where nothing speaks."""
    return document_modality(Document(pages), Competition("", "", "", title, tags=tuple(tags)))


def domain_of(
    pages: Sequence[Page], *, title: str = "", tags: Iterable[str] = ()
) -> tuple[Domain | None, Evidence | None]:
    """The domain and the words that speak most for it; None where nothing speaks."""
    return document_domain(Document(pages), Competition("", "", "", title, tags=tuple(tags)))


def document_modality(
    document: Document, competition: Competition
) -> tuple[Modality | None, Evidence | None]:
    """`modality_of` for pages that are already cut."""
    tallies = _tallies(document, MODALITY_WORDS, competition, "modality")
    _count_files(document, tallies)
    _count_tags(competition, tallies)
    ranked = sorted(tallies.items(), key=lambda item: (-item[1].score, item[0] is not Modality.TABULAR))
    (first, top), (second, next_best) = ranked[0], ranked[1]
    if top.score < _LEAST_MODALITY or top.evidence is None:
        return None, None
    both = next_best.score >= _BOTH * top.score and Modality.TABULAR not in (first, second)
    explicit = _explicit(document)
    if explicit is not None and next_best.score >= _SUPPORTED * top.score:
        return Modality.MULTIMODAL, explicit
    return (Modality.MULTIMODAL if both else first), top.evidence


def document_domain(document: Document, competition: Competition) -> tuple[Domain | None, Evidence | None]:
    """`domain_of` for pages that are already cut."""
    tallies = _tallies(document, DOMAIN_WORDS, competition, "domain")
    (domain, top), (_, second) = sorted(tallies.items(), key=lambda item: -item[1].score)[:2]
    told = [one for one in document.sections if _topic_weight(one) and one.text.strip()]
    letters = sum(len(section.text.strip()) for section in told)
    # In long pages a few words of any domain stand somewhere.
    chance = _PER_DOUBLING * math.log2(max(1.0, letters / _SHORT))
    alone = top.score >= _LEAST_ALONE + chance and second.score <= top.score / 2
    if top.evidence is not None and (top.score >= _LEAST_DOMAIN + chance or alone):
        return domain, top.evidence
    return _other(told) if letters >= _TOLD else (None, None)


def _other(told: Sequence[TopicSection]) -> tuple[Domain, Evidence]:
    """No domain of the list, though the pages say enough that one would have been named."""
    first = told[0]
    start = first.start + len(first.text) - len(first.text.lstrip())
    shown = quote(
        first.page, start, min(start + _SHOWN, first.end), "domain", "no domain of the list is named"
    )
    return Domain.OTHER, shown


def _tallies(
    document: Document, words: Mapping[L, Words], competition: Competition, field: str
) -> dict[L, _Tally]:
    spoken = [_spoken(section, field) for section in document.sections if _topic_weight(section)]
    return {label: _tally(spoken, patterns, competition, field) for label, patterns in words.items()}


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A section as its words are counted: of the page's length, but for what is beyond `_READ`."""

    section: TopicSection
    weight: float
    text: str


_READ = 30_000
"""Characters of a section that are counted."""


def _spoken(section: TopicSection, field: str) -> _Spoken:
    """Without addresses; for the modality with names as their words: `train_audio` speaks of audio."""
    text = _ADDRESS.sub(lambda match: " " * len(match.group()), section.text[:_READ])
    text = text.replace("_", " ") if field == "modality" else text
    return _Spoken(section, _topic_weight(section), text)


def _tally(spoken: Sequence[_Spoken], patterns: Words, competition: Competition, field: str) -> _Tally:
    tally = _Tally()
    for pattern, weight in patterns:
        compiled = re.compile(pattern, re.IGNORECASE)
        counted, first = _count(spoken, compiled, field)
        if first is not None:
            tally.add(weight * math.log2(1 + counted), first)
        stated = _stated(competition, compiled, field)
        if stated is not None:
            tally.add(weight * _TITLE_WEIGHT / 2, stated)
    return tally


def _stated(competition: Competition, pattern: re.Pattern[str], field: str) -> Evidence | None:
    """Where the title, or else the tags, say a word."""
    for fact, text in (("title", competition.title or ""), ("tags", ", ".join(competition.tags))):
        if match := pattern.search(" ".join(text.split())):
            return site_quote(competition, fact, field, f"word of the {fact}", match.group())
    return None


def _count(spoken: Sequence[_Spoken], pattern: re.Pattern[str], field: str) -> tuple[float, Evidence | None]:
    """How often a pattern occurs, weighted by topic, and the place where it counts most first."""
    total, first, first_weight = 0.0, None, 0.0
    for one in spoken:
        matches = list(pattern.finditer(one.text))
        total += one.weight * len(matches)
        if matches and one.weight > first_weight:
            start, end = (one.section.start + place for place in matches[0].span())
            first, first_weight = quote(one.section.page, start, end, field, "words of the pages"), one.weight
    return total, first


def _topic_weight(section: TopicSection) -> float:
    if section.topic in (Topic.ASIDE, Topic.TIMELINE, Topic.LICENSE):
        return 0.0
    return _TOPIC_WEIGHTS.get(section.topic, _OTHER_TOPICS)


def _count_files(document: Document, tallies: dict[Modality, _Tally]) -> None:
    """Adds what file names speak for; a second kind of file counts, a hundred of one kind do not."""
    for page in document.pages:
        text = _ADDRESS.sub(lambda match: " " * len(match.group()), page.markdown)
        endings = {match.group().rsplit(".", 1)[1].lower(): match for match in FILE.finditer(text)}
        for modality, known in MODALITY_FILES.items():
            for ending in sorted(set(known.split()) & set(endings))[:1]:
                start, end = endings[ending].span()
                tallies[modality].add(_FILE_WEIGHT, quote(page, start, end, "modality", "file name ending"))
        for modality, folders in MODALITY_FOLDERS.items():
            folder = re.search(rf"(?<![\w/.])(?:\w{{1,30}}_)?(?:{folders})(?:/|\.zip\b)", text, re.IGNORECASE)
            if folder and not set(endings) & set(MODALITY_FILES[modality].split()):
                evidence = quote(page, *folder.span(), "modality", "name of a folder")
                tallies[modality].add(_FILE_WEIGHT, evidence)
        if tallies[Modality.TABULAR].best < _BASE and (table := _TABLE_FILE.search(text)):
            evidence = quote(page, *table.span(), "modality", "file name ending")
            tallies[Modality.TABULAR].add(_BASE, evidence)


_TAG_WEIGHT = 5.0


def _count_tags(competition: Competition, tallies: dict[Modality, _Tally]) -> None:
    """Adds the site's own tags that are, or begin with, the name of a modality (`image`, `image data`)."""
    for tag in competition.tags:
        for modality, tally in tallies.items():
            named = re.match(rf"{modality.value}\b", tag.strip(), re.IGNORECASE)
            stated = site_quote(competition, "tags", "modality", "tag of the site", " ".join(tag.split()))
            if named and stated:
                tally.add(_TAG_WEIGHT, stated)


def _explicit(document: Document) -> Evidence | None:
    """Where the goal or the data section calls the data multimodal, or puts two kinds of data together."""
    for sentence in document.sentences_of(Topic.GOAL, Topic.DATA):
        text = sentence.plain
        if _TOGETHER.search(text) and sum(bool(kind.search(text)) for kind in _KINDS) > 1:
            return sentence.evidence("modality", "two kinds of data together")
    for section in document.of(Topic.GOAL, Topic.DATA):
        if match := _EXPLICIT.search(section.text):
            start, end = (section.start + place for place in match.span())
            return quote(section.page, start, end, "modality", "called multimodal")
    return None
