"""The submission: its columns and its format, from the sample in the page or from words."""

import re
from dataclasses import dataclass, replace

from mapping.evidence import quote
from mapping.rules.document import Document, Found
from mapping.rules.sample import CUE, NAME, NAMED, Sample, is_id_name, read_sample, with_roles
from mapping.rules.sections import Topic
from schema.evidence import Evidence


@dataclass(frozen=True, slots=True)
class SubmissionReading:
    """What the pages say of a submission."""

    sample: Found[Sample] | None
    ids: tuple[str, ...]
    targets: tuple[str, ...]
    target_text: str
    """The targets as one string; where the page elides columns, the visible ones with the elision."""
    output_format: str
    evidence: tuple[Evidence, ...]


def read_submission(document: Document) -> SubmissionReading:
    """Columns and format, from the sample in the page, else from the sentence that names the columns.

    Where neither shows a target, the description of the data may name it.
    """
    sample = read_sample(document)
    found = _from_words(document) if sample is None else _from_sample(sample)
    called = None if found.target_text else read_target(document)
    if called is None:
        return found
    return replace(found, target_text=called.value, evidence=(*found.evidence, called.evidence))


def _from_sample(sample: Found[Sample]) -> SubmissionReading:
    value, seen = sample.value, sample.evidence
    text = ", ".join(name for name in value.header if name not in value.ids)
    fields = ["output_format", "id_columns", "target_col", *(["target_columns"] if value.targets else [])]
    evidence = tuple(seen.model_copy(update={"field": field}) for field in fields)
    return SubmissionReading(sample, value.ids, value.targets, text, value.text, evidence)


_COLUMNS = re.compile(
    r"\b(?:with|has|have|having|contains?|containing|of|be|includes?|including)\b(?:[^.\n]|\n(?!\s)){0,60}?"
    r"\bcolumns?\b[^\w`\"“\n]{1,4}(?P<after>(?:[^.\n]|\n(?!\s)){3,200})"
    r"|\bcolumns? (?:are|must be|should be|named|called)\b[:\s]*(?P<named>(?:[^.\n]|\n(?!\s)){3,200})",
    re.IGNORECASE,
)


_HEADER = re.compile(
    r"\b(?:format|header|columns|file)\b(?: row| line)?[^\w\n]{1,4}(?:(?:is|of|named|as)\s+[`\"]?)?"
    r"(?P<header>[A-Za-z_]\w*(?:,\s?[A-Za-z_]\w*){1,40})(?=[`\"'.;)\s]|$)",
    re.IGNORECASE,
)
"""A header within a sentence: "with the format: id,price"."""


def _inline_header(document: Document) -> SubmissionReading | None:
    for section in document.of(Topic.SUBMISSION, Topic.EVALUATION):
        for match in _HEADER.finditer(section.text):
            names = re.split(r",\s?", match["header"])
            if len(set(names)) == len(names) and (", " not in match["header"] or is_id_name(names[0])):
                start, end = (section.start + place for place in match.span("header"))
                value = with_roles(Sample(tuple(names), (), match["header"]), section.text)
                return _as_named(
                    quote(section.page, start, end, "output_format", "header in a sentence"), value
                )
    return None


def _as_named(seen: Evidence, value: Sample) -> SubmissionReading:
    fields = ["output_format", "id_columns", "target_col", "target_columns"]
    evidence = tuple(seen.model_copy(update={"field": field}) for field in fields)
    return SubmissionReading(None, value.ids, value.targets, ", ".join(value.targets), value.text, evidence)


def _from_words(document: Document) -> SubmissionReading:
    """Columns named in a sentence: "two columns: `id` and `target`"; the section's words as the format."""
    inline = _inline_header(document)
    if inline is not None:
        return inline
    for section in document.of(Topic.SUBMISSION, Topic.EVALUATION):
        match = _COLUMNS.search(section.text)
        names = _named_columns(match["after"] or match["named"]) if match else []
        if match and len(names) > 1 and is_id_name(names[0]):
            start, end = (section.start + place for place in match.span())
            fields = ("output_format", "id_columns", "target_columns", "target_col")
            evidence = tuple(
                quote(section.page, start, end, field, "columns named in a sentence") for field in fields
            )
            targets = tuple(names[1:])
            return SubmissionReading(
                None, (names[0],), targets, ", ".join(targets), match.group().strip(), evidence
            )
    return _format_words(document)


def _named_columns(text: str) -> list[str]:
    """The names in quotes or code, else the identifiers in a list such as `id, score and rank`."""
    quoted = [name for name in NAMED.findall(text) if NAME.fullmatch(name)]
    if quoted:
        return quoted
    parts = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", text.strip())
    return parts if all(re.fullmatch(r"[A-Za-z]\w{0,40}", part) for part in parts) else []


def _format_words(document: Document) -> SubmissionReading:
    """No columns; the first paragraph of the submission section says how a submission looks."""
    for block in document.blocks:
        text = " ".join(" ".join(block.lines).split())
        if block.section.topic is Topic.SUBMISSION and len(text) > 40 and CUE.search(text):
            evidence = quote(
                block.section.page, block.start, block.end, "output_format", "words of the submission section"
            )
            return SubmissionReading(None, (), (), "", text[:500], (evidence,))
    return SubmissionReading(None, (), (), "", "", ())


_NAMED = re.compile(
    r"\btargets?(?: (?:column|variable|feature|value|label|trait|field)s?)?"
    r"(?:,| is| are| called| named|:)?\s*"
    r"[(`\"“*]{1,3}(?P<name>[A-Za-z_][\w\[\]*]{0,40})[)`\"”*]",
    re.IGNORECASE,
)
"""The target column `price`; target traits (height_mean)."""
_LISTED = re.compile(
    r"^\s*[-*+•]\s+[`*_\"]*(?P<name>[A-Za-z_]\w{0,40})[`*_\"]*\s*(?:\([^)\n]{0,40}\)\s*)?[-–—:]+\s*"
    r"(?:this is |is )?(?:the |your )?(?:target|value to predict|label to predict|variable to predict)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""- `price` - the target."""
_CALLED = re.compile(
    r"[`*]{1,2}(?P<name>[A-Za-z_]\w{0,40})[`*]{1,2}[^.\n`*]{0,30}\b(?:is|are) (?:the |your )targets?\b",
    re.IGNORECASE,
)
"""`price` is the target."""


def read_target(document: Document) -> Found[str] | None:
    """The name that the pages call the target, in the sections about the data first; or None."""
    for section in document.of(Topic.FIELDS, Topic.FILES, Topic.DATA, Topic.GOAL, Topic.EVALUATION):
        for pattern in (_LISTED, _CALLED, _NAMED):
            match = pattern.search(section.text)
            if match is not None:
                start, end = (section.start + place for place in match.span())
                seen = quote(section.page, start, end, "target_col", "called the target")
                return Found(match["name"].strip("*"), seen)
    return None
