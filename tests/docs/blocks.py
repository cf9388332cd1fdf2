"""The fenced blocks of a Markdown page, as a test reads them."""

from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
NO_RUN = "no-run"
"""Second word of a fence's info: a reader runs the block, the test does not; the reason follows."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    language: str
    text: str
    reason: str | None
    """Why it is not run; None: it is."""


GUIDES = ("crawl", "grading", "operations", "platforms", "scaling", "security", "sql")
"""Pages of `docs/` whose commands a reader types, one after the other."""


def pages() -> list[Path]:
    """README and guides."""
    return [ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in GUIDES)]


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    tokens = MarkdownIt().parse(page.read_text("utf-8"))
    found = []
    for token in tokens:
        if token.type != "fence":
            continue
        language, _, rest = token.info.strip().partition(" ")
        reason = rest.removeprefix(NO_RUN).strip() if rest.startswith(NO_RUN) else None
        line = (token.map or [0])[0] + 1
        found.append(Block(page.relative_to(ROOT).as_posix(), line, language, token.content, reason))
    return found


def commands_of(page: Path) -> list[Block]:
    """The blocks of commands of a page."""
    return [block for block in blocks_of(page) if block.language == "sh"]
