"""What the rules reach on real competitions, as `scripts/measure_mapping.py` measures it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
DATA = ROOT / "../shared/data"

pytestmark = pytest.mark.skipif(
    not (DATA / "metrics.csv").exists(), reason="the real competitions are not beside the checkout"
)


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    command = [sys.executable, ROOT / "scripts/measure_mapping.py", DATA, "--json"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_metrics_are_right_or_unknown_rather_than_wrong(figures: dict[str, Any]) -> None:
    assert figures["metrics_right"] >= 0.9 * figures["metrics_known"]
    assert len(figures["metrics_wrong"]) <= 5


def test_the_direction_of_every_resolved_metric_is_right(figures: dict[str, Any]) -> None:
    assert figures["directions_wrong"] == []


def test_modalities_agree_with_the_published_labels(figures: dict[str, Any]) -> None:
    assert figures["modalities_right"] >= 0.85 * figures["modalities_known"]


def test_most_tasks_have_goal_type_and_target(figures: dict[str, Any]) -> None:
    for field in ("goal_description", "task_type", "target_col"):
        assert figures[f"with_{field}"] >= 0.9 * figures["competitions"]
