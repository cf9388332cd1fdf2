"""The one place where metrics are declared, found and looked up."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from core.errors import UsageError
from schema.metric import Direction, MetricCatalogue, MetricFacts

_Function = TypeVar("_Function", bound=Callable[..., float])
_METRICS: dict[str, "Metric"] = {}


class PredictionKind(StrEnum):
    """What one row of a submission predicts; it decides how the cells are read and checked."""

    NUMERIC = "numeric"
    NUMERIC_COLUMNS = "numeric columns"
    PROBABILITY = "probability"
    PROBABILITY_COLUMNS = "probability vector"
    LABEL = "label"
    LABEL_LIST = "label list"
    RANKING = "ranking"
    TEXT = "text"
    MASK = "mask"
    BOXES = "boxes"


NUMERIC_KINDS = frozenset(
    {
        PredictionKind.NUMERIC,
        PredictionKind.NUMERIC_COLUMNS,
        PredictionKind.PROBABILITY,
        PredictionKind.PROBABILITY_COLUMNS,
    }
)
"""The kinds whose target columns hold one number per cell."""


class Layout(StrEnum):
    """How rows of the submission belong to rows of the answers."""

    ROWS = "rows"
    """One row per id on both sides, lined up by id before the metric sees them."""
    GROUPS = "groups"
    """Several rows of the answers may share an id; ids are matched, the metric groups the rows itself."""
    OWN = "own"
    """The metric matches ids itself: the answers do not spell them as the submission does."""
    DOCUMENT = "document"
    """JSON objects, not tables; the metric reads the parsed documents."""


@dataclass(frozen=True)
class Metric:
    """One metric: its facts and its function.

    The function takes (truth, predicted) as arrays of its kind, or one parameter named `frame` where it needs
    further columns, ids or groups; its keyword-only parameters are the metric's params.
    """

    metric_id: str
    direction: Direction
    low: float | None
    high: float | None
    kind: PredictionKind
    layout: Layout
    aliases: tuple[str, ...]
    function: Callable[..., float]
    params: Mapping[str, object]
    prediction_range: tuple[float, float] | None = (0, 1)
    """Of metrics of probabilities, where the params say nothing: null where any order of scores will do."""

    @property
    def title(self) -> str:
        """The first words of the docstring, up to the first full stop or colon."""
        first = inspect.getdoc(self.function) or self.metric_id
        return first.splitlines()[0].split(":")[0].rstrip(".")

    @property
    def takes_frame(self) -> bool:
        """Whether the function wants the whole frame."""
        return next(iter(inspect.signature(self.function).parameters)) == "frame"

    @property
    def required(self) -> frozenset[str]:
        """Params without a default."""
        parameters = inspect.signature(self.function).parameters.values()
        keyword = (p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY)
        return frozenset(p.name for p in keyword if p.default is inspect.Parameter.empty)

    @property
    def facts(self) -> MetricFacts:
        """The record that mapper and difficulty scorer see."""
        return MetricFacts(
            self.metric_id, self.direction, self.low, self.high, self.title, self.aliases, dict(self.params)
        )


def metric(
    metric_id: str,
    direction: Direction,
    *,
    bounds: tuple[float | None, float | None],
    kind: PredictionKind,
    layout: Layout = Layout.ROWS,
    aliases: tuple[str, ...] = (),
    prediction_range: tuple[float, float] | None = (0, 1),
) -> Callable[[_Function], _Function]:
    """Declare the decorated function as a metric; its docstring states definition, edge rules and source.

    `bounds` are the lowest and highest possible score (None: unbounded); `aliases` are the names under which
    pages mention it, in lower case, each unique in the library.
    """

    def declare(function: _Function) -> _Function:
        if metric_id in _METRICS:
            raise ValueError(f"Metric {metric_id} is declared twice")
        params = {
            name: None if parameter.default is inspect.Parameter.empty else parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }
        _METRICS[metric_id] = Metric(
            metric_id, direction, *bounds, kind, layout, aliases, function, params, prediction_range
        )
        return function

    return declare


@cache
def _discover() -> dict[str, Metric]:
    package: Any = importlib.import_module("graders.metrics")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"graders.metrics.{module.name}")
    return dict(sorted(_METRICS.items()))


def metrics() -> tuple[Metric, ...]:
    """All metrics, by id."""
    return tuple(_discover().values())


def get(metric_id: str) -> Metric:
    """The metric with this id. Raises UsageError for an unknown one."""
    found = _discover().get(metric_id)
    if found is None:
        raise UsageError(f"No metric {metric_id!r} in the library; docs/metrics.md lists all ids.")
    return found


def catalogue() -> MetricCatalogue:
    """The facts of all metrics, for the mapper and the difficulty scorer."""
    return MetricCatalogue(found.facts for found in metrics())


def family_of(metric_id: str | None) -> str | None:
    """What a metric's predictions are, in a word (number, probability, label …); None: there is no metric."""
    return None if metric_id is None else str(get(metric_id).kind).split()[0]
