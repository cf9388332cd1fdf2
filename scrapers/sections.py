"""What a section of a page is about, by its heading, in several languages. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from schema.capture import PageKind

_KINDS: tuple[tuple[PageKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        (
            PageKind.TIMELINE,
            (
                r"\btime-?line|\bschedule|\b(?:important|key)\s+dates|^dates\b|时间|日程|赛程|時程"
                r"|\bzeitplan|\btermine\b|\bcalendrier|\bdates (?:clés|importantes)|\bcronograma"
                r"|\bcalendario|\bfechas\b"
                r"|スケジュール|\bрасписание|\bсроки\b|일정"
            ),
        ),
        (
            PageKind.EVALUATION,
            (
                r"\bevaluat|\bmetrics?\b|\bscor(?:es?|ed|ing)\b|\bjudging\b|\bgraded\b"
                r"|\bsubmission (?:file|format)|评测|评价|评估|评分|評分"
                r"|\bbewertung|\bauswertung|\bmetrik|\bévaluation|\bmétrique|\bnotation\b|\bevaluación"
                r"|\bmétrica|評価|採点"
                r"|\bavaliação|\bоценк|\bметрик|평가"
            ),
        ),
        (
            PageKind.RULES,
            (
                r"\brules\b|\bterms\b|规则|条款|規則|\bregeln\b|\bteilnahmebedingungen|\brègle(?:s|ment)\b"
                r"|\breglas\b"
                r"|\bbases\b|\breglamento|ルール|規約|\bregras\b|\bправила\b|규칙"
            ),
        ),
        (
            PageKind.DATA,
            (
                r"\bdata-?\s*(?:set|description|fields|files|format|overview)|^(?:the\s+)?(?:data"
                r"|files)\W*$|数据|數據"
                r"|\bdaten(?:satz|sätze|beschreibung)?\b|\bdonnées\b|\bdatos\b|データ|\bdados\b|\bданные\b|데이터"
            ),
        ),
    )
)
_HEADING = re.compile(r"(#{1,6}) +(.*?)(?: +#+)?\s*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class HeadedPart:
    """A heading and the Markdown up to the next one; level 0 and no title before the first."""

    level: int
    title: str
    text: str
    """Includes the heading's line."""


def kind_of_heading(title: str) -> PageKind | None:
    """What a section with this heading (or this page name) is about, if the heading says so."""
    words = title.replace("_", " ").replace("*", "")
    return next((kind for kind, pattern in _KINDS if pattern.search(words)), None)


def headed_parts(markdown: str) -> list[HeadedPart]:
    """Markdown cut before each of its headings; lines in fenced code are no headings."""
    parts: list[HeadedPart] = []
    level, title = 0, ""
    lines: list[str] = []
    for line, is_code in _lines(markdown):
        heading = None if is_code else _HEADING.match(line)
        if heading:
            parts.append(HeadedPart(level, title, "\n".join(lines).strip()))
            level, title, lines = len(heading.group(1)), heading.group(2), []
        lines.append(line)
    parts.append(HeadedPart(level, title, "\n".join(lines).strip()))
    return [part for part in parts if part.text]


def parts_by_kind(markdown: str) -> dict[PageKind, str]:
    """The sections of each kind, joined; subsections belong to theirs unless their heading says otherwise."""
    found: dict[PageKind, list[str]] = {}
    kind: PageKind | None = None
    owner = 0
    for part in headed_parts(markdown):
        own = kind_of_heading(part.title)
        if own is not None or part.level <= owner:
            kind, owner = own, part.level
        if kind is not None:
            found.setdefault(kind, []).append(part.text)
    return {kind: "\n\n".join(texts) for kind, texts in found.items()}


def _lines(markdown: str) -> Iterator[tuple[str, bool]]:
    fence = ""
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
            yield line, True
            continue
        if mark and line.strip() == mark.group(1) and mark.group(1).startswith(fence):
            fence = ""
            yield line, True
            continue
        yield line, bool(fence)
