"""Values as SQL text."""

from collections.abc import Sequence


def quoted(text: str) -> str:
    """`text` as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def file_list(files: Sequence[str]) -> str:
    """`files` as an SQL list of literals."""
    return "[" + ", ".join(map(quoted, files)) + "]"
