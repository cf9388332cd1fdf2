"""Evidence: the text that a field of a task was read from."""

from pydantic import BaseModel, ConfigDict

SITE = "site"
"""The page of evidence that the site's structured data gives."""
QUOTE_LIMIT = 500
"""Characters of a quote at most; its span is cut with it."""


class Evidence(BaseModel):
    """The text that a field was read from: `text[start:end] == quote`."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    field: str
    """Dotted as in the record: `metric_id`, `metric.metric_name`, `constraints.0`."""
    page: str
    """Kind of the page (`overview`, `evaluation`, …), or `site` for the site's structured data."""
    page_sha256: str = ""
    """sha256 of the page's Markdown, which is the capture's `content_sha256`; of `site_text` for the site."""
    start: int
    """First character in that text."""
    end: int
    rule: str
    """Name of the rule, or of the mapper."""
    quote: str = ""
