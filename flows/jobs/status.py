"""How the lake stands: what it holds, the last jobs, what waits, what was not read completely."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.records import made_of
from flows.engine.processes import alive
from flows.jobs.job import JobState
from lake.rows import JobRow
from lake.store import Lake
from lake.tables import ALARMS, JOBS, Table
from lake.views import quoted

KILLED = "killed"
"""The status of a job that says `running`, but whose process is gone."""

_PLATFORMS = """
SELECT platform, sum(competitions)::BIGINT AS competitions, sum(boards)::BIGINT AS boards,
       sum("rows")::BIGINT AS "rows", sum(incomplete)::BIGINT AS incomplete, sum(tasks)::BIGINT AS tasks,
       sum(kept)::BIGINT AS kept, max(read_at) AS read_at
FROM (
    SELECT platform, count(*) AS competitions, 0 AS boards, 0 AS "rows", 0 AS incomplete, 0 AS tasks,
           0 AS kept, NULL AS read_at
    FROM competitions GROUP BY platform
    UNION ALL SELECT platform, 0, count(*), sum(rows_seen), count(*) FILTER (NOT complete), 0, 0,
                     max(fetched_at) FROM boards GROUP BY platform
    UNION ALL SELECT platform, 0, 0, 0, 0, count(*), count(*) FILTER (task_id NOT IN (
                     SELECT task_id FROM screenings WHERE NOT passed)), NULL FROM tasks GROUP BY platform
) GROUP BY platform ORDER BY platform
"""
_INCOMPLETE = """
SELECT platform, competition, kind || coalesce(' (' || track || ')', '') AS kind, rows_seen, rows_claimed,
       fetched_at
FROM boards WHERE NOT complete ORDER BY ALL
"""
_TROUBLED = """
SELECT * FROM (
    SELECT platform, competition, arg_max(status, written_at) AS status,
           arg_max(coalesce(code, ''), written_at) AS code, arg_max(reason, written_at) AS reason
    FROM crawl_results_history GROUP BY platform, competition
) WHERE status <> 'complete' ORDER BY ALL
"""
_UNBUILT = """
WITH latest AS (
    SELECT platform, competition, max(written_at) AS read_at FROM (
        SELECT platform, competition, written_at FROM captures_history
        UNION ALL SELECT platform, competition, written_at FROM boards_history
        UNION ALL SELECT platform, competition, written_at FROM competitions_history
    ) GROUP BY ALL
), builds AS (
    SELECT max(started_at) AS built_at FROM jobs WHERE flow = 'build' AND status IN ('done', 'partial')
)
SELECT platform || '/' || competition AS competition, task_id IS NULL AS is_new
FROM competitions JOIN latest USING (platform, competition) CROSS JOIN builds
LEFT JOIN (SELECT platform, competition, task_id, written_at AS made_at FROM tasks)
     USING (platform, competition)
WHERE task_id IS NULL OR read_at > greatest(made_at, built_at) ORDER BY ALL
"""
_SUBSETS = (
    "SELECT subset, list(DISTINCT task_id ORDER BY task_id) AS tasks FROM subsets GROUP BY ALL ORDER BY ALL"
)
_GRADED = "SELECT task_id, list(DISTINCT run) AS runs FROM grades GROUP BY task_id"
_KEPT = """
SELECT task_id FROM tasks WHERE task_id NOT IN (SELECT task_id FROM screenings WHERE NOT passed) ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class PlatformStatus:
    """What the lake holds of one platform."""

    platform: str
    competitions: int
    boards: int
    rows: int
    """Of all its boards."""
    incomplete: int
    """Boards."""
    tasks: int
    kept: int
    """Tasks that pass the screening."""
    read_at: datetime | None
    """When a board was last read that was new."""


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job."""

    job_id: str
    flow: str
    started_at: datetime
    seconds: float
    """So far, if it runs."""
    status: str
    """As in `jobs`, or `killed`."""
    error: str | None
    pages: int | None
    rows: int | None
    tokens: int | None
    cost: float | None
    refusals: dict[str, int]
    """By reason, the most frequent first."""


@dataclass(frozen=True, slots=True)
class IncompleteBoard:
    """A board that is shorter than the site claims."""

    platform: str
    competition: str
    kind: str
    rows_seen: int
    rows_claimed: int | None
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class Troubled:
    """A competition whose last reading was not complete."""

    platform: str
    competition: str
    status: str
    code: str
    """A `core.errors.Reason`; empty: not known."""
    reason: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """What could be done with what the lake holds."""

    never_built: tuple[str, ...]
    """Competitions without a task."""
    changed: tuple[str, ...]
    """Competitions that were read anew since they were last built."""
    unprepared: tuple[str, ...]
    """Tasks of subsets whose data are not there."""
    never_graded: tuple[str, ...]
    """Tasks of subsets that no run was graded on."""


@dataclass(frozen=True, slots=True)
class AlarmStatus:
    """An alarm as the lake holds it."""

    kind: str
    platform: str | None
    message: str
    raised_at: datetime
    delivered: bool | None


@dataclass(frozen=True, slots=True)
class LakeStatus:
    """How the lake stands."""

    lake: str
    platforms: tuple[PlatformStatus, ...]
    subsets: dict[str, int]
    """Subset to its tasks."""
    runs: int
    """Agents' runs with grades."""
    releases: tuple[str, ...]
    jobs: tuple[JobStatus, ...]
    """The latest first."""
    waiting: Waiting
    incomplete: tuple[IncompleteBoard, ...]
    troubled: tuple[Troubled, ...]
    alarms: tuple[AlarmStatus, ...]
    """The latest first."""

    @property
    def kept(self) -> int:
        """Tasks that pass the screening."""
        return sum(platform.kept for platform in self.platforms)


