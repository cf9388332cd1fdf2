"""A lake of all the demo's competitions, built: its evidence, why tasks were kept or not, what they cover."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import UnknownTaskError, UsageError
from core.settings import load_settings
from demo.invented import all_invented
from flows.building.build import BuildReport, BuildRequest, build
from flows.building.coverage import count, coverage
from flows.building.proof import faults
from flows.building.screening import explain
from lake.store import Lake
from lake.tables import TASKS
from schema.difficulty import Level
from schema.screening import Rule
from schema.task import Domain, Modality
from tam.cli import app
from tests.flows.graded import SLUGS, enter

OVERRIDE = """
[[override]]
task = "{task}"
rule = "recent"
passed = false
who = "Ada Example"
date = 2026-05-17
why = "It is held anew every year."
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("lakes") / "lake")
    for one in all_invented().values():
        enter(lake, one.meta.slug)
    built(lake.root)
    return lake


def built(root: Path, **settings: object) -> BuildReport:
    return asyncio.run(build(load_settings(lake=root, **settings), BuildRequest(mapper="rules")))


def small_lake(root: Path) -> Lake:
    lake = Lake(root)
    for slug in SLUGS[:2]:
        enter(lake, slug)
    return lake


def run_tam(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments, catch_exceptions=False).stdout


@pytest.mark.long
def test_every_field_of_every_task_stands_at_its_span_in_the_stored_page(lake: Lake) -> None:
    rows = lake.read(TASKS)
    assert len(rows) == len(all_invented())
    assert all(json.loads(row.evidence or "[]") == json.loads(row.json)["evidence"] for row in rows)
    assert all(json.loads(row.json)["evidence"] for row in rows)
    assert faults(lake) == []


def test_a_page_that_has_changed_no_longer_proves_the_old_task(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    built(lake.root)
    assert faults(lake) == []
    lake.append(TASKS, [altered(row) for row in lake.read(TASKS)][:1])
    (fault, *_) = faults(lake)
    assert fault.problem.startswith("not found at")


def altered(row: object) -> object:
    from dataclasses import replace

    record = json.loads(row.json)  # type: ignore[attr-defined]
    record["evidence"][0]["start"] += 1
    return replace(row, json=json.dumps(record))  # type: ignore[type-var]


def test_a_verdict_is_explained_with_its_reason_and_the_words_of_the_page(lake: Lake) -> None:
    task_id = f"kaggle-{SLUGS[0]}"
    found = explain(lake, task_id)
    assert [one.verdict.rule for one in found.rules] == list(Rule)
    by_rule = {one.verdict.rule: one for one in found.rules}
    assert by_rule[Rule.METRIC_KNOWN].evidence[0].field == "metric_id"
    told = json.loads(run_tam("screen", "explain", task_id, "--lake", str(lake.root), "--json"))
    assert [rule["verdict"]["rule"] for rule in told["rules"]] == list(Rule)
    shown = run_tam("screen", "explain", task_id, "--lake", str(lake.root))
    assert "kept" in shown
    assert "said by" in shown


def test_a_task_that_is_not_there_is_told_with_the_nearest(lake: Lake) -> None:
    with pytest.raises(UnknownTaskError, match=f"Did you mean kaggle-{SLUGS[0]}"):
        explain(lake, f"kaggle-{SLUGS[0]}s")


def test_an_override_decides_is_told_and_builds_its_own_task_anew(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    assert built(lake.root).built == 2
    task_id = f"kaggle-{SLUGS[0]}"
    path = tmp_path / "overrides.toml"
    path.write_text(OVERRIDE.format(task=task_id))
    report = built(lake.root, screening_overrides=path)
    assert report.built == 1
    assert report.rejected[task_id] == (Rule.RECENT,)
    reason = explain(lake, task_id).rules[0].verdict.reason
    assert reason.startswith(
        "Set by Ada Example on 2026-05-17: It is held anew every year. The rule alone passes"
    )
    assert built(lake.root).built == 1
    assert task_id not in built(lake.root).rejected


def test_an_override_of_an_unknown_task_stops_the_build_before_anything_is_written(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    path = tmp_path / "overrides.toml"
    path.write_text(OVERRIDE.format(task="kaggle-nowhere"))
    with pytest.raises(UsageError, match="kaggle-nowhere"):
        built(lake.root, screening_overrides=path)
    assert lake.read(TASKS) == []


def test_stricter_settings_reject_more(tmp_path: Path) -> None:
    lake = small_lake(tmp_path / "lake")
    assert built(lake.root).rejected == {}
    report = built(lake.root, fewest_teams=100_000)
    assert set(report.rejected.values()) == {(Rule.BOARD_USABLE,)}


def test_coverage_counts_each_task_once_and_names_the_thin_cells(lake: Lake) -> None:
    found = coverage(lake, wanted=3)
    assert sum(cell.tasks for cell in found.cells) + len(found.unlabelled) == found.tasks
    assert all(cell.tasks < 3 for cell in found.thin)
    told = json.loads(run_tam("coverage", "--lake", str(lake.root), "--json"))
    assert told["tasks"] == found.tasks
    assert len(told["cells"]) == len(Modality) * (len(Domain) + 1) * len(Level)
    assert "under-covered:" in run_tam("coverage", "--lake", str(lake.root), "--wanted", "50")


def test_a_cell_is_thin_below_what_is_wanted_and_unknown_labels_are_in_none() -> None:
    labels: dict[str, tuple[str | None, str | None, str | None]] = {
        "a": ("audio", "social", "hard"),
        "b": ("audio", "social", "hard"),
        "c": ("audio", None, "hard"),
        "d": ("audio", "social", None),
        "e": (None, "social", "hard"),
    }
    found = count(labels, wanted=3)
    assert found.unlabelled == ("d", "e")
    assert found.at(Modality.AUDIO, Level.HARD) == 3
    assert found.within(Modality.AUDIO, Domain.SOCIAL) == (0, 0, 2)
    assert found.within(Modality.AUDIO, None) == (0, 0, 1)
    thin = {cell.name: cell.tasks for cell in found.thin}
    assert "audio hard" not in thin
    assert thin["audio easy"] == 0
    assert "audio social" not in thin
    assert thin["audio finance"] == 0


def test_rejected_tasks_are_counted_on_demand(lake: Lake) -> None:
    assert coverage(lake, wanted=1, rejected=True).tasks == len(lake.read(TASKS))
    assert coverage(lake, wanted=1).tasks < len(lake.read(TASKS))
