"""Jobs: a flow carried out once, recorded in the lake from its beginning to its end, however it ends.

Around the flow's plain function, so that it is the same under Prefect and without: rows in `jobs`,
`job_counts` and `alarms`, ids in every logged line, spans and metrics, the webhook, Prefect's events.
"""

import asyncio
import functools
import logging
import threading
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Concatenate, ParamSpec, TypeVar

from pydantic import BaseModel

from core import logs
from core.errors import ConsentError, LakeError
from core.records import made_of
from core.settings import Settings
from core.text import clipped
from flows.engine.counters import Counted, Tally, counted_by
from flows.engine.processes import this_process
from flows.jobs import events as prefect_events
from flows.jobs.alarms import Alarm, Kind, alarm, collect, sound
from flows.jobs.telemetry import sent_to
from flows.jobs.webhook import Message, post
from lake.rows import AlarmRow, JobCountRow, JobRow
from lake.store import Lake
from lake.tables import ALARMS, JOB_COUNTS, JOBS

P = ParamSpec("P")
Request = TypeVar("Request", bound=BaseModel)
Report = TypeVar("Report")
_Flow = Callable[Concatenate[Settings, Request, P], Awaitable[Report]]
_RecordedFlow = Callable[Concatenate[Settings, Request, P], Coroutine[Any, Any, Report]]

_log = logging.getLogger(__name__)
FIRST_SAVE, SAVE_EVERY = 5.0, 30.0
"""Seconds after which the counters of a running job are entered first, and then again."""
_LONGEST_ERROR = 500


class JobState(StrEnum):
    """How a job stands."""

    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    """Some of it failed, the rest is done."""
    FAILED = "failed"
    STOPPED = "stopped"
    """By the user."""


