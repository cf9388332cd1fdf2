"""The data card of an exported release: one config per table, for `datasets.load_dataset(FOLDER, TABLE)`.

A table without rows has none: `datasets` refuses to load nothing.
"""

from collections.abc import Iterator

from lake.manifest import Manifest
from lake.tables import TASKS
from schema.data_card import Config, data_card, markdown_table

SPLIT = "train"
"""The name that `datasets` gives to what has no other parts."""


def card(manifest: Manifest) -> str:
    """The card as Markdown, with the front matter that `datasets` reads."""
    configs = [
        Config(name, SPLIT, tuple(part.path for part in table.parts), default=name == TASKS.name)
        for name, table in manifest.tables.items()
        if table.rows
    ]
    return data_card(f"TAM release {manifest.release}", configs, _body(manifest), tags=("benchmark",))


def _body(manifest: Manifest) -> Iterator[str]:
    yield f"A frozen state of a TAM lake, made {manifest.created_at:%Y-%m-%d %H:%M} UTC."
    yield ""
    yield "Every table holds all committed rows: of several rows with one key, the one written last"
    yield "(`written_at`; for pages and boards, the one read last: `fetched_at`) is in force."
    yield "`manifest.json` has the sha256 of every file; `tam release import` makes a lake of the folder."
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'tasks = load_dataset("FOLDER", "{TASKS.name}", split="{SPLIT}")'
    yield "```"
    yield ""
    rows = ((name, ", ".join(table.key), table.rows) for name, table in manifest.tables.items())
    yield from markdown_table(("table", "key", "rows"), rows)
