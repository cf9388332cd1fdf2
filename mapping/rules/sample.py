"""The sample submission in a page: where it is, and which of its columns identify and which are predicted."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from mapping.evidence import quote
from mapping.rules.document import Block, Document, Found
from mapping.rules.sections import Topic, TopicSection

_SHOWN = 6
"""Lines of a sample that are kept."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The sample submission in a page: its header and first rows, as printed."""

    header: tuple[str, ...]
    """Column names; the sign of an elision (`...`) is kept."""
    rows: tuple[tuple[str, ...], ...]
    text: str
    ids: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Empty where the header is elided and the names between cannot be known."""

    @property
    def elided(self) -> bool:
        """Whether the page leaves columns out."""
        return any(_ELISION.fullmatch(name) for name in self.header)

    @property
    def several_columns(self) -> bool:
        """Whether more than one value is to be predicted per row."""
        return self.elided or len(self.targets) > 1

    @property
    def several_labels(self) -> bool:
        """Whether a cell holds several labels, parted by spaces."""
        cells = [row[-1].split() for row in self.rows if len(row) == len(self.header)]
        listed = [cell for cell in cells if len(cell) > 1]
        return bool(listed) and all(_CODE_WORD.fullmatch(word) for cell in listed for word in cell)


_CODE_WORD = re.compile(r"[\w-]*\d[\w-]*|\w+_\w+")
"""A label as a number or code; words in plain letters may be one label of several words."""
_ELISION = re.compile(r"\.{2,}|…|etc\.?")
NAME = re.compile(r"(?=[^A-Za-z\n]{0,20}[A-Za-z])[\w#][\w .:#/()\[\]%*+&'-]{0,59}")
CUE = re.compile(
    r"format|header|sample|example|look(?:s)? like|structured|columns|as follows|submission", re.IGNORECASE
)
_CODE = re.compile(
    r"\b(?:import|def|return|print|library|from \w+ import)\b|==|:=|=>|<-|[A-Za-z]\(|^\s*[#{}]"
)


def read_sample(document: Document) -> Found[Sample] | None:
    """The best sample submission in the pages, or None."""
    candidates = [
        (_weight(block, sample, start), -place, sample, block, start)
        for place, block in enumerate(document.blocks)
        for sample, start in _samples(block)
    ]
    candidates = [candidate for candidate in candidates if candidate[0] > 0]
    if not candidates:
        return None
    _, _, sample, block, start = max(candidates, key=lambda candidate: candidate[:2])
    end = start + len(sample.text)
    evidence = quote(block.section.page, start, end, "output_format", "sample submission in the page")
    return Found(with_roles(sample, _nearby(document, block.section)), evidence)


def _weight(block: Block, sample: Sample, start: int) -> int:
    """How much a block looks like the sample submission; 0 or less: not at all."""
    topics = {Topic.SUBMISSION: 4, Topic.EVALUATION: 3, Topic.REQUIREMENTS: 1, Topic.GOAL: 0, Topic.DATA: -1}
    weight = topics.get(block.section.topic, -2)
    before = block.section.page.markdown[max(block.section.start, start - 300) : start]
    weight += 2 if CUE.search(before) else 0
    weight += 1 if block.kind == "fence" else 0
    weight += 2 if is_id_name(sample.header[0]) else 0
    weight += 1 if sample.rows else -2
    if re.search(r"\btrain|training|input|metadata", before[-120:], re.IGNORECASE):
        weight -= 3
    return weight


def _samples(block: Block) -> Iterator[tuple[Sample, int]]:
    """Every run of lines in a block that reads as a table with a header, with its place in the page."""
    if block.kind == "table":
        yield from _table(block)
        return
    lines = block.lines
    for at, line in enumerate(lines):
        for sign in (",", "\t", ";"):
            header = _parted(_cells(line, sign))
            if not _is_header(header, line):
                continue
            rows = [_cells(row, sign) for row in lines[at + 1 : at + 40]]
            values = [row for row in rows if _fits(row, header)]
            if (
                not values
                and not (_elides(header) and rows)
                and not (block.kind == "fence" and len(lines) == 1)
            ):
                continue
            if any(_is_code(row) for row in lines[at : at + 3]):
                continue
            text_lines = lines[at : at + 1 + min(len(rows), _SHOWN)]
            yield _sample(block, header, values, text_lines)
            return


def _sample(
    block: Block, header: list[str], values: list[list[str]], shown: tuple[str, ...]
) -> tuple[Sample, int]:
    page = block.section.page.markdown
    start = end = page.index(shown[0], block.start)
    for line in shown:
        if line.strip():
            end = page.index(line, end) + len(line.rstrip())
    start += len(shown[0]) - len(shown[0].lstrip())
    rows = tuple(tuple(row) for row in values[:_SHOWN])
    return Sample(tuple(header), rows, page[start:end]), start


def _table(block: Block) -> Iterator[tuple[Sample, int]]:
    rows = [[cell.strip().strip("`*") for cell in line.strip().strip("|").split("|")] for line in block.lines]
    if len(rows) < 2 or not all(NAME.fullmatch(cell) for cell in rows[0]) or len(rows[0]) < 2:
        return
    body = [row for row in rows[1:] if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    if not body or any(len(cell) > 80 or cell.count(" ") > 6 for row in body for cell in row):
        return
    yield _sample(block, rows[0], body, block.lines[: _SHOWN + 2])


def _cells(line: str, sign: str) -> list[str]:
    line = line.strip().rstrip("\\").strip().strip("`")
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sign, skipinitialspace=True), [])]
    except csv.Error:
        return []


_MOST_SPACES = 4


def _is_header(cells: list[str], line: str) -> bool:
    if len(cells) < 2 or len(set(cells)) < len(cells) - 1 or _is_code(line):
        return False
    if not all(NAME.fullmatch(cell) or _ELISION.fullmatch(cell) or cell.isdigit() for cell in cells):
        return False
    if not NAME.fullmatch(cells[0]) or _ELISION.fullmatch(cells[0]):
        return False
    # A sentence with commas is not a header: its parts have many words.
    return max(cell.count(" ") for cell in cells) <= _MOST_SPACES and not re.search(r"[^.]\.$", line.strip())


def _is_code(line: str) -> bool:
    return bool(_CODE.search(line))


def _parted(cells: list[str]) -> list[str]:
    """`...F28` as an elision and a name."""
    parts = [re.fullmatch(r"(\.{2,}|…)\s*([^\s.].*)", cell) for cell in cells]
    return [
        name
        for cell, part in zip(cells, parts, strict=True)
        for name in ((part[1], part[2]) if part else (cell,))
    ]


def _fits(row: list[str], header: list[str]) -> bool:
    """Whether a line is a row of the table; pages print one cell too many or few, and elide."""
    if _short(row):
        return False
    spare = len(header) if _elides(header) else int(len(header) > 2)
    return len(row) > 1 and abs(len(row) - len(header)) <= spare


def _short(row: list[str]) -> bool:
    """A line such as `...` or `etc.` that stands for more rows."""
    return len(row) <= 1 or all(_ELISION.fullmatch(cell) or not cell for cell in row)


def _elides(header: list[str]) -> bool:
    return any(_ELISION.fullmatch(name) for name in header)


_ID_NAME = re.compile(
    r"(?:.*[_\s.-])?(?:ids?|key|index|idx|uid|uuid|guid|pid|pidn|name|filename|file|image|img"
    r"|row|path|date|datetime"
    r"|date_?time|timestamp|time|day|week|month|url|hash|node|user|item|query|pair|phone"
    r"|patient|sample)(?:\s?id|_no)?",
    re.IGNORECASE,
)
_ID_ENDING = re.compile(
    r".*[a-z0-9](?:Id|ID|ID\d|UID|Key|Name|Index|File|Path|Millis|Hash)|[A-Z]+ID|ID|Id|.*[a-z]id"
)


def is_id_name(name: str) -> bool:
    """Whether a column's name says that it identifies the row."""
    return bool(_ID_NAME.fullmatch(name.strip()) or _ID_ENDING.fullmatch(name.strip()))


