"""Tables of figures in docs/crawl.md, each between two marks of its name."""

from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "crawl.md"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its columns but the first are to the right."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))


def put(name: str, text: str) -> None:
    """Put the text between the marks `name`, which the page has already, in place of what is there."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE} has no marks {begin.strip()} and {end.strip()}.")
    PAGE.write_text(f"{before}{begin}{text}{end}{after}", encoding="utf-8")
