"""What the store adds to rows that are written: their time, their write's name, their month."""

import threading
import time
import uuid
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from core.errors import LakeError
from lake.tables import BATCH, MONTH, WRITTEN_AT, Table


def new_batch() -> str:
    """A name for one write."""
    return uuid.uuid4().hex


def check_keys(columns: pa.Table, table: Table[Any]) -> None:
    """Two rows of one write with one key would both be the latest.

    Raises:
        LakeError: there are such rows.
    """
    if columns.group_by(list(table.key)).aggregate([]).num_rows != columns.num_rows:
        raise LakeError(f"Table {table.name}: two rows of one write have the same {', '.join(table.key)}.")


def stamped(columns: pa.Table, table: Table[Any], batch: str) -> pa.Table:
    """`columns` with the store's own: time of writing, batch, and month where it is a partition.

    Raises:
        LakeError: a partition's value is empty.
    """
    count = columns.num_rows
    stamp = pa.scalar(_CLOCK.now(), WRITTEN_AT.type)
    columns = columns.append_column(WRITTEN_AT, pa.repeat(stamp, count))
    columns = columns.append_column(BATCH, pa.repeat(pa.scalar(batch, BATCH.type), count))
    if MONTH in table.partition_by:
        months = pc.strftime(columns[table.latest_by], format="%Y-%m")
        columns = columns.append_column(table.schema.field(MONTH), months)
    for name in table.partition_by:
        if pc.any(pc.equal(columns[name], "")).as_py():
            raise LakeError(f"Table {table.name} is partitioned by {name}, which is empty in a row.")
    return columns


class _Clock:
    """Time that never stands still: two writes of one process always have an order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def now(self) -> datetime:
        with self._lock:
            self._last = max(self._last + 1, time.time_ns() // 1000)
            return datetime.fromtimestamp(self._last // 1_000_000, UTC).replace(
                microsecond=self._last % 1_000_000
            )


_CLOCK = _Clock()
