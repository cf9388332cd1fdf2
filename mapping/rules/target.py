"""The target as the description of the data names it, for pages that show no submission with columns."""

import re

from mapping.evidence import quote
from mapping.rules.document import Document, Found
from mapping.rules.sections import Topic

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
