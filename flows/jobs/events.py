"""Events of jobs and alarms for Prefect's automations; outside of a Prefect flow run nothing is emitted."""

import logging
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lake.rows import AlarmRow, JobRow

if TYPE_CHECKING:
    from prefect.context import FlowRunContext

_log = logging.getLogger(__name__)


def flow_run() -> str | None:
    """The id of the Prefect flow run that this is part of."""
    context = _context()
    return None if context is None or context.flow_run is None else str(context.flow_run.id)


def job_ended(job: JobRow) -> None:
    """Emit `tam.job.<status>`, of the resource `tam.flow.<flow>`."""
    known = {"job": job.job_id, "flow": job.flow, "seconds": job.seconds, "refusals": job.refusals}
    _emit(f"tam.job.{job.status}", f"tam.flow.{job.flow}", {**known, "error": job.error})


def alarm_raised(alarm: AlarmRow) -> None:
    """Emit `tam.alarm.<kind>`, of the resource `tam.platform.<platform>`, else `tam.flow.<flow>`."""
    resource = f"tam.platform.{alarm.platform}" if alarm.platform else f"tam.flow.{alarm.flow}"
    known = {"job": alarm.job_id, "flow": alarm.flow, "platform": alarm.platform, "message": alarm.message}
    _emit(f"tam.alarm.{alarm.kind}", resource, {**known, "subjects": alarm.subjects, "count": alarm.count})


def _emit(event: str, resource: str, payload: Mapping[str, object]) -> None:
    if _context() is None:
        return
    from prefect.events import emit_event

    try:
        emit_event(event, {"prefect.resource.id": resource}, payload=dict(payload))
    # Whatever is wrong with Prefect's server: the job itself is done, and must not fail for its event.
    except Exception:  # noqa: BLE001
        _log.warning("the event %s is not emitted", event, exc_info=True)


def _context() -> "FlowRunContext | None":
    if "prefect" not in sys.modules:  # then no flow of Prefect runs here, and the import would take a second
        return None
    from prefect.context import FlowRunContext

    return FlowRunContext.get()
