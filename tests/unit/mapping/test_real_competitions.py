"""What the rules reach on real competitions, as `scripts/measure_mapping.py` measures it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mapping.published import read_published

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
    assert figures["metrics_right"] >= 0.88 * figures["metrics"]
    assert len(figures["metrics_wrong"]) <= 5


def test_the_direction_of_every_resolved_metric_is_right(figures: dict[str, Any]) -> None:
    assert figures["directions_wrong"] == []


def test_modalities_agree_with_the_published_labels(figures: dict[str, Any]) -> None:
    assert figures["modalities_right"] >= 0.85 * figures["modalities"]


def test_most_tasks_have_goal_type_and_target(figures: dict[str, Any]) -> None:
    for field in ("goal_description", "task_type", "target_col"):
        assert figures[f"with_{field}"] >= 0.9 * figures["competitions"]


@pytest.mark.parametrize(("name", "least"), [("target", 9), ("columns", 10), ("locations", 9)])
def test_reference_tasks_agree(figures: dict[str, Any], name: str, least: int) -> None:
    assert figures["references"] - len(figures[f"references_{name}_off"]) >= least


def test_every_field_of_every_task_is_proven_by_the_lake(figures: dict[str, Any]) -> None:
    assert figures["evidence"] > 1000
    assert figures["evidence_wrong"] == []


def test_mapping_is_quick_and_small(figures: dict[str, Any]) -> None:
    assert figures["cpu_seconds"] < 60
    assert figures["megabytes"] < 1000


def test_the_reference_tasks_data_types_are_read_whatever_their_spelling() -> None:
    paths = sorted(DATA.glob("competitions/*/*/reference_task.json"))
    read = [read_published(path, platform="x", competition=path.parent.name) for path in paths]
    assert [task.competition for task in read if task.modality is None] == []


def test_the_page_of_figures_is_current(figures: dict[str, Any]) -> None:
    page = (ROOT / "docs/mapping.md").read_text(encoding="utf-8")
    for words, name in (("metric id right", "metrics_right"), ("modality as published", "modalities_right")):
        assert f"| {words} | {figures[name]} |" in page, "run scripts/measure_mapping.py and renew the table"
