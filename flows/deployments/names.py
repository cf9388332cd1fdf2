"""Names of what is deployed: flows, runs, the work pool, its queues and limits. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

POOL = "tam"
"""The work pool that `tam worker` serves, and `prefect worker start --pool tam`."""
LAKE_LIMIT = "tam-lake"
"""Prefect's global concurrency limit of what writes tasks and reports."""
EVERYWHERE = "all"
"""In place of a platform: all of them, or a flow that has none."""


class FlowName(StrEnum):
    """What can be scheduled."""

    NIGHT = "night"
    """Crawl, build what has changed, write the report."""
    CRAWL = "crawl"
    BUILD = "build"
    REPORT = "report"
    GRADE = "grade"
    OPTIMISE = "optimise"

    @property
    def reads_sites(self) -> bool:
        """Whether it has a platform."""
        return self in {FlowName.NIGHT, FlowName.CRAWL}


ENTRYPOINTS: Mapping[FlowName, str] = {
    FlowName.NIGHT: "flows.deployments.entrypoints.night",
    FlowName.CRAWL: "flows.deployments.entrypoints.crawl_alone",
    FlowName.BUILD: "flows.deployments.entrypoints.build_alone",
    FlowName.REPORT: "flows.deployments.entrypoints.report_alone",
    FlowName.GRADE: "flows.deployments.entrypoints.grade_alone",
    FlowName.OPTIMISE: "flows.deployments.entrypoints.optimise",
}
"""Where Prefect finds each flow."""


def queue_of(flow: FlowName, platform: str | None) -> str:
    """The work queue whose limit holds for a run: a platform's, or the flow's own."""
    return (platform or EVERYWHERE) if flow.reads_sites else flow.value


def run_name(flow: str, parameters: Mapping[str, object], scheduled: datetime) -> str:
    """For example `crawl kaggle 2026-11-21 02:00`, in this machine's time zone."""
    words = [flow, *_platforms(parameters.get("request")), f"{scheduled.astimezone():%Y-%m-%d %H:%M}"]
    return " ".join(words)


def _platforms(request: object) -> Iterable[str]:
    """The platforms of a crawl's or a night's request, as a record or as Prefect stores it."""
    for name in ("crawl", "platforms"):
        found = request.get(name) if isinstance(request, Mapping) else getattr(request, name, None)
        if name == "platforms":
            return [str(platform) for platform in found or ()]
        request = found if found is not None else request
    return []
