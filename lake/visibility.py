# ruff: noqa: S608  # file names are quoted, names are the lake's own
"""Which files of `board_rows` hold nothing but rows that `boards` shows (decision 0002): proven, not joined.

A join of every row with its board costs more than most questions. So whole files are proven instead:

- A file that merging made, and named after the state of `boards` in which all its rows had their board.
- A write's files, where they have exactly as many rows as the boards of that write say.

What is left, such as the rows of a writer that is still at work or was killed, is joined row by row.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from lake import delta
from lake.delta import Snapshot, TableFile
from lake.engine import Engine, engine
from lake.literals import file_list

SHOWN = "shown-"
"""How the names of merged files begin of which all rows are shown."""
_MERGED = re.compile(rf"{SHOWN}(\d+)-.*")
_MEMORY_GB, _DISK_GB = 1.0, 20.0


@dataclass(frozen=True, slots=True)
class Visible:
    """The files of a table whose rows another table's rows show."""

    whole: tuple[str, ...]
    """Every row is shown, but for `again`."""
    mixed: tuple[str, ...]
    """Each row has to be looked up."""
    again: tuple[tuple[str, str], ...] = ()
    """Of ids that were committed several times: the id, and the write that counts."""


@dataclass(frozen=True, slots=True)
class _Heads:
    batches: pa.Array
    rows: pa.Array
    """Rows that the heads of each batch say they have."""
    again: tuple[tuple[str, str], ...]


def merged_name(version: int) -> str:
    """How the name begins of a merged file all of whose rows are shown since that version of the heads."""
    return f"{SHOWN}{version}-"


def visible(folder: Path, child: str, heads: Snapshot, rows: Snapshot, *, parent: str) -> Visible:
    """Sort the files of `rows`; `child` names its table and `parent` that of `heads`, both below `folder`."""
    if not rows.files:
        return Visible((), ())
    return _visible(folder, (child, parent), heads, rows)


@lru_cache(maxsize=32)
def _visible(folder: Path, names: tuple[str, str], heads: Snapshot, rows: Snapshot) -> Visible:
    child, parent = names
    files = delta.data_files(folder / child, rows.version)
    known = _heads(folder, parent, heads)
    proven = {file.name for file in files if _merged_since(file) <= heads.version}
    written = _whole_batches(files, known)
    proven |= {file.name for file in files if file.batch in written}
    where = {str(folder / child / file.name): file.name in proven for file in files}
    return Visible(
        tuple(file for file in rows.files if where.get(file, False)),
        tuple(file for file in rows.files if not where.get(file, False)),
        known.again,
    )


def _merged_since(file: TableFile) -> float:
    """The version of the heads since which all its rows are shown; infinity where nothing says so."""
    found = _MERGED.fullmatch(Path(file.name).name)
    return int(found[1]) if found else float("inf")


def _whole_batches(files: Sequence[TableFile], heads: _Heads) -> frozenset[str]:
    """Writes of which the files have exactly as many rows as their heads say."""
    there: Counter[str] = Counter()
    for file in files:
        if file.batch is not None:
            there[file.batch] += file.rows
    batches = pa.array(there.keys(), pa.string())
    said = heads.rows.take(pc.index_in(batches, heads.batches)).to_pylist()
    return frozenset(
        batch for (batch, count), claimed in zip(there.items(), said, strict=True) if count == claimed
    )


@lru_cache(maxsize=8)
def _heads(folder: Path, parent: str, heads: Snapshot) -> _Heads:
    del parent  # tells one table from another
    if not heads.files:
        return _Heads(pa.array([], pa.string()), pa.array([], pa.int64()), ())
    scan = f"read_parquet({file_list(heads.files)}, union_by_name=true, hive_partitioning=false)"
    asked = engine(str(folder), _MEMORY_GB, _DISK_GB)
    counts = _asked(asked, f"SELECT batch, sum(rows_seen)::BIGINT AS rows FROM {scan} GROUP BY 1")
    again = _asked(
        asked,
        f"SELECT board_id, arg_max(batch, (written_at, batch)) AS batch FROM {scan}"
        " GROUP BY 1 HAVING count(*) > 1 ORDER BY 1",
    )
    return _Heads(
        counts["batch"].combine_chunks(),
        counts["rows"].combine_chunks(),
        tuple(zip(again["board_id"].to_pylist(), again["batch"].to_pylist(), strict=True)),
    )


def _asked(asked: Engine, text: str) -> pa.Table:
    with asked.connection() as connection:
        return connection.sql(text).to_arrow_table()
