"""What a crawler reads, with what, and within which limits: one record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.llm import Endpoint
from scrapers.model import AgentBudget
from scrapers.platform import Platform
from scrapers.routes import FoundRoute


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What a crawler reads, with what, and within which limits."""

    sites: Mapping[str, str]
    """Base URL of each platform that may be read."""
    known: Mapping[str, Platform] | None = None
    """Platforms by name; None: those in `scrapers/platforms/`."""
    generic: bool = False
    """Competitions are read from their addresses alone, by what their pages say."""
    concurrency: int = 2
    """Agents at once, each in its own Chromium."""
    chromium: Path | None = None
    """The Chromium to use; None: Playwright's own, else one on the PATH."""
    max_steps: int = 24
    """Of one agent."""
    competition_timeout: float = 180
    """Most seconds of one agent."""
    page_timeout: float = 20
    """Most seconds of one navigation, and again of what its page must show."""
    endpoint: Endpoint | None = None
    """The LLM that takes over when a route is lost; None: the reading ends with a reason."""
    budget: AgentBudget = field(default_factory=AgentBudget)
    """Most that the LLM may take on one competition."""
    routes: Mapping[str, Sequence[FoundRoute]] = field(default_factory=dict)
    """Where an LLM has found what a route had lost, by platform."""
    trajectories: Path | None = None
    """A folder for what each agent did, step by step; None: it is not kept."""
    allow_browser: frozenset[str] = frozenset()
    """Platforms whose real hosts may be read."""
    allow_asset: frozenset[str] = frozenset()
    """Hosts (`host` or `host:port`) of which pages may load scripts, styles and fonts, and nothing else."""
    contact: str = ""
    """Sent in the user agent to real hosts."""
    requests_per_minute: float = 30
    """Navigations per real host."""
    ledger: Path | None = None
    """The file of turns that all processes share; None: the limit is this crawler's own."""