def recorded(flow: str) -> Callable[[_Flow[Request, P, Report]], _RecordedFlow[Request, P, Report]]:
    """Make every call of a flow's function a job of the name `flow`."""

    def decorate(function: _Flow[Request, P, Report]) -> _RecordedFlow[Request, P, Report]:
        @functools.wraps(function)
        async def call(settings: Settings, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> Report:
            async with job(settings, flow, request):
                return await function(settings, request, *args, **kwargs)

        return call

    return decorate


@asynccontextmanager
async def job(settings: Settings, flow: str, request: BaseModel) -> AsyncIterator[None]:
    """Record the block as a job.

    What cannot be recorded, posted or sent is logged; it never makes the job fail.

    Raises:
        SettingsError: telemetry is set, but not installed.
        LakeError: the lake's folder is something else.
    """
    tally, alarms = Tally(), collect()
    kept = _Job(settings, flow, request.model_dump_json(), tally)
    with (
        logs.ids(job=kept.job_id, flow=flow),
        sent_to(settings.telemetry, flow, kept.job_id) as metrics,
        counted_by(tally),
    ):
        await asyncio.to_thread(kept.save)
        saving = asyncio.create_task(_save_now_and_then(kept))
        status, error = JobState.FAILED, None
        try:
            yield
            status = JobState.DONE if tally.whole else JobState.PARTIAL
        except (asyncio.CancelledError, KeyboardInterrupt):
            status = JobState.STOPPED
            raise
        except BaseException as problem:
            error = clipped(f"{type(problem).__name__}: {problem}", _LONGEST_ERROR)
            if not isinstance(problem, ConsentError):  # nothing has changed: the user has never allowed it
                sound(alarm(Kind.JOB_FAILED, error))
            raise
        finally:
            saving.cancel()
            with suppress(asyncio.CancelledError):
                await saving
            await asyncio.to_thread(kept.finish, status, error)
            await asyncio.to_thread(kept.tell, alarms)
            await asyncio.to_thread(metrics.send, flow, tally.values())


async def _save_now_and_then(kept: "_Job") -> None:
    await asyncio.sleep(FIRST_SAVE)
    while True:
        await asyncio.to_thread(kept.save)
        await asyncio.sleep(SAVE_EVERY)


class _Job:
    """The rows of one job. Several threads may save."""

    def __init__(self, settings: Settings, flow: str, request: str, tally: Tally) -> None:
        started = datetime.now(UTC)
        self.job_id = f"{started:%Y%m%dT%H%M%S}-{flow}-{uuid.uuid4().hex[:8]}"
        self._lake, self._webhook, self._tally = Lake(settings.lake), settings.webhook, tally
        self._lock = threading.Lock()
        self._begun = False
        self._saved: Mapping[Counted, float] = {}
        self._row = made_of(
            JobRow,
            this_process(),
            job_id=self.job_id,
            flow=flow,
            request=request,
            started_at=started,
            finished_at=None,
            status=JobState.RUNNING,
            error=None,
            prefect_run=prefect_events.flow_run(),
        )

    def save(self) -> None:
        """Enter the job, once there is a lake, and its counters as far as they have changed."""
        if not self._lake.exists:  # what fails before it has read anything leaves no lake
            return
        with self._lock:
            try:
                if not self._begun:
                    self._lake.append(JOBS, [self._row])
                    self._begun = True
                values = self._tally.values()
                changed = {key: value for key, value in values.items() if self._saved.get(key) != value}
                self._lake.append(JOB_COUNTS, [self._count_row(key, changed[key]) for key in changed])
                self._saved = values
            except LakeError as error:
                _log.warning("the job is not recorded: %s", error)

    def finish(self, status: JobState, error: str | None) -> None:
        """Enter the job's end."""
        finished = datetime.now(UTC)
        self._row = replace(
            self._row,
            finished_at=finished,
            status=status,
            error=error,
            seconds=(finished - self._row.started_at).total_seconds(),
            pages=self._total("pages"),
            rows=self._total("rows"),
            tokens_in=self._total("tokens_in"),
            tokens_out=self._total("tokens_out"),
            cost=self._tally.total("cost"),
            refusals=self._total("refusals"),
            retries=self._total("retries"),
        )
        self._begun = False
        self.save()
        _log.info("the job ends: %s in %.1f s%s", status, self._row.seconds, f": {error}" if error else "")
        prefect_events.job_ended(self._row)

    def tell(self, alarms: Sequence[Alarm]) -> None:
        """Enter the alarms, and tell whoever is to be told."""
        rows = [self._alarm_row(number, one) for number, one in enumerate(alarms)]
        for row in rows:
            _log.warning("alarm: %s: %s", row.kind, row.message)
            prefect_events.alarm_raised(row)
        self._enter(rows)
        if self._webhook is not None:
            delivered = []
            for row in rows:
                if not post(self._webhook, _message(row)):
                    break
                delivered.append(replace(row, delivered=True))
            self._enter(delivered)

    def _enter(self, rows: Sequence[AlarmRow]) -> None:
        if self._lake.exists:
            try:
                self._lake.append(ALARMS, rows)
            except LakeError as error:
                _log.warning("alarms are not recorded: %s", error)

    def _total(self, counter: str) -> int | None:
        total = self._tally.total(counter)
        return None if total is None else int(total)

    def _count_row(self, counted: Counted, value: float) -> JobCountRow:
        return JobCountRow(self.job_id, counted.counter, counted.platform, counted.label, float(value))

    def _alarm_row(self, number: int, one: Alarm) -> AlarmRow:
        return made_of(
            AlarmRow,
            one,
            self._row,
            alarm_id=f"{self.job_id}-{number}",
            raised_at=datetime.now(UTC),
            delivered=None if self._webhook is None else False,
        )


def _message(row: AlarmRow) -> Message:
    """An alarm as the webhook gets it. `text` is what chat services show; nothing in it is markup."""
    place = f" {row.platform}" if row.platform else ""
    return {
        "text": f"tam {row.flow}:{place} {row.kind}: {row.message}",
        "kind": row.kind,
        "flow": row.flow,
        "job": row.job_id,
        "platform": row.platform,
        "message": row.message,
        "subjects": row.subjects,
        "count": row.count,
        "raised_at": row.raised_at.isoformat(timespec="seconds"),
    }
