"""What of a task decides its split."""

from dataclasses import dataclass, field
from typing import Any

TEST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """A task as splitting sees it."""

    task_id: str
    metric_id: str
    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    metric_params: dict[str, Any] = field(default_factory=dict)
    test_share: float = TEST_SHARE
    description: str | None = None
    """Markdown for `public/description.md`."""
