"""Self-checks find the task that is not fit, say why, and never pass what they could not check."""

import csv
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from graders.standings import standings_from_scores
from preparation.check.checks import SelfCheck, check_prepared
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from schema.prepared import CheckOutcome, Prepared

IDS = [hashlib.sha256(str(n).encode()).hexdigest()[:6] for n in range(40)]
Cells = dict[str, list[str]]
Make = Callable[..., Prepared]
ROWS = 40
BEST = "perfect answers give the metric's best score"
FIRST = "perfect answers rank first"
SAMPLE = "the sample submission is valid"
NOT_FIRST = "the sample submission does not rank first"
SHUFFLED = "shuffled rows score the same"
MISPLACED = "perfect answers under wrong ids score worse"
LEAKS = "public files hold no answers"


def write(path: Path, columns: Cells) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def run(metric: str, targets: Cells, **params: object) -> Prepared:
        table = {"id": IDS, "x": [str(n * 7 % 11) for n in range(ROWS)]}
        data = tmp_path / "data"
        data.mkdir(exist_ok=True)
        write(data / "train.csv", table | targets)
        spec = SplitSpec("demo-task", metric, ("id",), tuple(targets), params)
        return prepare(data, spec, tmp_path / "prepared")

    return run


def numbers(step: float = 1.5) -> Cells:
    return {"y": [str(step * (n * 37 % 41)) for n in range(ROWS)]}


def outcomes(checks: tuple[SelfCheck, ...]) -> dict[str, CheckOutcome]:
    assert all(check.reason for check in checks)
    return {check.rule: check.outcome for check in checks}


@pytest.mark.parametrize(
    ("metric", "targets", "params"),
    [
        ("rmse", numbers(), {}),
        ("spearman", numbers(), {}),
        ("accuracy", {"y": [str(n % 3) for n in range(ROWS)]}, {"scale": 100}),
        ("roc_auc", {"y": ["True" if n % 3 else "False" for n in range(ROWS)]}, {}),
        ("log_loss", {"y": [str(n % 2) for n in range(ROWS)]}, {"clip_eps": 1e-3}),
        ("kl_divergence", {"a": [str(n % 4 + 1) for n in range(ROWS)], "b": ["2"] * ROWS}, {}),
        (
            "hamming_loss",
            {"a": [str(n % 2) for n in range(ROWS)], "b": [str(n % 3 // 2) for n in range(ROWS)]},
            {},
        ),
        ("map_at_k", {"y": [f"p{n % 5} q{n % 3}" for n in range(ROWS)]}, {"k": 3}),
        ("mean_dice", {"y": [f"{n % 7 + 1} 4" for n in range(ROWS)]}, {}),
        ("word_error_rate", {"y": [f"the {n % 7} cats" for n in range(ROWS)]}, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sound_task_passes_whatever_its_kind(
    make: Make, metric: str, targets: Cells, params: dict[str, object]
) -> None:
    found = check_prepared(make(metric, targets, **params), None)
    assert {
        check.rule: check.reason for check in found if check.outcome is not CheckOutcome.PASSED
    } == dict.fromkeys((FIRST, NOT_FIRST), "The lake has no board of this task.")


def test_a_board_that_beats_perfect_answers_fails(make: Make) -> None:
    task = make("accuracy", {"y": [str(n % 3) for n in range(ROWS)]})
    found = outcomes(check_prepared(task, standings_from_scores([97.5, 88.0, 61.2])))
    assert (found[BEST], found[FIRST]) == (CheckOutcome.PASSED, CheckOutcome.FAILED)


def test_a_sample_that_is_refused_or_ranks_first_fails(make: Make) -> None:
    task = make("rmse", numbers())
    board = standings_from_scores([100.0, 200.0, 300.0])
    assert outcomes(check_prepared(task, board))[NOT_FIRST] is CheckOutcome.FAILED
    task.sample.write_text("id,y\nr1,x\n")
    found = outcomes(check_prepared(task, board))
    assert (found[SAMPLE], found[NOT_FIRST]) == (CheckOutcome.FAILED, CheckOutcome.NOT_CHECKED)


def test_a_board_that_ranks_nobody_lets_the_sample_be(make: Make) -> None:
    found = outcomes(check_prepared(make("rmse", numbers()), standings_from_scores([0.0, 0.0])))
    assert (found[FIRST], found[NOT_FIRST]) == (CheckOutcome.NOT_CHECKED, CheckOutcome.NOT_CHECKED)


def test_equal_answers_cannot_be_misplaced_and_say_so(make: Make) -> None:
    found = outcomes(check_prepared(make("rmse", {"y": ["3"] * ROWS}), None))
    assert (found[BEST], found[MISPLACED]) == (CheckOutcome.PASSED, CheckOutcome.NOT_CHECKED)


def test_a_metric_that_cannot_tell_right_from_wrong_fails(make: Make) -> None:
    wide = {"y": [" ".join(f"p{(n + shift) % 3}" for shift in range(3)) for n in range(ROWS)]}
    found = outcomes(check_prepared(make("recall_at_k", wide, k=3), None))
    assert (found[BEST], found[MISPLACED]) == (CheckOutcome.PASSED, CheckOutcome.FAILED)


def test_perfect_answers_that_miss_the_bound_fail_or_say_why_not(make: Make) -> None:
    cut = make("recall_at_k", {"y": [f"p{n} q{n} r{n}" for n in range(ROWS)]}, k=2)
    found = outcomes(check_prepared(cut, None))
    assert (found[BEST], found[MISPLACED]) == (CheckOutcome.NOT_CHECKED, CheckOutcome.PASSED)
    made = make("rmse", numbers())
    other = Prepared(made.folder, made.record.model_copy(update={"metric_params": {"truth_column": "other"}}))
    write(made.answers, {"id": ["1", "2"], "y": ["5", "6"], "other": ["1", "2"]})
    write(made.sample, {"id": ["1", "2"], "y": ["0", "0"]})
    assert outcomes(check_prepared(other, None))[BEST] is CheckOutcome.FAILED


def test_boxes_are_not_spelled_like_their_answers_and_say_so(make: Make) -> None:
    boxes = make("point_in_box_f1", {"y": [f"a {n} {n} 10 10" for n in range(ROWS)]})
    found = {check.rule: check for check in check_prepared(boxes, None)}
    assert found[BEST].outcome is CheckOutcome.NOT_CHECKED
    assert "malformed_boxes" in found[BEST].reason
    assert found[SAMPLE].outcome is CheckOutcome.PASSED


@pytest.mark.parametrize(
    ("file", "columns"),
    [
        ("extra.csv", {"id": ["r1"], "y": ["1"]}),
        ("deep/labels.json", None),
        ("train.csv", None),
        ("test.csv", None),
    ],
)
def test_a_public_file_with_answers_fails(make: Make, file: str, columns: Cells | None) -> None:
    task = make("rmse", numbers())
    path = task.folder / "public" / file
    answers = list(csv.DictReader(task.answers.read_text().splitlines()))
    if file.endswith(".json"):
        path.parent.mkdir()
        path.write_text('[{"id": "r1", "y": 1}]')
    else:
        # the answers' rows among the training rows, and as a feature of another name in the test part
        name = "z" if file == "test.csv" else "y"
        write(path, columns or {"id": [r["id"] for r in answers], name: [r["y"] for r in answers]})
    found = {check.rule: check for check in check_prepared(task, None)}
    assert found[LEAKS].outcome is CheckOutcome.FAILED
    assert file in found[LEAKS].reason
