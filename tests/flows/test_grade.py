"""Grading whole runs over prepared tasks, into the lake: repeatable, with seeds, against another run."""

import json
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from core.errors import TaskError, UsageError
from demo import datasets
from demo.runs import write_good_run
from flows.grading.comparison import compare_with
from flows.preparing.prepare import check_task, prepare_task
from graders.report import TaskGrade
from lake.store import Lake
from schema.prepared import CheckOutcome
from tam.cli import app
from tam.cli.grade import grade_record
from tests.flows.graded import NOON, SLUGS, enter, graded, make_lake

TASK = "kaggle-canal-lock-delays"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """Shared: tests that change the lake take a copy."""
    return make_lake(tmp_path_factory.mktemp("graded") / "lake")


@pytest.fixture
def lake(prepared: Lake, tmp_path: Path) -> Lake:
    shutil.copytree(prepared.root, tmp_path / "lake")
    return Lake(tmp_path / "lake")


@pytest.fixture(scope="module")
def run(prepared: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every task solved by a simple model."""
    tasks = [path.name for path in (prepared.root / "prepared").iterdir()]
    return write_good_run(prepared.root / "prepared", tmp_path_factory.mktemp("runs") / "good", sorted(tasks))


def figures(grades: tuple[TaskGrade, ...]) -> list[tuple[str, bytes, int | None, bytes]]:
    """Scores and rank shares to the last bit."""
    return [
        (one.task_id, np.float64(one.score).tobytes(), one.rank, np.float64(one.rank_pct).tobytes())
        for one in grades
    ]


def two_seeds(run: Path, folder: Path) -> Path:
    """The run as seed 1, and without one of its tasks as seed 2."""
    for seed in (1, 2):
        shutil.copytree(run, folder / f"seed-{seed}")
    shutil.rmtree(folder / "seed-2" / TASK)
    return folder


def test_every_task_of_the_subset_is_graded_and_a_simple_model_beats_the_sample(
    lake: Lake, run: Path
) -> None:
    report = graded(lake, run)
    assert len(report.grades) == len(SLUGS)
    assert all(one.valid and one.reasonable for one in report.grades)
    stored = lake.sql("SELECT count(*) AS n FROM grades WHERE valid AND reasonable").to_pylist()
    assert stored == [{"n": len(SLUGS)}]


def test_case_38_graded_twice_is_bit_equal_and_writes_nothing_new(lake: Lake, run: Path) -> None:
    first = graded(lake, run)
    rows = lake.sql("SELECT count(*) AS n FROM grades_history").to_pylist()
    again = graded(lake, run, afresh=True)
    assert (first.reused, again.reused) == (0, 0)
    assert figures(again.grades) == figures(first.grades)
    assert again.summary == first.summary
    assert lake.sql("SELECT count(*) AS n FROM grades_history").to_pylist() == rows


def test_case_38_regraded_from_the_stored_release_is_bit_equal_though_the_board_has_changed(
    lake: Lake, run: Path
) -> None:
    first = graded(lake, run)
    lake.freeze("spring")
    enter(lake, "canal-lock-delays", at=NOON + timedelta(days=1), scale=10)
    changed, stored = graded(lake, run), graded(lake, run, release="spring", afresh=True)
    assert figures(changed.grades) != figures(first.grades)
    assert figures(stored.grades) == figures(first.grades)


def test_case_33_a_task_missing_in_one_seed_is_flagged_and_counts_as_last_there(
    lake: Lake, run: Path, tmp_path: Path
) -> None:
    report = graded(lake, two_seeds(run, tmp_path / "seeds"))
    assert report.summary.missing == ((2, TASK),)
    stored = lake.sql(f"SELECT seed, made, rank_pct FROM grades WHERE task_id = '{TASK}' ORDER BY seed")  # noqa: S608
    assert stored.to_pylist()[1] == {"seed": 2, "made": False, "rank_pct": 1.0}
    assert report.summary.weighted_rank.standard_error
    assert report.summary.best_at_k.valid == len(SLUGS)


def test_case_34_one_seed_has_null_as_its_spread(lake: Lake, run: Path) -> None:
    command = ["grade", str(run), "--lake", str(lake.root), "--direct", "--json"]
    told = json.loads(CliRunner().invoke(app, command, catch_exceptions=False).stdout)
    rank = told["summary"]["weighted_rank"]
    assert (rank["standard_error"], rank["seeds"]) == (None, 1)
    assert rank["interval"]["low"] <= rank["mean"] <= rank["interval"]["high"]


def test_case_31_no_stored_message_shows_a_value_of_the_answers(
    lake: Lake, run: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(run, broken)
    path = broken / TASK / "submission.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-2], "x,oops", lines[1]]) + "\n")
    report = graded(lake, broken)
    (grade,) = [one for one in report.grades if one.task_id == TASK]
    assert not grade.valid
    told = json.dumps(lake.sql("SELECT message, notes FROM grades WHERE NOT valid").to_pylist())
    answers = (lake.root / "prepared" / TASK / "private/answers.csv").read_text().splitlines()[1:]
    secrets = {answer for line in answers if len(answer := line.split(",")[-1]) > 3}
    assert secrets
    assert not any(secret in told for secret in secrets)


def test_a_run_is_compared_with_one_that_the_lake_holds(lake: Lake, run: Path, tmp_path: Path) -> None:
    worse = tmp_path / "worse"
    shutil.copytree(run, worse)
    (worse / TASK / "submission.csv").unlink()
    graded(lake, worse)
    compared = compare_with(lake, graded(lake, run), "worse")
    assert (compared.won.count, compared.tied.count, compared.lost.count) == (1, len(SLUGS) - 1, 0)
    assert compared.weighted_rank.value is not None
    assert compared.weighted_rank.value < 0
    assert compared.average_rank_only_valid.value == 0
    with pytest.raises(UsageError, match="no grade of run 'nobody'"):
        compare_with(lake, graded(lake, run), "nobody")


def test_an_unknown_rival_is_found_out_before_anything_is_graded(lake: Lake, run: Path) -> None:
    command = ["grade", str(run), "--lake", str(lake.root), "--direct", "--compare", "nobody"]
    told = CliRunner().invoke(app, command)
    assert "no grade of run 'nobody'" in str(told.exception)
    assert lake.sql("SELECT count(*) AS n FROM grades").to_pylist() == [{"n": 0}]


def test_a_run_graded_over_fewer_tasks_is_no_rival(lake: Lake, run: Path) -> None:
    report = graded(lake, run)
    more = replace(report, labels=report.labels | {"kaggle-other": next(iter(report.labels.values()))})
    with pytest.raises(UsageError, match="not a grade for every task"):
        compare_with(lake, more, report.run)


def shown(lake: Lake, run: Path, *options: str) -> str:
    command = ["grade", str(run), "--lake", str(lake.root), "--direct", *options]
    return CliRunner().invoke(app, command, catch_exceptions=False).stdout


def test_tables_and_json_carry_the_same_figures(lake: Lake, run: Path, tmp_path: Path) -> None:
    seeds = two_seeds(run, tmp_path / "seeds")
    report = graded(lake, seeds)
    text = shown(lake, seeds, "--compare", "seeds")
    record = json.loads(shown(lake, seeds, "--compare", "seeds", "--json"))
    for name, unit in (("weighted_rank", ""), ("average_rank", ""), ("made", " %"), ("constraints", " %")):
        figure = record["summary"][name]
        printed = f"{100 * figure['mean']:.1f}{unit} ± {100 * figure['standard_error']:.1f} (2 seeds)"
        interval = f"[{100 * figure['interval']['low']:.0f}, {100 * figure['interval']['high']:.0f}]"
        assert f"{printed} {interval}" in text
    best = record["summary"]["best_at_k"]
    assert f"k = 2: {100 * best['missing_as_last']:.1f}" in text
    assert record["comparison"]["tied"] == {"count": len(SLUGS), "of": len(SLUGS)}
    assert f"{len(SLUGS)} of {len(SLUGS)} (100 %)" in text
    assert set(grade_record(report)) <= set(record)


def test_every_prepared_task_passes_its_self_checks(prepared: Lake) -> None:
    for folder in (prepared.root / "prepared").iterdir():
        assert {check.outcome for check in check_task(prepared, folder.name)} == {CheckOutcome.PASSED}


def test_a_board_on_another_scale_than_the_metric_is_no_task_and_the_older_data_stay(
    lake: Lake, tmp_path: Path
) -> None:
    slug = "crossword-clue-setters"
    task = f"kaggle-{slug}"
    before = (lake.root / "prepared" / task / "split.json").read_bytes()
    enter(lake, slug, at=NOON + timedelta(days=1), scale=-1)
    with pytest.raises(TaskError, match="perfect answers rank first"):
        prepare_task(lake, task, datasets.write(slug, tmp_path / "data"), seed=2)
    assert (lake.root / "prepared" / task / "split.json").read_bytes() == before
    assert sorted(path.name for path in (lake.root / "prepared").glob(".*")) == []
    told = CliRunner().invoke(app, ["check", task, "--lake", str(lake.root), "--json"])
    assert told.exit_code == 1
    assert json.loads(told.stdout)["fit"] is False
