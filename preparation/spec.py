"""What of a task decides its split."""

from dataclasses import dataclass, field
from typing import Any

from schema.prepared import LEAK_SKILL, Strategy

TEST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """A task as splitting sees it. What is not said is found by looking at the data, and written down."""

    task_id: str
    metric_id: str
    id_columns: tuple[str, ...] = ()
    target_columns: tuple[str, ...] = ()
    metric_params: dict[str, Any] = field(default_factory=dict)
    test_share: float | None = None
    """None: the official data's own ratio, else `default_share`."""
    description: str | None = None
    """Markdown for `public/description.md`."""
    default_share: float = TEST_SHARE
    strategy: Strategy | None = None
    group_column: str | None = None
    time_column: str | None = None
    series_column: str | None = None
    """Every value is a series of its own, with a cut of its own."""
    goal: str = ""
    """What the task record says of the job; a forecast is split by time."""
    about_data: str = ""
    """What it says of the data; patients that are new in the test part make groups."""
    train_file: str | None = None
    """The training table's path in the data folder; None: found by its name or columns."""
    accepted: tuple[str, ...] = ()
    """Leaks that the user knows of: `kind` or `kind:column-or-file`."""
    leak_skill: float = LEAK_SKILL
    """How well one column alone must tell the target to count as a leak: 0 chance, 1 always right."""
