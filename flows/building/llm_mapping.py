"""Asking a model about the competitions of a build: side by side, within limits, never twice the same."""

import asyncio
import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import ModelBusyError, ModelError, ModelRefusedError, SettingsError
from core.records import made_of
from core.settings import Settings
from core.spending import Budget, BudgetError, Meter, Prices, SpendingLimits
from flows.building.sources import CompetitionSource
from flows.engine.counters import count, count_fault
from flows.engine.progress import Stage, stage
from flows.jobs.telemetry import unit
from lake.rows import MappingRow
from lake.store import Lake
from lake.tables import MAPPINGS
from mapping.llm.reader import Asking, LlmReader, Replies
from mapping.llm.settlement import ModelOrigin
from schema.metric import MetricCatalogue
from schema.page import page_hash

_log = logging.getLogger(__name__)
_WRONG_FOR_ALL = frozenset({401, 402, 403, 404})
"""Statuses that no other competition would change: key, account, address or model are wrong."""
_MOST_BUSY = 3
"""Competitions in a row at which the endpoint stayed busy: then it is not asked any more."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A model's replies about one competition, and what they took when they were given."""

    replies: Replies
    tokens_in: int
    tokens_out: int


@dataclass(slots=True)
class LlmMapping:
    """What the model said of the competitions of a build."""

    origin: ModelOrigin
    mapped: dict[str, Mapped] = field(default_factory=dict)
    not_mapped: dict[str, str] = field(default_factory=dict)
    """Task to the reason: `budget: …`, or what went wrong at the endpoint."""
    reused: int = 0
    """Competitions whose replies were in the lake already."""
    meter: Meter = field(default_factory=Meter)
    """What this run took."""
    cost: float | None = None
    repairs: int = 0


def llm_reader(settings: Settings, metrics: MetricCatalogue, limits: SpendingLimits) -> LlmReader:
    """The model that the settings name, as a reader of pages.

    Raises:
        SettingsError: they name none.
        UsageError: a cost is limited, but no price is set.
    """
    if settings.endpoint is None:
        raise SettingsError(
            "Mapping with a model needs an endpoint: set TAM_LLM_BASE_URL and TAM_LLM_MODEL, "
            "or map with `--mapper rules`."
        )
    budget = Budget(limits, Prices(settings.llm_price_in, settings.llm_price_out))
    asking = Asking(concurrent=settings.llm_concurrency, part=settings.llm_part)
    return LlmReader(settings.endpoint, metrics, asking, budget)


def origin_of(reader: LlmReader) -> ModelOrigin:
    """Who is asked, and how."""
    return ModelOrigin(reader.endpoint.model, reader.prompt_id, reader.asking.part)


async def map_with_llm(lake: Lake, todo: Sequence[CompetitionSource], reader: LlmReader) -> LlmMapping:
    """The model's replies about each competition: from the lake where it was asked the same before.

    Replies are stored as they come, so that a run that is killed goes on where it was. What the limits, the
    endpoint or the model prevent is named in `not_mapped`.
    """
    run = _Run(lake, reader, LlmMapping(origin_of(reader)))
    stored = {(row.task_id, row.asked): row for row in lake.read(MAPPINGS) if row.reason is None}
    with stage("map with the model", len(todo)) as shown:
        await asyncio.gather(*(run.one(source, stored, shown) for source in todo))
    run.mapping.meter = reader.budget.meter
    run.mapping.cost = reader.budget.cost
    return run.mapping


@dataclass(slots=True)
class _Run:
    """One run over many competitions."""

    lake: Lake
    reader: LlmReader
    mapping: LlmMapping
    stop: str = ""
    """Why nothing more is asked."""
    busy: int = 0
    """Competitions in a row at which the endpoint stayed busy."""
    slots: asyncio.Semaphore = field(init=False)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.slots = asyncio.Semaphore(self.reader.asking.concurrent)

    async def one(
        self, source: CompetitionSource, stored: Mapping[tuple[str, str], MappingRow], shown: Stage
    ) -> None:
        """Map one competition, or say why not."""
        row = stored.get((source.task_id, _asked(source, self.mapping.origin)))
        if row is not None:
            replies = Replies.model_validate_json(row.replies)
            self.mapping.mapped[source.task_id] = Mapped(replies, row.tokens_in, row.tokens_out)
            self.mapping.reused += 1
        else:
            async with self.slots:
                await self._ask(source)
        shown.advance(source.task_id)

    async def _ask(self, source: CompetitionSource) -> None:
        if self.stop:
            self.mapping.not_mapped[source.task_id] = self.stop
            count_fault("not-mapped")
            return
        meter = Meter()
        try:
            with unit("map", platform=source.competition.platform, task=source.task_id):
                replies = await self.reader.read(source.pages, meter)
        except ModelError as error:
            self._failed(source, error)
            if meter.calls:
                await self._store(source, None, meter)
            return
        # What breaks our own code at one competition must not stop the others.
        except Exception as error:  # noqa: BLE001
            _log.exception("%s is not mapped", source.task_id)
            self.mapping.not_mapped[source.task_id] = f"a fault of TAM itself ({type(error).__name__})"
            count_fault("not-mapped")
            return
        self.busy = 0
        self.mapping.mapped[source.task_id] = Mapped(replies, meter.tokens_in, meter.tokens_out)
        self.mapping.repairs += replies.repairs
        await self._store(source, replies, meter)

    def _failed(self, source: CompetitionSource, error: ModelError) -> None:
        reason = str(error)
        self.busy = self.busy + 1 if isinstance(error, ModelBusyError) else 0
        if isinstance(error, BudgetError):
            self.stop = reason
        elif self.busy >= _MOST_BUSY or _wrong_for_all(error):
            self.stop = f"not asked: {reason}"
        self.mapping.not_mapped[source.task_id] = reason
        count_fault("not-mapped")
        _log.warning("%s is not mapped: %s", source.task_id, reason)

    async def _store(self, source: CompetitionSource, replies: Replies | None, meter: Meter) -> None:
        """Keep what was said, at once: the next run does not ask again."""
        origin = self.mapping.origin
        row = made_of(
            MappingRow,
            meter,
            origin,
            task_id=source.task_id,
            asked=_asked(source, origin),
            page_hash=page_hash(source.pages),
            reason=self.mapping.not_mapped.get(source.task_id),
            replies="" if replies is None else replies.model_dump_json(),
            repairs=0 if replies is None else replies.repairs,
            cost=self.reader.budget.prices.cost(meter.tokens_in, meter.tokens_out),
        )
        count_asked(row, source.competition.platform)
        async with self.writing:
            await asyncio.to_thread(self.lake.append, MAPPINGS, [row])


def _wrong_for_all(error: ModelError) -> bool:
    return isinstance(error, ModelRefusedError) and error.status in _WRONG_FOR_ALL


def _asked(source: CompetitionSource, origin: ModelOrigin) -> str:
    """What the model is asked about a competition, as a hash."""
    said = (page_hash(source.pages), origin.prompt_id, origin.model, origin.part)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:32]


def count_asked(row: MappingRow, platform: str) -> None:
    """What a model was asked of one competition, answered or not."""
    count("model_calls", row.calls, platform=platform)
    count("tokens_in", row.tokens_in, platform=platform)
    count("tokens_out", row.tokens_out, platform=platform)
    count("cost", row.cost, platform=platform)
