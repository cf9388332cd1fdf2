"""Files that the pages list, and which of them are training and test data."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mapping.evidence import quote
from mapping.rules.document import Block, Document, plain
from mapping.rules.sections import Topic, TopicSection
from schema.evidence import Evidence
from schema.task import DataPart

_ENDINGS = (
    "csv|tsv|txt|jsonl?|parquet|feather|arrow|zip|7z|gz|tar|xlsx?|npy|npz|h5|hdf5|pkl|pickle|mat|db|sqlite|xml|geojson|yaml"
    "|jpe?g|png|tiff?|bmp|gif|svg|dcm|nii|wav|mp3|flac|ogg|aif+|mp4|avi|mov|edf|root|graphml|gml|edgelist|tfrecords?|pdb|py|ipynb|r|md|pdf"
)
FILE = re.compile(
    rf"(?<![\w@/.*\[{{~-])(?:[\w\[\]{{}}*~-]{{1,60}}/){{0,6}}[\w\[\]{{}}*.~()-]{{0,80}}[\w\]}}*)]\.(?:{_ENDINGS})\b(?![\w/])",
    re.IGNORECASE,
)
_FOLDER = re.compile(
    r"(?<![\w:/.*\[{-])(?:[\w\[\]{}*-]{1,60}/){1,6}[\w*{}\[\]-]{0,60}(?![\w:])|`([\w-]{1,60})/?`(?= (?:folder"
    r"|directory))|\b([\w-]{1,60})(?= (?:folder|directory)\b)"
)
_PAIR = re.compile(
    r"[\[({](?P<train>train\w*)[/,|] ?(?P<test>test\w*)[\])}](?P<rest>[\w./\[\]*-]*[\w\]*])?", re.IGNORECASE
)
"""Two names in one: `[train/test]_images`."""
_DATA_TOPICS = (Topic.FILES, Topic.DATA, Topic.FIELDS)
_READ_ON = 800
"""Characters after a file name that may describe it."""
_AT_ONCE = 20
"""Characters of a description within which it says what the file is."""
_LONGEST = 120
"""Characters of a file name at most."""
_KEPT = 12
"""Files that one part names at most."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file or folder as a page lists it."""

    name: str
    description: str
    evidence: Evidence

    @property
    def ending(self) -> str:
        """Its file name ending in lower case, without the dot; empty for a folder."""
        return self.name.rsplit(".", 1)[1].lower() if "." in self.name.rsplit("/", 1)[-1] else ""


@dataclass(frozen=True, slots=True)
class FileReading:
    """The files of the pages and the two parts made from them."""

    files: tuple[ListedFile, ...]
    train: DataPart
    test: DataPart
    evidence: tuple[Evidence, ...]


def read_files(document: Document) -> FileReading:
    """Every file listed, and the train and test parts of the data."""
    files = tuple(_unique(_listed(document)))
    train = [file for file in files if _part(file) == "train"][:_KEPT]
    test = [file for file in files if _part(file) == "test"][:_KEPT]
    evidence = [
        file.evidence.model_copy(update={"field": f"data_information.{part}"})
        for part, found in (("train", train), ("test", test))
        for file in found
    ]
    return FileReading(files, _data_part(train), _data_part(test), tuple(evidence))


def _data_part(files: list[ListedFile]) -> DataPart:
    described = [
        f"{file.name}: {file.description}" if len(files) > 1 else file.description
        for file in files
        if file.description
    ]
    return DataPart(
        data_location=", ".join(file.name for file in files), data_description=" ".join(described)
    )


def _listed(document: Document) -> Iterator[ListedFile]:
    """Files in lists and tables of the data sections first, then those named anywhere else in prose."""
    for section in document.of(*_DATA_TOPICS):
        yield from _in_heading(section)
    for lists_only in (True, False):
        for block in document.blocks:
            in_data = block.section.topic in _DATA_TOPICS
            if lists_only and (not in_data or block.kind == "fence"):
                continue
            if not lists_only and block.section.topic in (Topic.ASIDE, Topic.TIMELINE):
                continue
            yield from _in_block(block)


def _in_heading(section: TopicSection) -> Iterator[ListedFile]:
    """The files that a heading names: `#### train.csv`."""
    for match in FILE.finditer(section.heading):
        start = section.head + match.start()
        end = min(section.end, section.start + _READ_ON)
        description = _description(section.page.markdown[section.start : end])
        evidence = quote(section.page, start, section.head + match.end(), "files", "file named in a heading")
        yield ListedFile(match.group(), description, evidence)


def _in_block(block: Block) -> Iterator[ListedFile]:
    """The files that lead a line of the block, or stand within it."""
    page = block.section.page
    position = block.start
    for line in block.lines:
        start = page.markdown.index(line, position)
        position = start + len(line)
        yield from _pairs(block, start, line)
        if (bare := _BARE.match(line)) and _HOLDS.search(line, bare.end()):
            seen = quote(page, start + bare.start("name"), block.end, "files", "folder named in a list")
            yield ListedFile(bare["name"], _description(line[bare.end() :]), seen)
        line = _PAIR.sub(lambda match: " " * len(match.group()), line)  # noqa: PLW2901
        for match in [*FILE.finditer(line), *(_FOLDER.finditer(line) if _about_folder(line) else ())]:
            name = next((group for group in match.groups() if group), match.group()).strip("`*")
            if not _plausible(name):
                continue
            leads = match.start() <= len(line) - len(line.lstrip(" -*+•`|[0123456789.")) + 3
            rest = (
                page.markdown[start + match.end() : min(block.end, start + match.end() + _READ_ON)]
                if leads
                else ""
            )
            description = _description(rest)
            end = block.end if leads and description else start + match.end()
            evidence = quote(
                page, start + match.start(), max(end, start + match.end()), "files", "file named in the page"
            )
            yield ListedFile(name.rstrip("/"), description, evidence)