NAMED = re.compile(r"[`\"“']([^`\"”'\n]{1,60})[`\"”']")
_EACH = re.compile(
    r"\b(?:for (?:each|every|all)|each row|per)\b(.{0,120}?)(?:,|\byou (?:must|should|need"
    r"|will)|\bin the test|\.|$)",
    re.IGNORECASE,
)
_PREDICT = re.compile(
    r"\bpredict(?:ed|ion|ions)?\b|\btargets?\b|\bvalue for\b|\bprobability\b|\bestimate\b", re.IGNORECASE
)


def with_roles(sample: Sample, text: str) -> Sample:
    """The sample with its columns told apart: those that name the row, and those that are predicted."""
    named = _each_names(text) & set(sample.header)
    names = list(sample.header)
    ids = names[:1]
    if not is_id_name(names[0]) and names[0] not in named:
        others = [name for name in names if re.fullmatch(r"(?:.*_)?id", name, re.IGNORECASE)]
        ids = others if len(others) == 1 and len(names) > 1 else ids
    targets_named = (_target_names(text) - named) & set(names)
    for before, name in pairwise(names[:-1]):
        if ids[-1] != before or name in targets_named:
            break
        if name in named or is_id_name(name) or targets_named == {names[-1]} or _repeats(sample, len(ids)):
            ids.append(name)
    targets = tuple(name for name in names if name not in ids)
    if sample.elided:
        targets = _counted(targets)
    return Sample(sample.header, sample.rows, sample.text, tuple(ids), targets)


def _repeats(sample: Sample, width: int) -> bool:
    """Whether the first `width` columns do not tell the sample's rows apart."""
    keys = [row[:width] for row in sample.rows if len(row) == len(sample.header)]
    return len(set(keys)) < len(keys)


def _counted(names: tuple[str, ...]) -> tuple[str, ...]:
    """`O1, O2, ..., O9` spelled out; empty where the names between are not numbered."""
    known = [name for name in names if not _ELISION.fullmatch(name)]
    parts = [re.fullmatch(r"(.*?)(\d+)", name) for name in known]
    if len(known) < 2 or not all(parts) or _ELISION.fullmatch(names[-1]):
        return ()
    found = [(part[1], int(part[2])) for part in parts if part]
    numbers = [number for _, number in found]
    if len({stem for stem, _ in found}) > 1 or numbers != sorted(numbers) or numbers[-1] - numbers[0] > 5000:
        return ()
    return tuple(f"{found[0][0]}{number}" for number in range(numbers[0], numbers[-1] + 1))


def _each_names(text: str) -> set[str]:
    """The names in quotes or code after `for each`."""
    return {name for match in _EACH.finditer(text) for name in NAMED.findall(match[1])}


def _target_names(text: str) -> set[str]:
    """The names in quotes or code after `predict` in the same sentence."""
    return {
        name
        for match in _PREDICT.finditer(text)
        for name in NAMED.findall(re.split(r"[.\n]", text[match.end() :], maxsplit=1)[0][:200])
    }


def _nearby(document: Document, section: TopicSection) -> str:
    """The text of the sample's own section and of those about submission and evaluation on its page."""
    near = [
        part.text for part in document.of(Topic.SUBMISSION, Topic.EVALUATION) if part.page is section.page
    ]
    return "\n".join([section.text, *near])
