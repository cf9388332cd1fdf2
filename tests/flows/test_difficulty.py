"""Difficulty over a lake: both scorers, their report, training, and subsets cut by their levels."""

import asyncio
import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import UsageError
from core.settings import load_settings
from demo.invented import KEPT, invented
from difficulty.calibrated import board_inputs, load_model, shipped_model
from difficulty.features import RangePolicy
from flows.building.build import BuildRequest, build
from flows.building.difficulty import rated_tasks
from flows.building.subsets import SubsetRequest, build_subset
from flows.reporting.difficulty import difficulty_report
from lake.rows import GradeRow
from lake.store import Lake
from lake.tables import DIFFICULTIES, GRADES, SUBSETS
from mapping.catalogue import key_of
from schema.competition import task_id_of
from schema.difficulty import Level
from schema.subset import SubsetName
from tam.cli import app
from tests.flows.graded import enter

PER_LEVEL = 6


def slugs() -> list[str]:
    """Six competitions of every level."""
    return [
        slug for level in Level for slug in [s for s, cell in KEPT.items() if cell[1] == level][:PER_LEVEL]
    ]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    lake = Lake(tmp_path_factory.mktemp("difficulty") / "lake")
    for slug in slugs():
        enter(lake, slug)
    asyncio.run(build(load_settings(lake=lake.root), BuildRequest()))
    return lake


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("labels") / "made-up.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("competition", "level"), *((slug, KEPT[slug][1]) for slug in slugs())])
    return path


