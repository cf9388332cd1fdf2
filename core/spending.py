"""What a run may spend at the endpoint, and what it has spent."""

import asyncio
from dataclasses import dataclass, field

from core.errors import ModelError, UsageError

_MILLION = 1_000_000


class BudgetError(ModelError):
    """The next call could go over the run's limit."""


@dataclass(slots=True)
class Meter:
    """Calls and tokens."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, tokens_in: int, tokens_out: int) -> None:
        """One more call."""
        self.calls += 1
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens, in whatever currency the user counts."""

    into: float | None = None
    out_of: float | None = None

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """What these tokens cost; None where no price is known."""
        if self.into is None and self.out_of is None:
            return None
        return (tokens_in * (self.into or 0.0) + tokens_out * (self.out_of or 0.0)) / _MILLION


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The most that a run may spend; None: no limit."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(slots=True)
class Budget:
    """Lets calls through while the run stays within its limits.

    What a call will take is not known before. So the first one goes alone, and from then on a call is let
    through if it and those under way could each be as large as the largest so far.
    """

    limits: SpendingLimits = field(default_factory=SpendingLimits)
    prices: Prices = field(default_factory=Prices)
    meter: Meter = field(default_factory=Meter)
    _under_way: int = 0
    _largest: tuple[int, int] = (0, 0)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def __post_init__(self) -> None:
        if self.limits.cost is not None and self.prices.cost(1, 1) is None:
            raise UsageError(
                "A limit of cost needs prices: set TAM_LLM_PRICE_IN and TAM_LLM_PRICE_OUT (per million)."
            )

    @property
    def cost(self) -> float | None:
        """What has been spent; None where no price is known."""
        return self.prices.cost(self.meter.tokens_in, self.meter.tokens_out)

    async def admit(self) -> None:
        """Wait for leave to make one call; every `admit` is followed by one `settle`.

        Raises:
            BudgetError: the call could go over a limit.
        """
        async with self._changed:
            if self.limits != SpendingLimits():
                await self._changed.wait_for(lambda: any(self._largest) or self._under_way == 0)
                self._check()
            self._under_way += 1

    async def settle(self, tokens_in: int, tokens_out: int) -> None:
        """The call has ended and taken this much."""
        async with self._changed:
            self._under_way -= 1
            self.meter.add(tokens_in, tokens_out)
            self._largest = (max(self._largest[0], tokens_in), max(self._largest[1], tokens_out))
            self._changed.notify_all()

    def _check(self) -> None:
        """Whether one more call of the largest size fits beside those under way."""
        more = self._under_way + 1
        tokens_in = self.meter.tokens_in + more * self._largest[0]
        tokens_out = self.meter.tokens_out + more * self._largest[1]
        if self.limits.tokens is not None and tokens_in + tokens_out > self.limits.tokens:
            raise BudgetError(f"budget: the run may take {self.limits.tokens:,} tokens")
        cost = self.prices.cost(tokens_in, tokens_out)
        if self.limits.cost is not None and cost is not None and cost > self.limits.cost:
            raise BudgetError(f"budget: the run may cost {self.limits.cost:g}")
