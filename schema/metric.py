"""What the whole system knows of a metric without computing it: id, direction, bounds and names."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Direction(StrEnum):
    """Which scores are better."""

    MAXIMIZE = "maximize"
    MINIMIZE = "minimize"

    def better(self, score: float, other: float) -> bool:
        """Whether `score` is strictly better than `other`."""
        return score > other if self is Direction.MAXIMIZE else score < other


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """A metric of the metric library, as the mapper and the difficulty scorer need it."""

    metric_id: str
    direction: Direction
    low: float | None
    """Smallest possible score; None: unbounded."""
    high: float | None
    """Largest possible score; None: unbounded."""
    title: str
    aliases: tuple[str, ...] = ()
    """Names under which pages mention it, in lower case."""
    params: Mapping[str, object] = field(default_factory=dict)
    """Default parameters, for example `{"k": 5}`."""


class MetricCatalogue:
    """All metrics of the library by id. Built by `graders.metrics.catalogue()`, handed to the mapper."""

    def __init__(self, metrics: Iterable[MetricFacts]) -> None:
        self._metrics = {facts.metric_id: facts for facts in metrics}

    def __contains__(self, metric_id: str) -> bool:
        return metric_id in self._metrics

    def __iter__(self) -> Iterator[MetricFacts]:
        return iter(self._metrics.values())

    def __len__(self) -> int:
        return len(self._metrics)

    def get(self, metric_id: str) -> MetricFacts | None:
        """The metric with this id, or None."""
        return self._metrics.get(metric_id)
