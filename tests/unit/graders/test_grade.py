"""Grading runs: an agent's fault is a report with a reason, our own fault is an exception."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from core.errors import GradingError, TaskError, UsageError
from graders.grade import GradedTask, evaluate_prepared, grade_run, grade_task
from graders.runs import find_entries
from graders.standings import standings_from_scores
from graders.submission import GradeReason
from graders.validate import validate
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from schema.medals import Medal
from schema.metric import Direction
from schema.prepared import Prepared

CODE = "import random\nrandom.seed(42)\nprint(random.random())\n"
SECRETS = [f"{number * 1.7 % 3 + 700000.125:.6f}" for number in range(60)]
"""True values that would be noticed in any message."""


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    data = tmp_path / "data"
    data.mkdir()
    lines = [f"{number},{number % 9},{value}" for number, value in enumerate(SECRETS)]
    (data / "train.csv").write_text("id,x,y\n" + "\n".join(lines) + "\n")
    return prepare(data, SplitSpec("demo-one", "rmse", ("id",), ("y",)), tmp_path / "prepared")


@pytest.fixture
def task(prepared: Prepared) -> GradedTask:
    board = standings_from_scores([0.1, 0.2, 0.5, 0.9, 1.5])
    return GradedTask("demo-one", Direction.MINIMIZE, board, prepared, ("Seed 42.", "No external data."))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "demo-one").mkdir(parents=True)
    return folder


def truth_of(prepared: Prepared) -> list[tuple[str, float]]:
    lines = prepared.answers.read_text().splitlines()[1:]
    return [(key, float(value)) for key, value in (line.split(",") for line in lines)]


def submit(run: Path, prepared: Prepared, offset: float = 0.0) -> Path:
    path = run / "demo-one" / "submission.csv"
    path.write_text("id,y\n" + "".join(f"{key},{value + offset!r}\n" for key, value in truth_of(prepared)))
    return path


def test_a_perfect_submission_has_the_best_score_and_rank_one(task: GradedTask, run: Path) -> None:
    submit(run, task.prepared)
    (run / "demo-one/best_solution.py").write_text(CODE)
    (grade,) = grade_run(run, {"demo-one": task})[0]
    assert (grade.made, grade.valid, grade.score, grade.rank, grade.rank_pct) == (True, True, 0.0, 1, 0.2)
    assert (grade.medal, grade.above_median, grade.percentile_beaten) == (Medal.GOLD, True, 1.0)
    assert [verdict.passed for verdict in grade.verdicts] == [True, True]
    assert grade.submission_sha256


def test_a_submission_is_ranked_on_the_board_in_the_declared_direction(task: GradedTask, run: Path) -> None:
    submit(run, task.prepared, offset=0.5)
    (grade,) = grade_run(run, {"demo-one": task})[0]
    assert grade.score == pytest.approx(0.5)
    assert (grade.rank, grade.participants, grade.above_median) == (3, 5, False)


def test_tasks_of_the_subset_that_the_run_lacks_count_as_missing(task: GradedTask, run: Path) -> None:
    submit(run, task.prepared)
    grades = grade_run(run, {"demo-one": task, "demo-two": task})[0]
    assert [(grade.made, grade.rank_pct) for grade in grades] == [(True, 0.2), (False, 1.0)]
    assert grades[1].reason == "no_submission"
    assert [verdict.passed for verdict in grades[1].verdicts] == [False, False]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", GradeReason.EMPTY_FILE),
        ("id,y\n", GradeReason.NO_ROWS),
        ("id,z\n1,2\n", GradeReason.MISSING_COLUMN),
        ("id,y\n1,2\n", GradeReason.MISSING_ID),
        ("id;y\n1;2\n", GradeReason.WRONG_SEPARATOR),
    ],
)
def test_case_30_a_bad_file_gives_a_report_and_no_traceback(
    task: GradedTask, run: Path, content: str, reason: GradeReason
) -> None:
    (run / "demo-one/submission.csv").write_text(content)
    (grade,) = grade_run(run, {"demo-one": task})[0]
    assert (grade.made, grade.valid, grade.rank_pct, grade.medal) == (True, False, 1.0, None)
    assert reason in {problem.code for problem in grade.problems}
    assert grade.message


@pytest.mark.parametrize("kind", ["directory", "link", "broken link", "fifo", "bytes"])
def test_case_30_what_is_no_file_of_the_run_gives_a_report(
    task: GradedTask, run: Path, kind: str, tmp_path: Path
) -> None:
    path = run / "demo-one/submission.csv"
    if kind == "directory":
        path.mkdir()
    elif kind == "link":
        path.symlink_to(task.prepared.answers)
    elif kind == "broken link":
        path.symlink_to(tmp_path / "nowhere")
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.write_bytes(bytes(range(256)) * 10)
    (grade,) = grade_run(run, {"demo-one": task})[0]
    assert grade.made
    assert not grade.valid
    assert grade.reason


def test_case_31_no_message_shows_a_value_of_the_answers(task: GradedTask, run: Path) -> None:
    truth = truth_of(task.prepared)
    for mutate in ("nan", "abc", "inf", "1e400", ""):
        lines = [f"{key},{mutate if row == 0 else 1.0}" for row, (key, _) in enumerate(truth)]
        (run / "demo-one/submission.csv").write_text("id,y\n" + "\n".join([*lines[:-3], "x,1"]) + "\n")
        (grade,) = grade_run(run, {"demo-one": task})[0]
        told = grade.message + "".join(problem.message for problem in grade.problems)
        assert not grade.valid
        assert not any(secret[:8] in told for secret in SECRETS)


def test_case_31_a_metric_that_fails_stops_the_run_without_telling_values(
    task: GradedTask, run: Path
) -> None:
    path = submit(run, task.prepared)
    wrong = task.prepared.record.model_copy(
        update={"metric_params": {"prediction_range": 5, "truth_column": "q"}}
    )
    with pytest.raises((GradingError, TaskError)) as caught:
        evaluate_prepared(Prepared(task.prepared.folder, wrong), path)
    assert not any(secret in str(caught.value) for secret in SECRETS)


def test_case_38_grading_twice_is_bit_equal(task: GradedTask, run: Path) -> None:
    submit(run, task.prepared, offset=1 / 3)
    (run / "demo-one/best_solution.py").write_text(CODE)
    first, second = (grade_run(run, {"demo-one": task}) for _ in range(2))
    assert first == second
    score = first[0][0].score
    assert score is not None
    assert np.float64(score).tobytes() == np.float64(second[0][0].score).tobytes()


def test_case_09_a_task_whose_direction_contradicts_its_metric_or_board_stops_the_run(
    task: GradedTask, run: Path
) -> None:
    submit(run, task.prepared)
    (entry,) = find_entries(run, ["demo-one"])
    turned = GradedTask("demo-one", Direction.MAXIMIZE, task.board, task.prepared)
    upside_down = GradedTask(
        "demo-one", Direction.MINIMIZE, standings_from_scores([3.0, 2.0, 1.0]), task.prepared
    )
    for wrong in (turned, upside_down):
        with pytest.raises(GradingError, match="direction_conflict"):
            grade_task(wrong, entry)


def test_case_06_a_valid_submission_on_a_board_that_ranks_nobody_is_valid_without_rank(
    task: GradedTask, run: Path
) -> None:
    submit(run, task.prepared)
    flat = GradedTask("demo-one", Direction.MINIMIZE, standings_from_scores([0.0, 0.0]), task.prepared)
    (grade,) = grade_run(run, {"demo-one": flat})[0]
    assert (grade.valid, grade.reason, grade.rank, grade.rank_pct) == (True, "degenerate_board", None, None)


def test_case_33_seeds_lie_in_folders_of_their_own(task: GradedTask, tmp_path: Path) -> None:
    run = tmp_path / "seeds"
    for seed in (1, 2):
        (run / f"seed-{seed}" / "demo-one").mkdir(parents=True)
    submit(run / "seed-1", task.prepared)
    grades = grade_run(run, {"demo-one": task})
    assert {seed: of_seed[0].made for seed, of_seed in grades.items()} == {1: True, 2: False}


@pytest.mark.parametrize(
    ("competition", "path", "made", "valid"),
    [
        ("demo-one", "demo-one/submission.csv", True, True),
        ("one", "demo-one/submission.csv", True, True),
        ("demo-one", "../outside.csv", True, False),
        ("demo-one", "absent.csv", False, False),
    ],
)
def test_a_list_of_submissions_is_graded_and_its_paths_stay_in_its_folder(
    task: GradedTask, run: Path, competition: str, path: str, *, made: bool, valid: bool
) -> None:
    submission = submit(run, task.prepared)
    (run.parent / "outside.csv").write_text(submission.read_text())
    other = {"competition_id": "demo-two", "submission_path": "demo-one/submission.csv", "seed": 3}
    listed = {"competition_id": competition, "submission_path": path, "seed": 3}
    strange = {"competition_id": "unknown", "submission_path": "x.csv"}
    (run / "list.jsonl").write_text("\n".join(map(json.dumps, [other, listed, strange])) + "\n")
    grade, _ = grade_run(run / "list.jsonl", {"demo-one": task, "demo-two": task})[3]
    assert (grade.made, grade.valid) == (made, valid)


@pytest.mark.parametrize("content", ["{", "[]", '{"submission_path": "x"}', "\xff"])
def test_a_list_that_cannot_be_read_is_a_usage_error(run: Path, content: str) -> None:
    listing = run / "list.jsonl"
    listing.write_bytes(content.encode("latin-1"))
    with pytest.raises(UsageError):
        find_entries(listing, ["demo-one"])


def test_a_run_that_holds_nothing_of_the_subset_is_a_usage_error(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing"):
        find_entries(run, ["demo-one"])
    with pytest.raises(UsageError, match="no run"):
        find_entries(tmp_path / "absent", ["demo-one"])


def test_case_37_hostile_code_files_are_judged_as_no_code(task: GradedTask, run: Path) -> None:
    submit(run, task.prepared)
    (run / "demo-one/best_solution.py").symlink_to("/etc/passwd")
    (grade,) = grade_run(run, {"demo-one": task})[0]
    assert grade.valid
    assert not any(verdict.passed for verdict in grade.verdicts)


def test_validate_tells_every_problem_at_once_and_no_score(prepared: Prepared, tmp_path: Path) -> None:
    keys = [key for key, _ in truth_of(prepared)]
    rows = [f"{keys[0]},x", f"{keys[0]},", f"{keys[1]},inf", "zzz,1"]
    path = tmp_path / "s.csv"
    path.write_text("id,y,extra\n" + "\n".join(f"{row},0" for row in rows) + "\n")
    assert {problem.code for problem in validate(prepared, path)} == {
        GradeReason.UNEXPECTED_COLUMN,
        GradeReason.DUPLICATE_ID,
        GradeReason.UNKNOWN_ID,
        GradeReason.MISSING_ID,
        GradeReason.NOT_NUMERIC,
        GradeReason.NAN_PREDICTION,
        GradeReason.NOT_FINITE,
    }
    assert validate(prepared, prepared.sample) == ()
