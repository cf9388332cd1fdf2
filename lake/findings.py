"""What `tam lake check` can find, and what to do about it."""

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Kinds of faults of a lake."""

    TABLE_UNREADABLE = "table-unreadable"
    FILE_MISSING = "file-missing"
    FILE_SIZE = "file-size"
    FILE_DAMAGED = "file-damaged"
    FILE_ORPHANED = "file-orphaned"
    TEMPORARY = "temporary"
    BYTES_CHANGED = "bytes-changed"
    LINK = "link"
    LISTED_MISSING = "listed-missing"
    COMMIT_UNLISTED = "commit-unlisted"
    LIST_DAMAGED = "list-damaged"
    CHECKPOINT_DAMAGED = "checkpoint-damaged"
    RAW_MISSING = "raw-missing"
    RAW_DAMAGED = "raw-damaged"
    BOARD_ROWS = "board-rows"
    BOARD_EMPTY = "board-empty"
    ROWS_UNSHOWN = "rows-unshown"
    RELEASE_DAMAGED = "release-damaged"
    RELEASE_CHANGED = "release-changed"
    RELEASE_UNLISTED = "release-unlisted"


_REPAIR = "`tam lake repair` removes it"
_COPY = "put the file back from a copy of the lake"
_REMEDIES = {
    Code.TABLE_UNREADABLE: "put the table's _delta_log back from a copy of the lake",
    Code.FILE_MISSING: f"{_COPY}; without it, this table or release cannot be read",
    Code.FILE_SIZE: _COPY,
    Code.FILE_DAMAGED: _COPY,
    Code.FILE_ORPHANED: f"a writer was killed before it committed; {_REPAIR}",
    Code.TEMPORARY: f"a writer was killed before it finished; {_REPAIR}",
    Code.BYTES_CHANGED: f"{_COPY}, or prepare the task again if it is prepared data",
    Code.LINK: f"{_COPY}: a lake holds its files itself",
    Code.LISTED_MISSING: _COPY,
    Code.COMMIT_UNLISTED: "an older TAM wrote it, or a writer that was killed; `tam lake repair` lists them",
    Code.LIST_DAMAGED: f"{_COPY}, or delete it and let `tam lake repair` write it again if all else is whole",
    Code.CHECKPOINT_DAMAGED: "delete _last_checkpoint; it is written again with the next checkpoint",
    Code.RAW_MISSING: f"{_COPY}, or read the page again (`tam crawl`)",
    Code.RAW_DAMAGED: "delete the file, then put it back from a copy or read the page again (`tam crawl`)",
    Code.BOARD_ROWS: "read the board again (`tam crawl --competition …`)",
    Code.BOARD_EMPTY: "read the board again (`tam crawl --competition …`)",
    Code.ROWS_UNSHOWN: "a writer was killed before it wrote the board; `tam lake repair` drops the rows",
    Code.RELEASE_DAMAGED: f"{_COPY}, or let `tam lake repair` put it aside",
    Code.RELEASE_CHANGED: f"{_COPY}; grades made against the release cannot be reproduced without it",
    Code.RELEASE_UNLISTED: "`tam release create` was killed; `tam lake repair` writes the list again",
}
MENDABLE = frozenset(
    {
        Code.FILE_ORPHANED,
        Code.TEMPORARY,
        Code.ROWS_UNSHOWN,
        Code.RELEASE_DAMAGED,
        Code.RELEASE_UNLISTED,
        Code.COMMIT_UNLISTED,
    }
)
"""What a crash can leave, and `tam lake repair` mends."""


@dataclass(frozen=True, slots=True)
class LakeFinding:
    """One fault."""

    code: Code
    where: str
    """A file below the lake's folder, a table, or a board."""
    what: str
    remedy: str


def finding(code: Code, where: str, what: str) -> LakeFinding:
    """A fault, with what to do about it."""
    return LakeFinding(code, where, what, _REMEDIES[code])
