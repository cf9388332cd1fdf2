"""`tam evaluate`: one JSON line per case, whatever the submission; our own faults are told apart."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from core.errors import UsageError
from tam.cli import app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "answers.csv").write_text("id,y\n1,10\n2,20\n")
    (tmp_path / "good.csv").write_text("id,y\n2,20\n1,12\n")
    (tmp_path / "bad.csv").write_text("id,y\n1,x\n2,20\n")
    return tmp_path


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", *arguments])


def _case(folder: Path, submission: str, **changes: object) -> dict[str, object]:
    return {
        "metric": "mae",
        "params": {},
        "answers": str(folder / "answers.csv"),
        "submission": str(folder / submission),
        "id_columns": ["id"],
        "target_columns": ["y"],
    } | changes


def _options(folder: Path, submission: str, *more: str) -> list[str]:
    files = ["--answers", str(folder / "answers.csv"), "--submission", str(folder / submission)]
    return ["--metric", "mae", *files, "--id-columns", "id", "--target-columns", "y", *more]


def test_a_good_submission_gives_its_score(folder: Path) -> None:
    result = _run(*_options(folder, "good.csv"))
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"valid": True, "score": 1.0}


def test_a_bad_submission_gives_a_reason_and_is_no_failure(folder: Path) -> None:
    result = _run(*_options(folder, "bad.csv"))
    assert result.exit_code == 0
    assert json.loads(result.stdout)["reason"] == "not_numeric"


def test_a_batch_gives_one_line_per_case_in_order(folder: Path) -> None:
    batch = folder / "batch.jsonl"
    names = ["good.csv", "bad.csv", "absent.csv", "good.csv"]
    batch.write_text("".join(json.dumps(_case(folder, name)) + "\n" for name in names))
    result = _run("--batch", str(batch))
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [line.get("reason") for line in lines] == [None, "not_numeric", "no_submission", None]


def test_our_own_fault_in_a_batch_is_a_line_and_exit_code_1(folder: Path) -> None:
    batch = folder / "batch.jsonl"
    cases = [_case(folder, "good.csv", metric="no_such_metric"), _case(folder, "good.csv")]
    batch.write_text("".join(json.dumps(case) + "\n" for case in cases))
    result = _run("--batch", str(batch))
    assert result.exit_code == 1
    assert [json.loads(line)["valid"] for line in result.stdout.splitlines()] == [False, True]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--metric", "mae"], ["--batch", "/no/such/file.jsonl"], ["--metric", "mae", "--params", "{"]],
)
def test_arguments_that_do_not_suffice_are_wrong_usage(folder: Path, arguments: list[str]) -> None:
    more = _options(folder, "good.csv", *arguments[2:]) if "--params" in arguments else arguments
    result = _run(*more)
    assert isinstance(result.exception, UsageError)


def test_params_that_are_no_object_are_wrong_usage(folder: Path) -> None:
    result = _run(*_options(folder, "good.csv", "--params", "[1]"))
    assert isinstance(result.exception, UsageError)
