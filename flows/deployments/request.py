"""What the user wants scheduled, checked, and made into the parameters that the flow takes."""

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ValidationError

from flows.build import BuildRequest
from flows.crawl import CrawlRequest
from flows.deployments.names import FlowName
from flows.graded import GradeRequest
from flows.report import ReportRequest
from lake.opening import full_name
from scrapers.platform import platform_named
from scrapers.politeness import check_consent
from tam.errors import ConsentError, UsageError
from tam.settings import Settings


class OptimiseRequest(BaseModel):
    """How to optimise the lake."""

    keep: float = 24.0
    """Hours that a replaced file stays."""


class NightRequest(BaseModel):
    """What a night does: read, build what changed, write the report."""

    crawl: CrawlRequest = CrawlRequest()
    build: BuildRequest = BuildRequest()
    report: ReportRequest = ReportRequest()


class ScheduleRequest(BaseModel):
    """What to schedule."""

    flow: FlowName
    platforms: tuple[str, ...] = ()
    base_urls: dict[str, str] = {}
    limit: int | None = None
    since: date | None = None
    mapper: str | None = None
    out: Path | None = None
    run: Path | None = None
    subset: str | None = None
    label: str | None = None

    @classmethod
    def of(cls, flow: str, platforms: Sequence[str], **options: object) -> Self:
        """The request, checked as far as it can be without a server.

        Raises:
            UsageError: an unknown flow or platform, or options that the flow does not take.
        """
        if flow not in list(FlowName):
            raise UsageError(f"No flow {flow!r}. Flows: {', '.join(FlowName)}.")
        request = cls.model_validate({"flow": flow, "platforms": platforms, **options})
        request.check()
        return request

    @property
    def schedules(self) -> tuple[str | None, ...]:
        """The platform of each schedule to be made; None: one without."""
        return self.platforms or (None,)

    def parameters(self, settings: Settings, platform: str | None) -> dict[str, object]:
        """The flow's parameters, as JSON values with absolute paths."""
        record = self._record(platform)
        return {"lake": full_name(settings.lake), "request": record.model_dump(mode="json")}

    def _record(self, platform: str | None) -> BaseModel:
        report = ReportRequest(out=self.out and self.out.absolute())
        try:
            if self.flow is FlowName.NIGHT:
                return NightRequest(crawl=self._crawl(platform), build=self._build(), report=report)
            if self.flow is FlowName.CRAWL:
                return self._crawl(platform)
            if self.flow is FlowName.BUILD:
                return self._build()
        except ValidationError as error:
            raise UsageError(f"--mapper {self.mapper!r}: `rules` or `llm`.") from error
        if self.flow is FlowName.REPORT:
            return report
        if self.flow is FlowName.OPTIMISE:
            return OptimiseRequest()
        assert self.run is not None and self.subset is not None  # noqa: S101, PT018 - checked before
        return GradeRequest(run=self.run.absolute(), name=self.run.stem, subset=self.subset)

    def _crawl(self, platform: str | None) -> CrawlRequest:
        urls = {name: url for name, url in self.base_urls.items() if platform in {None, name}}
        names = (platform,) if platform else tuple(urls)
        return CrawlRequest(platforms=names, base_urls=urls, limit=self.limit, since=self.since)

    def _build(self) -> BuildRequest:
        return BuildRequest.model_validate({"mapper": self.mapper})

    def check(self) -> None:
        """UsageError where the options do not fit the flow."""
        for name in (*self.platforms, *self.base_urls):
            platform_named(name)
        reads = self.flow.reads_sites
        given: Mapping[str, tuple[bool, object]] = {
            "platform": (reads, self.platforms),
            "--base-url": (reads, self.base_urls),
            "--limit": (reads, self.limit),
            "--since": (reads, self.since),
            "--mapper": (self.flow in {FlowName.NIGHT, FlowName.BUILD}, self.mapper),
            "--out": (self.flow in {FlowName.NIGHT, FlowName.REPORT}, self.out),
            "--run": (self.flow is FlowName.GRADE, self.run),
            "--subset": (self.flow is FlowName.GRADE, self.subset),
        }
        if wrong := [name for name, (takes, value) in given.items() if value and not takes]:
            raise UsageError(f"The flow {self.flow} takes no {' and no '.join(wrong)}.")
        if self.flow is FlowName.GRADE and (self.run is None or self.subset is None):
            raise UsageError("The flow grade needs --run DIR and --subset NAME.")
        if self.label and (len(self.schedules) > 1 or not self.label.replace("-", "").isalnum()):
            raise UsageError("--label names one schedule: letters, digits and hyphens, for one platform.")


def consent_missing(request: ScheduleRequest, settings: Settings) -> list[tuple[str, str]]:
    """The platforms whose real sites the schedules would read without consent, each with what to do."""
    missing = []
    for platform in request.platforms if request.flow.reads_sites else ():
        declared = platform_named(platform)
        try:
            check_consent(declared, request.base_urls.get(platform, declared.home), settings.allow_browser)
        except ConsentError as error:
            missing.append((platform, str(error)))
    return missing