def tam(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_every_build_has_a_level_by_both_scorers(lake: Lake) -> None:
    rows = {(row.task_id, row.scorer): row for row in lake.read(DIFFICULTIES)}
    assert len(rows) == 2 * 3 * PER_LEVEL
    for (_, scorer), row in rows.items():
        assert row.level in set(Level)
        if scorer == "calibrated":
            assert row.p_easy is not None
            assert row.p_medium is not None
            assert row.p_hard is not None
            assert row.p_easy + row.p_medium + row.p_hard == pytest.approx(1)
            assert row.score == pytest.approx(row.p_medium + 2 * row.p_hard)
            assert row.model
            assert row.uncertain is not None


def test_the_query_over_all_boards_gives_the_features_that_the_build_stored(lake: Lake) -> None:
    stored = {row.task_id: json.loads(row.features) for row in lake.read(DIFFICULTIES, scorer="formula")}
    rated = rated_tasks(lake)
    assert {task.task_id for task in rated} == stored.keys()
    for task in rated:
        for name, value in stored[task.task_id].items():
            found = getattr(task.features, name)
            assert found == (value if isinstance(value, str) else pytest.approx(value, rel=1e-9)), name
        metric_given = task.features.range_policy is RangePolicy.METRIC
        assert board_inputs(task.features, task.direction)["bounded"] == metric_given


@pytest.mark.long
def test_the_report_has_figures_a_page_and_pictures(lake: Lake, labels: Path, tmp_path: Path) -> None:
    arguments = ("--lake", lake.root, "--labels", labels, "--repeats", 1, "--out", tmp_path)
    found = json.loads(tam("difficulty", "report", *arguments, "--json"))
    (report,) = found["label_reports"]
    assert report["labels"] == "made-up"
    agreements = report["agreements"]
    # The demo's boards are made for their cells by the formula; that much it must see.
    assert agreements["formula"]["accuracy"]["value"] == 1
    assert agreements["formula"]["kappa"]["value"] == 1
    assert agreements["majority"]["accuracy"]["value"] == pytest.approx(1 / 3)
    for one in agreements.values():
        assert one["accuracy"]["low"] <= one["accuracy"]["value"] <= one["accuracy"]["high"]
    page = (tmp_path / "difficulty.md").read_text()
    assert "| formula | 1.00 [1.00, 1.00] |" in page
    for picture in ("difficulty-confusion-1.png", "difficulty-levels-1.png"):
        assert picture in page
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_graded_runs_say_whether_levels_hold_for_agents(lake: Lake) -> None:
    levels = {row.task_id: Level(row.level) for row in lake.read(DIFFICULTIES, scorer="formula") if row.level}
    share = {Level.EASY: 0.2, Level.MEDIUM: 0.5, Level.HARD: 0.8}
    other = Lake(lake.root)
    rows = [
        _grade(f"agent-{number}", task_id, share[level] + 0.02 * number)
        for number in range(5)
        for task_id, level in levels.items()
    ]
    other.append(GRADES, rows)
    known = {key_of(task_id): level for task_id, level in levels.items()}
    check = difficulty_report(other, {"by task id": known}, model=shipped_model(), seed=0, repeats=1).agents[
        "formula"
    ]
    assert (check.runs, check.tasks) == (5, len(levels))
    assert check.monotone
    # Tasks of one level share their mean rank, up to the last bit.
    assert check.spearman > 0.95
    assert check.item_spearman is not None
    assert check.item_spearman > 0.9
    assert check.mean_rank[Level.EASY] == pytest.approx(0.24)


def _grade(run: str, task_id: str, rank_pct: float) -> GradeRow:
    values: dict[str, object] = {
        name: None for name, field in GradeRow.__dataclass_fields__.items() if "None" in str(field.type)
    }
    given = {"run": run, "seed": 0, "task_id": task_id, "made": True, "valid": True, "rank_pct": rank_pct}
    lists = {name: () for name, field in GradeRow.__dataclass_fields__.items() if "tuple" in str(field.type)}
    return GradeRow(**(values | lists | given))  # type: ignore[arg-type]


def test_a_model_of_ones_own_scores_the_next_build(
    lake: Lake, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.json"
    tam("difficulty", "train", path, "--lake", lake.root, "--labels", labels)
    model = load_model(path)
    assert (model.trained_on, model.labels) == (3 * PER_LEVEL, "made-up")
    monkeypatch.setenv("TAM_DIFFICULTY_MODEL", str(path))
    report = asyncio.run(build(load_settings(lake=lake.root), BuildRequest()))
    assert report.built == 3 * PER_LEVEL
    used = {row.model for row in lake.read(DIFFICULTIES, scorer="calibrated")}
    assert used == {model.data_sha256}


def test_too_few_known_levels_are_told(lake: Lake, tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text(f"competition,level\n{slugs()[0]},easy\n")
    with pytest.raises(UsageError, match="1 tasks of the lake have the level easy"):
        tam("difficulty", "train", tmp_path / "none.json", "--lake", lake.root, "--labels", few)
    assert not (tmp_path / "none.json").exists()


def test_with_few_known_levels_the_report_shows_what_needs_no_fit(lake: Lake, tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    lines = [f"{slug},{KEPT[slug][1]}" for slug in slugs()[:PER_LEVEL]]
    few.write_text("\n".join(["competition,level", *lines]) + "\n")
    found = json.loads(tam("difficulty", "report", "--lake", lake.root, "--labels", few, "--json"))
    agreements = found["label_reports"][0]["agreements"]
    assert agreements["formula"]["accuracy"]["value"] == 1
    assert agreements["calibrated, as it is"]["tasks"] == PER_LEVEL
    assert "calibrated" not in agreements


def test_a_subset_cut_again_keeps_its_members_and_tells_what_changed(lake: Lake, tmp_path: Path) -> None:
    out = tmp_path / "lite"
    first = build_subset(lake, SubsetRequest(SubsetName.LITE, 3, out))
    assert first.changes == ()
    again = build_subset(lake, SubsetRequest(SubsetName.LITE, 3, out))
    assert [member.task_id for member in again.members] == [member.task_id for member in first.members]
    gone = first.members[0].task_id
    (out / first.members[1].task_id / "notes.txt").write_text("kept")
    after = build_subset(lake, SubsetRequest(SubsetName.LITE, 3, out, exclude=(gone,)))
    left = [change.task_id for change in after.changes if not change.joined]
    assert left == [gone]
    assert not (out / gone).exists()
    assert {folder.name for folder in out.iterdir() if folder.is_dir()} == {
        member.task_id for member in after.members
    }
    assert {row.task_id for row in lake.read(SUBSETS, subset="lite")} == {
        member.task_id for member in after.members
    }


def test_what_must_be_in_is_in_and_what_cannot_be_is_refused(lake: Lake, tmp_path: Path) -> None:
    wanted = task_id_of(invented(slugs()[1]).meta.platform, slugs()[1])
    request = SubsetRequest(SubsetName.LITE, 4, tmp_path, include=(wanted,))
    found = {member.task_id: member.reason for member in build_subset(lake, request).members}
    assert "must be in" in found[wanted]
    with pytest.raises(UsageError, match="no-such cannot be in: the lake has no such task"):
        build_subset(lake, SubsetRequest(SubsetName.LITE, 4, tmp_path, include=("no-such",)))