def lake_status(lake: Lake, *, jobs: int = 8, alarms: int = 5) -> LakeStatus:
    """How the lake stands, with its latest `jobs` and `alarms`."""
    subsets = {row["subset"]: row["tasks"] for row in _asked(lake, _SUBSETS)}
    graded = {row["task_id"]: row["runs"] for row in _asked(lake, _GRADED)}
    members = sorted({task for tasks in subsets.values() for task in tasks})
    unbuilt = _asked(lake, _UNBUILT)
    prepared = lake.root / "prepared"
    return LakeStatus(
        lake=str(lake.root),
        platforms=tuple(PlatformStatus(**row) for row in _asked(lake, _PLATFORMS)),
        subsets={name: len(tasks) for name, tasks in subsets.items()},
        runs=len({run for runs in graded.values() for run in runs}),
        releases=tuple(release.name for release in lake.releases()),
        jobs=tuple(last_jobs(lake, jobs)),
        waiting=Waiting(
            never_built=tuple(row["competition"] for row in unbuilt if row["is_new"]),
            changed=tuple(row["competition"] for row in unbuilt if not row["is_new"]),
            unprepared=tuple(task for task in members if not (prepared / task).is_dir()),
            never_graded=tuple(task for task in members if task not in graded),
        ),
        incomplete=tuple(IncompleteBoard(**row) for row in _asked(lake, _INCOMPLETE)),
        troubled=tuple(Troubled(**row) for row in _asked(lake, _TROUBLED)),
        alarms=tuple(AlarmStatus(**row) for row in _last(lake, ALARMS, _ALARM_COLUMNS, "raised_at", alarms)),
    )


_ALARM_COLUMNS = ("kind", "platform", "message", "raised_at", "delivered")


def last_jobs(lake: Lake, most: int) -> Iterable[JobStatus]:
    """The latest jobs, the last one first."""
    rows = [JobRow(**row) for row in _last(lake, JOBS, JOBS.row_schema.names, "started_at", most)]
    refusals = _refusals(lake, [row.job_id for row in rows])
    now = datetime.now(UTC)
    for row in rows:
        gone = row.status == JobState.RUNNING and not alive(row)
        yield made_of(
            JobStatus,
            row,
            seconds=(now - row.started_at).total_seconds() if row.seconds is None else row.seconds,
            status=KILLED if gone else row.status,
            tokens=None if row.tokens_in is None else row.tokens_in + (row.tokens_out or 0),
            refusals=refusals[row.job_id],
        )


def _refusals(lake: Lake, jobs: Sequence[str]) -> defaultdict[str, dict[str, int]]:
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    if jobs:
        query = f"""
        SELECT job_id, label, sum(value)::BIGINT AS times FROM job_counts
        WHERE counter = 'refusals' AND job_id IN ({", ".join(map(quoted, jobs))})
        GROUP BY ALL ORDER BY times DESC, label
        """  # noqa: S608  # the ids are quoted
        for row in _asked(lake, query):
            found[row["job_id"]][row["label"]] = row["times"]
    return found


def _last(
    lake: Lake, table: Table[Any], columns: Sequence[str], time: str, most: int
) -> list[dict[str, Any]]:
    names = ", ".join(f'"{column}"' for column in columns)
    query = f"SELECT {names} FROM {table.name} ORDER BY {time} DESC LIMIT {int(most)}"  # noqa: S608
    return _asked(lake, query)


def _asked(lake: Lake, query: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = lake.sql(query).to_pylist()
    return rows
