"""The data card of an exported folder: `README.md` as the Hugging Face Hub and `datasets` read it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

CARD = "README.md"


@dataclass(frozen=True, slots=True)
class Config:
    """One table of the folder, as `load_dataset(FOLDER, NAME)` finds it."""

    name: str
    split: str
    paths: tuple[str, ...]
    """Below the folder; Parquet."""
    default: bool = False


def data_card(title: str, configs: Sequence[Config], body: Iterable[str], *, tags: Sequence[str] = ()) -> str:
    """The card: what programs read between the rules (JSON, which is YAML), then Markdown for people."""
    stated: dict[str, object] = {
        "pretty_name": title,
        "license": "other",
        "tags": list(tags),
        "configs": [_config(config) for config in configs],
    }
    lines = [f"{name}: {json.dumps(value)}" for name, value in stated.items()]
    return "\n".join(["---", *lines, "---", "", f"# {title}", "", *body]) + "\n"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a Markdown table; a cell can be anything, and stays in its cell."""
    lines = [_line(header), _line(["---"] * len(header))]
    return lines + [_line([_cell(value) for value in row]) for row in rows]


def _config(config: Config) -> dict[str, object]:
    stated: dict[str, object] = {
        "config_name": config.name,
        "data_files": [{"split": config.split, "path": list(config.paths)}],
    }
    return {**stated, "default": True} if config.default else stated


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    plain = " ".join(str(value).replace("`", "'").split())
    return f"`{plain.replace('|', '/')}`" if plain else ""
