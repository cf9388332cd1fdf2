"""Sections of a Markdown page and what each is about, from its headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from schema.capture import PageKind
from schema.page import Page


class Topic(StrEnum):
    """What a section is about."""

    GOAL = "goal"
    EVALUATION = "evaluation"
    SUBMISSION = "submission"
    DATA = "data"
    FILES = "files"
    FIELDS = "fields"
    TIMELINE = "timeline"
    REQUIREMENTS = "requirements"
    LICENSE = "license"
    ASIDE = "aside"
    """Prizes, questions, thanks, citation: read for nothing."""


# The first pattern that occurs in a title gives its topic; a prize's evaluation is about the prize.
_TITLES: tuple[tuple[Topic, str], ...] = (
    (
        Topic.TIMELINE,
        r"time ?(line|table)|^time\b|\bdates?\b|schedule|deadline|calendar|^when\b|赛程|时间|日程",
    ),
    (Topic.ASIDE, r"奖|常见问题|参考|联系|主办"),
    (Topic.SUBMISSION, r"提交|结果格式"),
    (Topic.EVALUATION, r"评测|评价|评估|评分"),
    (Topic.REQUIREMENTS, r"规则|要求|限制"),
    (Topic.DATA, r"数据"),
    (Topic.GOAL, r"背景|任务|简介|描述|赛题"),
    (Topic.ASIDE, r"prize|award|faq|frequently asked|citation|cite\b|acknowledg|sponsor|host\b|organi[sz]er"),
    (Topic.ASIDE, r"tutorial|contact|support|reference|credits|about us|leaderboard|getting started"),
    (Topic.LICENSE, r"licen[sc]e"),
    (
        Topic.SUBMISSION,
        r"submission (file|format|instruction|template)|sample submission|output format|submitting",
    ),
    (Topic.REQUIREMENTS, r"requirement|constraint|restriction|\blimits?\b|limitation|\brules?\b|regulation"),
    (
        Topic.REQUIREMENTS,
        r"special instruction|code competition|kernels?[ -]only|kernel submission|conditions",
    ),
    (Topic.SUBMISSION, r"submission|what to submit|how to submit|format\b"),
    (Topic.EVALUATION, r"evaluat|metrics?\b|scor(e|ed|ing)\b|judg(ing|ment)|assessment"),
    (Topic.FIELDS, r"fields?\b|columns?\b|variables?\b|dictionary|attributes|features"),
    (Topic.FILES, r"files?\b|folders?\b|download"),
    (Topic.DATA, r"\bdata\b|dataset"),
    (Topic.GOAL, r"description|overview|abstract|\babout\b|introduction|\bgoal|\btasks?\b|objective|problem"),
    (Topic.GOAL, r"challenge|background|summary|context|motivation|what you"),
)
_TITLE_TOPICS = tuple((topic, re.compile(pattern)) for topic, pattern in _TITLES)
_DEFAULTS = {
    PageKind.EVALUATION: Topic.EVALUATION,
    PageKind.DATA: Topic.DATA,
    PageKind.RULES: Topic.REQUIREMENTS,
    PageKind.TIMELINE: Topic.TIMELINE,
}
# Pages written without heading marks: only these whole lines count as headings there.
_BARE = re.compile(
    r"(competition |data(set)? |the )?(description|overview|abstract|introduction|goal|task"
    r"|evaluation( metric)?"
    r"|metrics?|scoring( metric)?|timeline|important dates|rules|constraints|requirements|code requirements"
    r"|submissions?( files?| format| file format| instructions)?|data|dataset|files?( descriptions?)?"
    r"|(data )?fields|columns|prizes|acknowledge?ments|citation|license)",
    re.IGNORECASE,
)
_ATX = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_BOLD = re.compile(r"\s*[^\w\s*+•|>-]{0,3}\s*(?:\*\*|__)([^*_]{2,60}?)(?:\*\*|__):?\s*")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-{3,})\s*")
_BARE_LEVEL, _BOLD_LEVEL = 2, 7


@dataclass(frozen=True, slots=True)
class TopicSection:
    """A part of a page under one heading; `start` and `end` are characters of the page, heading excluded."""

    page: Page
    title: str
    topic: Topic
    start: int
    end: int
    head: int = 0
    """Where the line of its heading begins."""

    @property
    def heading(self) -> str:
        """The line of its heading as in the page; empty where it has none."""
        return self.page.markdown[self.head : self.start]

    @property
    def text(self) -> str:
        return self.page.markdown[self.start : self.end]


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    start: int
    """Where its line begins."""
    body: int
    """Where the text after it begins."""


def sections_of(page: Page) -> list[TopicSection]:
    """The page's sections in order; text before the first heading is a section without title."""
    default = _DEFAULTS.get(page.kind, Topic.GOAL)
    headings = [_Heading(0, "", 0, 0), *_headings(page.markdown)]
    ends = [heading.start for heading in headings[1:]] + [len(page.markdown)]
    sections: list[TopicSection] = []
    above: list[tuple[int, Topic]] = []
    for heading, end in zip(headings, ends, strict=True):
        above = [(level, topic) for level, topic in above if level < heading.level]
        topic = topic_of(heading.title) or (above[-1][1] if above else default)
        above.append((heading.level, topic))
        sections.append(TopicSection(page, heading.title, topic, heading.body, end, heading.start))
    return sections


def topic_of(title: str) -> Topic | None:
    """The topic that a heading names, or None."""
    lowered = title.lower()
    return next((topic for topic, pattern in _TITLE_TOPICS if pattern.search(lowered)), None)


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Each line with the position of its first character, without its line end."""
    position = 0
    for line in text.splitlines(keepends=True):
        yield position, line.rstrip("\r\n")
        position += len(line)


def _headings(text: str) -> Iterator[_Heading]:
    fenced = False
    previous: tuple[int, str] = (0, "")
    for start, line in lines_of(text):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            heading = _heading(start, line, previous)
            if heading is not None:
                yield heading
        previous = (start, line)


def _heading(start: int, line: str, previous: tuple[int, str]) -> _Heading | None:
    body = start + len(line)
    if (match := _ATX.fullmatch(line)) and match[2]:
        return _Heading(len(match[1]), _plain(match[2]), start, body)
    if (match := _UNDERLINE.fullmatch(line)) and topic_of(previous[1]) and len(previous[1]) <= 60:
        return _Heading(1 if match[1][0] == "=" else 2, _plain(previous[1]), previous[0], body)
    if (match := _BOLD.fullmatch(line)) and topic_of(match[1]):
        return _Heading(_BOLD_LEVEL, _plain(match[1]), start, body)
    if _BARE.fullmatch(line.strip().rstrip(":")):
        return _Heading(_BARE_LEVEL, line.strip().rstrip(":"), start, body)
    return None


def _plain(title: str) -> str:
    return re.sub(r"[*_`#]+", "", title).strip().rstrip(":")
