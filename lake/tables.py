"""The lake's tables, each declared once. A new table is one declaration here and its row in `lake.rows`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import pyarrow as pa

from lake import rows
from lake.arrow import arrow_schema

Row = TypeVar("Row")

MONTH = "month"
"""Partition computed from the table's `latest_by` time: `2026-05`."""
WRITTEN_AT = pa.field("written_at", pa.timestamp("us", tz="UTC"), nullable=False)
BATCH = pa.field("batch", pa.string(), nullable=False)


@dataclass(frozen=True)
class Table(Generic[Row]):
    """One table: what a row is, what makes it unique, and which rows its view shows.

    The view `name` shows the latest row of every `key`; where `replaces` names columns, it shows instead the
    whole latest write of every such group (a subset cut anew must not keep members of the old cut). With
    `shown_by`, a row is shown only if a row of that table, written with it, is. History is in `name_history`.
    """

    name: str
    row: type[Row]
    key: tuple[str, ...]
    partition_by: tuple[str, ...] = ()
    latest_by: str = WRITTEN_AT.name
    replaces: tuple[str, ...] = ()
    shown_by: "Table[Any] | None" = None
    sort_by: tuple[str, ...] = ()
    """The order of rows in merged files, for what is asked most; empty: the key's."""
    private: bool = False
    """It tells of this machine (hosts, processes, paths): an exported release leaves it out."""

    @cached_property
    def row_schema(self) -> pa.Schema:
        """The columns that a row gives."""
        return arrow_schema(self.row)

    @property
    def order(self) -> tuple[str, ...]:
        """The order of rows in merged files: whole, so that merging the same rows gives the same file."""
        return tuple(dict.fromkeys((*(self.sort_by or self.key), WRITTEN_AT.name, BATCH.name)))

    @cached_property
    def schema(self) -> pa.Schema:
        """All columns: the row's, then the store's."""
        month = [pa.field(MONTH, pa.string(), nullable=False)] if MONTH in self.partition_by else []
        return pa.schema([*self.row_schema, WRITTEN_AT, BATCH, *month])


BY_MONTH = ("platform", MONTH)

CAPTURES = Table(
    "captures",
    row=rows.CaptureRow,
    key=("platform", "competition", "kind", "url"),
    partition_by=BY_MONTH,
    latest_by="fetched_at",
)
COMPETITIONS = Table("competitions", row=rows.CompetitionRow, key=("platform", "competition"))
BOARDS = Table(
    "boards",
    row=rows.BoardHeadRow,
    key=("platform", "competition", "kind", "track"),
    partition_by=BY_MONTH,
    latest_by="fetched_at",
)
BOARD_ROWS = Table(
    "board_rows",
    row=rows.BoardLineRow,
    key=("board_id", "position"),
    partition_by=BY_MONTH,
    latest_by="fetched_at",
    shown_by=BOARDS,
    sort_by=("competition", "board_id", "position"),
)
CRAWLS = Table("crawls", row=rows.CrawlRow, key=("crawl_id",), private=True)
CRAWL_RESULTS = Table("crawl_results", row=rows.CrawlResultRow, key=("crawl_id", "platform", "competition"))
JOBS = Table("jobs", row=rows.JobRow, key=("job_id",), private=True)
JOB_COUNTS = Table(
    "job_counts", row=rows.JobCountRow, key=("job_id", "counter", "platform", "label"), private=True
)
ALARMS = Table("alarms", row=rows.AlarmRow, key=("alarm_id",), private=True)
ROUTES = Table("routes", row=rows.RouteRow, key=("platform", "site", "competition", "declared"))
FOOTPRINTS = Table("footprints", row=rows.FootprintRow, key=("platform", "competition"))
TASKS = Table("tasks", row=rows.TaskRow, key=("task_id",))
MAPPINGS = Table("mappings", row=rows.MappingRow, key=("task_id", "asked"))
SETTLEMENTS = Table("settlements", row=rows.SettlementRow, key=("task_id", "field"), replaces=("task_id",))
SCREENINGS = Table("screenings", row=rows.ScreeningRow, key=("task_id", "rule"), replaces=("task_id",))
DIFFICULTIES = Table("difficulties", row=rows.DifficultyRow, key=("task_id", "scorer"))
SUBSETS = Table(
    "subsets", row=rows.SubsetRow, key=("subset", "release", "task_id"), replaces=("subset", "release")
)
GRADES = Table("grades", row=rows.GradeRow, key=("run", "seed", "task_id"))
VERDICTS = Table(
    "verdicts",
    row=rows.VerdictRow,
    key=("run", "seed", "task_id", "constraint_index", "judge"),
    replaces=("run", "seed", "task_id"),
)


def _declared() -> Iterator[Table[Any]]:
    """Every table above; one that shows another's rows comes before it.

    Snapshots are taken in this order: a board seen in `boards` then has its rows in the later snapshot.
    """
    tables = [value for value in globals().values() if isinstance(value, Table)]
    yield from sorted(tables, key=lambda table: table.shown_by is not None)


TABLES: Mapping[str, Table[Any]] = MappingProxyType({table.name: table for table in _declared()})
