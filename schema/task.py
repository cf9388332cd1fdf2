"""A task: the benchmark item made from a competition.

The published exchange fields keep their published names and nesting (`task_type` … `special_instructions`);
TAM's own fields stand beside them. Reading is forgiving with known dirt, writing is exact.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from schema.evidence import Evidence
from schema.metric import Direction

SCHEMA_VERSION = 2
"""Of the record below; `schema.versions` reads older ones."""


class Modality(StrEnum):
    """What the data is made of: six, closed."""

    TABULAR = "tabular"
    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    GRAPH = "graph"
    MULTIMODAL = "multimodal"


class Domain(StrEnum):
    """What the data is about: closed, written down here only."""

    FINANCE = "finance"
    MEDICINE = "medicine"
    ECOMMERCE = "e-commerce"
    EDUCATION = "education"
    BIOINFORMATICS = "bioinformatics"
    CLIMATE_EARTH = "climate and earth"
    PHYSICS_CHEMISTRY = "physics and chemistry"
    SPORTS_GAMES = "sports and games"
    INDUSTRIAL_VISION = "vision in industry"
    LANGUAGE = "language"
    SOCIAL = "social"
    SECURITY = "security"
    TRANSPORT = "transport"
    ENERGY = "energy"
    OTHER = "other"


class StatedMetric(BaseModel):
    """The metric as the competition words it."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    metric_name: str = ""
    metric_formula: str = ""


class DataPart(BaseModel):
    """Where one part of the data lies and what it holds."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    data_location: str = ""
    data_description: str = ""


class DataInformation(BaseModel):
    """The data's type and its three parts."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    data_type: str = ""
    train: DataPart = DataPart()
    test: DataPart = DataPart()
    inference: DataPart = DataPart()


class Task(BaseModel):
    """One benchmark item. Unknown is None or empty, never a guess."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)

    # The published exchange fields.
    task_type: str = ""
    goal_description: str = ""
    metric: StatedMetric = StatedMetric()
    target_col: str = ""
    """Comma-separated where there are several."""
    data_information: DataInformation = DataInformation()
    output_format: str = ""
    constraints: tuple[str, ...] = ()
    """Published as `special_instructions`: one string, numbered."""

    # TAM's own.
    task_id: str
    platform: str
    competition: str
    """The competition's slug."""
    url: str = ""
    title: str = ""
    modality: Modality | None = None
    domain: Domain | None = None
    deadline: datetime | None = None
    license: str | None = None
    participants: int | None = None
    metric_id: str | None = None
    metric_params: dict[str, Any] = Field(default_factory=dict)
    direction: Direction | None = None
    metric_low: float | None = None
    metric_high: float | None = None
    id_columns: tuple[str, ...] = ()
    target_columns: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    page_hash: str = ""
    """sha256 over the Markdown of all pages that the mapper saw."""
    mapper: str = ""
    prompt_id: str | None = None
    model: str | None = None
    schema_version: int = SCHEMA_VERSION
