"""What `competition.json` of an invented competition holds: its site, fate, board and data set."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schema.competition import task_id_of
from schema.screening import Rule
from schema.task import Modality


class _Spec(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SpecMeta(_Spec):
    """What the site itself states: `meta.json` of the content format."""

    platform: str
    slug: str
    title: str
    subtitle: str
    host: str
    start: str
    """ISO date."""
    deadline: str
    """ISO time, UTC."""
    license: str | None = None
    tags: tuple[str, ...] = ()
    metric: str | None = None
    higher_is_better: bool | None = None
    rules: str | None = None


class Expectation(_Spec):
    """What must become of the competition: a task of this cell, or a rejection by exactly this rule.

    Neither: it is there for the replica of its site, and no part of the demo.
    """

    modality: Modality | None = None
    level: Literal["easy", "medium", "hard"] | None = None
    rule: Rule | None = None


class MetricSpec(_Spec):
    """The metric as the metric library knows it; `metric_id` is None where nobody can compute it."""

    metric_id: str | None
    higher_is_better: bool
    low: float | None = None
    high: float | None = None


class SolutionLimits(_Spec):
    """The constraints that the page states, as far as the sample solutions need their numbers."""

    seed: int = 42
    memory_gb: int | None = None
    minutes: int | None = None
    folds: int | None = None
    cores: int | None = None
    clip: float | None = None
    """Probabilities must stay this far from 0 and 1."""


class BoardSpec(_Spec):
    """How the boards are drawn: between `best` and `worst`, with their mean near `typical`."""

    rows: int = Field(ge=20, le=3000)
    """Teams with a score; baselines and teams without one come on top."""
    best: float
    typical: float
    worst: float
    decimals: int = 5
    kinds: tuple[Literal["private", "public"], ...] = ("private",)
    baselines: dict[str, float] = {}
    """Name and score of rows with rank 0."""
    empty: int = 0
    """Teams without a score, at the end."""
    spread: float | None = None
    """Scores are printed with a spread of about this size: "0.8737 ± 0.0006"."""
    reversed: bool = False
    """Sorted against the metric's direction: the page then contradicts its board."""


class ColumnSpec(_Spec):
    """One feature column, or a run of columns, that shows the latent values; see `demo.columns`."""

    kind: Literal["number", "category", "text", "pixels", "pixel_text", "waveform", "spectrum", "degree"]
    name: str
    of: int = 0
    """Which latent value a number or category shows."""
    noise: float = Field(default=0.3, ge=0, le=1)
    """Share of chance in what is shown."""
    mean: float = 0
    sd: float = 1
    decimals: int = 2
    levels: tuple[str, ...] = ()
    """A category's values, from low to high."""
    frames: tuple[str, ...] = ()
    """A text's sentences, with `{0}` where a word for latent value 0 stands."""
    pools: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """For each latent value: groups of words, from low to high."""
    size: int = 8
    """Side of an image, samples of a waveform, bands of a spectrum."""


class GraphSpec(_Spec):
    """Rows are the nodes, or the edges, of a graph whose other edges stand in a file of their own."""

    level: Literal["node", "edge"]
    file: str = "edges.csv"
    nodes: int = 80
    prefix: str = "n"
    ends: tuple[str, str] = ("source", "target")


class TargetSpec(_Spec):
    """The target column or columns, made from the latent values; see `demo.targets`."""

    kind: Literal["number", "amount", "numbers", "flag", "class", "grade", "shares", "choice", "tags"]
    names: tuple[str, ...]
    noise: float = Field(default=0.3, ge=0, le=1)
    """Share of chance in the target: what no model can learn."""
    mean: float = 0
    sd: float = 1
    decimals: int = 2
    low: float | None = None
    rate: float = 0.5
    """Share of ones in a flag or tag."""
    labels: tuple[str, ...] = ()
    """Classes, or for a grade its values from low to high."""
    sample: tuple[str, ...] = ()
    """What the sample submission holds in every row; empty: something different in each."""
    k: int = 3
    """Choices per row."""


class DataSpec(_Spec):
    """How the official training set is made."""

    rows: int = Field(ge=200, le=600)
    id: str
    id_style: str = "{:d}"
    columns: tuple[ColumnSpec, ...]
    target: TargetSpec
    graph: GraphSpec | None = None


class Invented(_Spec):
    """One invented competition as committed."""

    meta: SpecMeta
    expect: Expectation
    metric: MetricSpec
    board: BoardSpec
    limits: SolutionLimits = SolutionLimits()
    data: DataSpec | None = None

    @property
    def task_id(self) -> str:
        """Id of the task that is made from it."""
        return task_id_of(self.meta.platform, self.meta.slug)
