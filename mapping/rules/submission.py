"""The submission: its columns and its format, from the sample in the page or from words."""

import re
from dataclasses import dataclass, replace

from mapping.evidence import quote
from mapping.rules.document import Document, Found
from mapping.rules.sample import CUE, NAME, NAMED, Sample, is_id_name, read_sample, with_roles
from mapping.rules.sections import Topic
from mapping.rules.target import read_target
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
