"""Constraints on a solution: requirements and prohibitions that the pages state, one per entry."""

import re
from collections.abc import Iterator

from mapping.evidence import quote
from mapping.instructions import split_instructions
from mapping.rules.document import Block, Document, Found, plain, sentences_of
from mapping.rules.sections import Topic, TopicSection
from schema.evidence import Evidence

MOST = 40
"""Constraints of one task at most."""

_DEMAND = re.compile(
    r"\b(?:must|mustn't|may not|can ?not|can't|shall|should|required?|requires|need(?:s)? to"
    r"|ha(?:ve|s) to|only|never"
    r"|at most|at least|no more than|not more than|no longer than|up to|limit(?:ed|s)?|limits?"
    r"|maximum|max\.?|minimum|exceed\w*|exactly"
    r"|allowed|permitted|prohibited|forbidden|disallowed|banned|not accepted|disabled|enabled"
    r"|do not|don't|without|no|fixed?|set|use|keep)\b"
    r"|<=|≤|<|>=|≥",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:must|mustn't|may not|can ?not|can't|shall|should not|required|at most|at least"
    r"|no more than|no longer than|up to"
    r"|limited to|maximum|exceed\w*|exactly|(?:not )?(?:allowed|permitted)|prohibited"
    r"|forbidden|disallowed|banned|disabled"
    r"|may only|must only|do not|don't|never|has to|have to|needs to|no (?:\w+ ){1,3}(?:is|are"
    r"|will be|may be) (?:allowed|permitted|accepted|enabled|available|used))\b|<=|≤",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(?:memory|ram|gb|gib|mb|mib|run[- ]?time|wall[- ]?clock|hours?|minutes?|seconds|gpus?"
    r"|cpus?|tpus?|cores?|threads?"
    r"|internet|network|offline|online services?|apis?|external|outside data|additional data"
    r"|third[- ]party|pre-?trained|seed(?:ed|s)?|random"
    r"|reproduc\w+|determinis\w+|named|file ?name|notebooks?|kernels?|script|hand[- ]?label\w*"
    r"|manual\w*|by hand|annotat\w+|test (?:set|data|rows|labels)"
    r"|probabilit(?:y|ies)|range|sum to|header|rows?|columns?|csv|parquet|json|librar(?:y|ies)"
    r"|packages?|python|model size|parameters"
    r"|ensembl\w+|cross[- ]validat\w*|folds?|clip(?:ped)?|open[- ]source|future|leak\w*"
    r"|training (?:data|set|part)|train on|predictions?|values?|scikit|submission file"
    r"|duplicate\w*|overlap\w*|sorted|order|integers?|negative|blank|missing|identifiers?|disk"
    r"|size|code|models?|data)\b",
    re.IGNORECASE,
)
_HARD_SUBJECT = re.compile(
    r"\b(?:memory|ram|gb|gib|run[- ]?time|hours|minutes|gpus?|cpus?|tpus?|cores?|internet"
    r"|external data|outside data|pre-?trained|seed|reproducib\w+"
    r"|determinis\w+|named|file ?name|notebooks?|kernels?|hand[- ]?label\w*|by hand|sum to"
    r"|between 0 and 1|in the range|header|rows|columns?|integers?"
    r"|libraries|cross[- ]validat\w*|folds|clip(?:ped)?|future|test (?:data|labels)|overlap\w*"
    r"|sorted|space[- ]delimited|duplicate\w*|additional data|manual\w*|predictions? per"
    r"|use (?:\w+ ){0,3}provided)\b",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"\b(?:may|must|can|should|do|shall|are|is) ?not\b|prohibited|forbidden|disallowed|banned|allowed"
    r"|permitted|\bnever\b|n't\b",
    re.IGNORECASE,
)
"""Words before a list without which its items would say the opposite."""
_CONDITIONS = re.compile(r"\b(?:conditions?|requirements?|constraints?|restrictions?|rules)\b", re.IGNORECASE)
"""Words before a list whose items are demands as they stand."""
# About people, accounts, prizes and dates, not about the solution.
_ADMINISTRATIVE = re.compile(
    r"\bteams?\b|team ?mates?|\bmerg(?:e|er|ing)\b|submissions? (?:per|a|each) day|daily"
    r"|entries per|\bprize|\beligib|\bwinn(?:er|ing)\b|\baccounts?\b"
    r"|years (?:old|of age)|\bresiden|\bcountr(?:y|ies)\b|accept (?:the|these|all)|\bregister"
    r"|sign up|privately shar|private(?:ly)? sharing|\bforums?\b"
    r"|\blegal|\bliab|\btax|\bemployee|\bsponsor|intellectual property|copyright|\bcit(?:e"
    r"|ation)\b|\bdeadline|final submissions|leaderboard|organi[sz]er"
    r"|\bthe host\b|please (?:see|read|refer|note|visit)|for (?:more|further) (?:details"
    r"|information)|\bfaq\b|competition rules|disqualif",
    re.IGNORECASE,
)
_ASKS_FOR_ANSWER = re.compile(
    r"\b(?:must|should|need to|will|have to|may) (?:also )?(?:predict|submit|provide|answer|give)\b",
    re.IGNORECASE,
)
_PRECISE = re.compile(
    r"sum to|between|named|range|exactly|at most|at least|up to|no more|integers?|only|not ", re.IGNORECASE
)
_SEARCHED = (Topic.GOAL, Topic.EVALUATION, Topic.SUBMISSION, Topic.DATA, Topic.FILES, Topic.REQUIREMENTS)


def read_constraints(document: Document) -> tuple[Found[str], ...]:
    """The constraints in page order; each once, in the page's words."""
    seen: set[str] = set()
    found: list[Found[str]] = []
    for candidate in _candidates(document):
        key = re.sub(r"\W+", " ", candidate.value.lower()).strip()
        if key and key not in seen and len(found) < MOST:
            seen.add(key)
            found.append(candidate)
    return tuple(found)


def _candidates(document: Document) -> Iterator[Found[str]]:
    lead = ""
    section: TopicSection | None = None
    for block in document.blocks:
        if block.section is not section:
            section, lead = block.section, ""
        if section.topic not in _SEARCHED or block.kind in ("fence", "table"):
            continue
        if block.kind == "text":
            lead = _lead(block)
        yield from _in_block(block, lead if block.kind == "list" else "")


def _lead(block: Block) -> str:
    """The words before a list that say what its items are: `The following is not allowed:`."""
    last = plain(block.lines[-1])
    last = re.split(r"(?<=[.!?])\s", last)[-1]
    leads = last.endswith(":") and len(last) <= 200
    return last if leads and (_VERDICT.search(last) or _CONDITIONS.search(last)) else ""


def _in_block(block: Block, lead: str) -> Iterator[Found[str]]:
    required = block.section.topic is Topic.REQUIREMENTS
    numbered = (
        split_instructions(" ".join(block.lines))
        if block.kind == "list" or block.lines[0][:2] == "1."
        else ()
    )
    if len(numbered) > 1:
        for text in numbered:
            if _is_constraint(text, required=required, item=True):
                yield Found(plain(text), _place(block, text))
        return
    if block.kind == "list" and (required or lead):
        text = plain(" ".join(block.lines))
        said = f"{lead} {text}".strip() if _VERDICT.search(lead) else text
        if _is_constraint(said, required=True, item=True) and len(text) <= 400:
            yield Found(said, _evidence(block, block.start, block.end))
        return
    for sentence in sentences_of(block):
        if _is_constraint(sentence.plain, required=required, item=False):
            yield Found(sentence.plain, _evidence(block, sentence.start, sentence.end))


def _is_constraint(text: str, *, required: bool, item: bool) -> bool:
    if not 8 <= len(text) <= 500 or _ADMINISTRATIVE.search(text) or text.endswith(("?", ":")):
        return False
    if _ASKS_FOR_ANSWER.search(text) and not _PRECISE.search(text):
        return False
    if item and required:
        return bool(_SUBJECT.search(text) or _STRICT.search(text))
    if item:
        return bool(_SUBJECT.search(text) and _DEMAND.search(text))
    if required:
        return bool(_STRICT.search(text) and _SUBJECT.search(text))
    return bool(_STRICT.search(text) and _HARD_SUBJECT.search(text))


def _evidence(block: Block, start: int, end: int) -> Evidence:
    return quote(block.section.page, start, end, "constraints", "demand in the page")


def _place(block: Block, text: str) -> Evidence:
    """Where a numbered item stands; the whole block where line breaks hide it."""
    start = block.section.page.markdown.find(text, block.start, block.end)
    return (
        _evidence(block, start, start + len(text)) if start >= 0 else _evidence(block, block.start, block.end)
    )
