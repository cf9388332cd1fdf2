"""OpenTelemetry: spans of jobs and of their units of work, and the counters as metrics, sent if so set.

The SDK is imported only where an endpoint is set; without one a span is nothing at all.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from importlib import metadata
from typing import TYPE_CHECKING

from core import logs
from core.errors import SettingsError
from flows.engine.counters import Counted

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.trace import Span, Tracer

_log = logging.getLogger(__name__)
_SECONDS = 5
"""Most seconds that one sending takes; a collector that is away must not hold up a job."""
_tracer: ContextVar["Tracer | None"] = ContextVar("tracer", default=None)


@contextmanager
def unit(name: str, **ids: str) -> Iterator[None]:
    """One unit of a job's work: a span of its own, and the ids in every line logged inside."""
    with logs.ids(**ids), span(name, **ids):
        yield


@contextmanager
def batch(name: str, tasks: Sequence[str]) -> Iterator[None]:
    """A batch that some process works on: a span with an event for each of its tasks."""
    with span(f"{name} batch", tasks=str(len(tasks))) as current:
        yield
        if current is not None:
            for task in tasks:
                current.add_event("task", {"tam.task": task})


def span(name: str, **attributes: str) -> "AbstractContextManager[Span | None]":
    """A span `name` with these attributes, each under `tam.`; nothing where no telemetry is sent."""
    tracer = _tracer.get()
    if tracer is None:
        return nullcontext()
    named = {f"tam.{key}": value for key, value in attributes.items()}
    return tracer.start_as_current_span(name, attributes=named)


@contextmanager
def sent_to(endpoint: str | None, flow: str, job_id: str) -> Iterator["Metrics"]:
    """Send the block as a span, with the spans inside it, and its metrics, to an OTLP endpoint if one is set.

    A collector that cannot be reached is logged, and nothing more.

    Raises:
        SettingsError: an endpoint is set, but the SDK is not installed.
    """
    if endpoint is None:
        yield Metrics()
        return
    with _exporting(endpoint) as metrics, span(flow, flow=flow, job=job_id):
        yield metrics


class Metrics:
    """Takes counters; this one drops them."""

    def send(self, flow: str, counters: Mapping[Counted, float]) -> None:
        """The counters of a job that has ended."""


@contextmanager
def _exporting(endpoint: str) -> Iterator[Metrics]:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError(
            "TAM_TELEMETRY needs OpenTelemetry: install `tam[telemetry]`, or unset it."
        ) from error
    traces = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{endpoint}/v1/traces", timeout=_SECONDS)
    traces.add_span_processor(BatchSpanProcessor(exporter))
    token = _tracer.set(traces.get_tracer("tam"))
    try:
        yield _Sent(endpoint)
    finally:
        _tracer.reset(token)
        traces.shutdown()


class _Sent(Metrics):
    """Sends counters as OpenTelemetry sums `tam.<counter>`."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint

    def send(self, flow: str, counters: Mapping[Counted, float]) -> None:
        """In one request."""
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

        exporter = OTLPMetricExporter(f"{self._endpoint}/v1/metrics", timeout=_SECONDS)
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=float("inf"))
        provider = MeterProvider([reader], resource=_resource(), shutdown_on_exit=False)
        meter = provider.get_meter("tam")
        sums = {name: meter.create_counter(f"tam.{name}") for name in {one.counter for one in counters}}
        for counted, value in counters.items():
            known = {"tam.flow": flow, "tam.platform": counted.platform, "tam.label": counted.label}
            attributes = {name: said for name, said in known.items() if said is not None}
            sums[counted.counter].add(value, attributes)
        provider.force_flush(timeout_millis=_SECONDS * 1000)
        provider.shutdown(timeout_millis=_SECONDS * 1000)


def _resource() -> "Resource":
    from opentelemetry.sdk.resources import Resource

    return Resource.create({"service.name": "tam", "service.version": metadata.version("tam")})
