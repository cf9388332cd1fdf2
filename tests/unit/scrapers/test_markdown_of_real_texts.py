"""Real overviews, rendered to HTML and read back: no word, code block or table is lost."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from scrapers.markdown import content_to_markdown, to_markdown

_SAMPLE = 30
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@pytest.fixture(scope="module")
def overviews(real_competitions: Path) -> list[str]:
    """Every fourth or so of the real overviews, the same ones each time."""
    paths = sorted(real_competitions.glob("*/*/overview.md"))
    return [path.read_text(encoding="utf-8") for path in paths[:: max(1, len(paths) // _SAMPLE)]]


def recall(source: str, result: str) -> float:
    """Share of the source's words, each as often as it is there, that the result has too."""
    words, found = (Counter(re.findall(r"\w+", text)) for text in (source, result))
    return 1 - (words - found).total() / max(1, words.total())


def code_of(markdown: str) -> list[str]:
    tokens = _PARSER.parse(markdown)
    blocks = (token.content.strip("\n").rstrip() for token in tokens if token.type in {"fence", "code_block"})
    return [block for block in blocks if block]


def table_cells(markdown: str) -> Iterable[str]:
    return [
        token.type for token in _PARSER.parse(markdown) if token.type in {"table_open", "th_open", "td_open"}
    ]


def test_words_code_and_tables_survive_rendering_and_reading(overviews: list[str]) -> None:
    assert len(overviews) >= _SAMPLE
    for source in overviews:
        result = to_markdown(_PARSER.render(source))
        assert recall(source, result) >= 0.97  # the renderer itself eats marks inside formulas
        assert code_of(result) == code_of(source)
        assert table_cells(result) == table_cells(source)


def test_words_code_and_tables_survive_reading_as_typed(overviews: list[str]) -> None:
    for source in overviews:
        result = content_to_markdown(source)
        assert recall(source, result) >= 0.99
        assert code_of(result) == code_of(source)
        assert table_cells(result) == table_cells(source)