def _pairs(block: Block, start: int, line: str) -> Iterator[ListedFile]:
    """Both files of a name that stands for two."""
    for match in _PAIR.finditer(line):
        begin, end = start + match.start(), start + match.end()
        description = _description(block.section.page.markdown[end : min(block.end, end + _READ_ON)])
        evidence = quote(
            block.section.page, begin, block.end if description else end, "files", "two files in one name"
        )
        for part in ("train", "test"):
            name = f"{match[part]}{(match['rest'] or '').removesuffix('**')}"
            yield ListedFile(name.rstrip("/"), description, evidence)


_BARE = re.compile(r"\s*[-*+•]\s+(?:\*\*|`)(?P<name>(?:train|test)(?:ing)?(?:_[a-z]+)?(?<!_id))/?(?:\*\*|`)")
"""A list item that begins with the name of a folder as such: `- **train_audio** - …`."""
_HOLDS = re.compile(
    r"\b(?:folder|director\w+|files?|images?|audio|recordings?|clips?|set|data)\b", re.IGNORECASE
)


def _about_folder(line: str) -> bool:
    return (
        bool(re.search(r"\bfolders?\b|\bdirector(?:y|ies)\b|^\s*[-*+•|]\s*[`*\[]*[\w-]+/", line))
        and "http" not in line
    )


def _plausible(name: str) -> bool:
    bare = name.rstrip("/")
    return (
        bool(re.search(r"[A-Za-z]", bare))
        and len(bare) <= _LONGEST
        and bare.lower() not in _NOT_FOLDERS
        and ".." not in name
    )


_NOT_FOLDERS = {
    "and/or",
    "he/she",
    "his/her",
    "n/a",
    "the",
    "this",
    "each",
    "a",
    "same",
    "one",
    "that",
    "which",
    "train/test",
    "in",
    "of",
}


def _description(text: str) -> str:
    """The words after a file's name, up to 400 characters, cut at the next file in the same paragraph."""
    text = re.sub(r"^[\]`*|)\s]*(?:\([^)]*https?[^)]*\))?[`*|\s]*[-–—:=>|]*\s*", "", text)
    text = re.split(
        r"\n\s*(?:[-*+•|]|\*\*|`)?\s*[`*\[]*[\w/\[\]-]+\.(?:csv|json|zip|txt|parquet)\b", text, maxsplit=1
    )[0]
    return plain(text.replace("|", " "))[:400].strip()


_TEST = re.compile(
    r"(?:^|[_/.\s-])(?:test(?:ing|set|s)?|eval(?:uation)?|unlabell?ed|holdout"
    r"|w(?:ith)?o(?:ut)?_(?:answers?|ans|labels?|targets?))(?:[_/.\s\d-]|$)",
    re.IGNORECASE,
)
_TRAIN = re.compile(
    r"(?:^|[_/.\s-])(?:train(?:ing|set|s)?|dev(?:elopment)?|labell?ed|learn(?:ing)?)(?:[_/.\s\d-]|$)",
    re.IGNORECASE,
)
_SAMPLE = re.compile(r"sample|submission|example|benchmark|\.py$|\.ipynb$|\.r$|\.md$|\.pdf$", re.IGNORECASE)


def _part(file: ListedFile) -> str | None:
    """`train`, `test` or None, by the name first and then by what the page says of it."""
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", file.name)
    if _SAMPLE.search(name):
        return None
    if _TEST.search(name) or re.search(r"(?:^|[_/-])test|test\.\w+$", name, re.IGNORECASE):
        return "test"
    if _TRAIN.search(name) or re.search(r"(?:^|[_/-])train|train\.\w+$", name, re.IGNORECASE):
        return "train"
    said = file.description[:160]
    train, test = (
        re.search(
            rf"(?<!no )(?<!No )\b{part}(?:ing)?\b[ -](?:set|data|part|split|images|labels|examples|rows)"
            rf"|\b(?:for|in|during) (?:use in |the )?{part}ing\b",
            said,
            re.IGNORECASE,
        )
        for part in ("train", "test")
    )
    if train and test:
        # The first few words say what a file is, later ones how it differs from the other part.
        first, second = sorted((train, test), key=lambda match: match.start())
        return ("train" if first is train else "test") if first.start() < _AT_ONCE < second.start() else None
    return "train" if train else "test" if test else None


def _unique(files: Iterator[ListedFile]) -> Iterator[ListedFile]:
    """Each name once, the first described mention winning."""
    seen: dict[str, ListedFile] = {}
    for file in files:
        known = seen.get(file.name.lower())
        if known is None or (not known.description and file.description):
            seen[file.name.lower()] = file
    yield from seen.values()
