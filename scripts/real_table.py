"""Puts what the readers make of real artefacts into docs/crawl.md: `scripts/real_table.py RESULTS.json`.

RESULTS.json is a list of objects with `name`, `source` (the repository of the artefact), `verdict` (RIGHT,
REFUSED or WRONG, perhaps with words behind it), `rows` and `detail`, as a checker wrote it that compares
every cell with a truth of its own. Replicas have a table of their own on that page.
"""

import json
import sys
from collections import Counter
from pathlib import Path

_PAGE = Path(__file__).parents[1] / "docs" / "crawl.md"
_BEGIN, _END = "<!-- real artefacts: begin -->\n", "<!-- real artefacts: end -->\n"


def table(results: list[dict[str, str]]) -> str:
    """A row for each board, and the sums."""
    rows = [
        f"| {one['name']} | {one['source']} | {one['rows'].split(' rows')[0] or '-'} | {_verdict(one)} |"
        for one in results
    ]
    counts = Counter(one["verdict"].split()[0] for one in results)
    sums = f"{counts['RIGHT']} of {len(results)} right"
    sums += f", {counts['WRONG']} silently wrong, {counts['REFUSED']} refused"
    return "\n".join(
        ["| board | from | rows | verdict |", "|---|---|---|---|", *rows, "", f"**{sums}.**", ""]
    )


def _verdict(one: dict[str, str]) -> str:
    reason = one["detail"].split(";")[0].strip()
    said = one["verdict"].lower()
    return f"{said}: {reason}".replace("|", "/") if said.startswith(("refused", "wrong")) else said


def main() -> None:
    """Write the table into the page."""
    text = _PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    results = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    _PAGE.write_text(f"{before}{_BEGIN}{table(results)}{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
