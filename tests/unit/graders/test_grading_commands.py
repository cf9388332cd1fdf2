"""`tam rank` and `tam validate` as users call them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import UsageError
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from tam.cli import app


def rank(board: Path, *arguments: str) -> dict[str, object]:
    result = CliRunner().invoke(
        app, ["rank", "--board", str(board), "--json", *arguments], catch_exceptions=False
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


@pytest.fixture
def board(tmp_path: Path) -> Path:
    path = tmp_path / "board.csv"
    path.write_text("rank,score\n1,0.90\n2,0.80\n3,0.80\n4,0.70\n5,\n")
    return path


def test_rank_prints_the_agreed_fields_and_says_that_the_direction_was_inferred(board: Path) -> None:
    found = rank(board, "--score", "0.8")
    notes = found.pop("notes")
    assert found == {
        "rank": 2,
        "participants": 4,
        "rank_pct": 0.5,
        "percentile_beaten": 0.25,
        "medal": None,
        "above_median": False,
    }
    assert isinstance(notes, list)
    assert any("inferred" in note for note in notes)
    assert any("without a score" in note for note in notes)


def test_a_declared_direction_is_not_inferred(board: Path) -> None:
    assert not any(
        "inferred" in note for note in rank(board, "--score", "1", "--direction", "maximize")["notes"]
    )  # type: ignore[attr-defined]


def test_case_03_and_case_06_are_told_in_the_notes(board: Path, tmp_path: Path) -> None:
    assert "non_finite_score" in str(rank(board, "--score", "nan")["notes"])
    flat = tmp_path / "flat.csv"
    flat.write_text("Score\n0\n0\n")
    found = rank(flat, "--score", "1")
    assert (found["rank"], found["rank_pct"]) == (None, None)
    assert "degenerate_board" in str(found["notes"])


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("score\n1\n", []),
        ("score\n1\n3\n2\n4\n", []),
        ("score\n1\n2\n", ["--direction", "up"]),
        ("team\nA\n", []),
    ],
)
def test_a_direction_that_cannot_be_inferred_or_a_wrong_board_is_a_usage_error(
    tmp_path: Path, content: str, arguments: list[str]
) -> None:
    path = tmp_path / "board.csv"
    path.write_text(content)
    with pytest.raises(UsageError):
        CliRunner().invoke(
            app, ["rank", "--board", str(path), "--score", "1", *arguments], catch_exceptions=False
        )


def test_a_board_in_the_other_order_ranks_nobody_and_ends_with_exit_code_one(tmp_path: Path) -> None:
    board = tmp_path / "board.csv"
    board.write_text("Score\n" + "\n".join(f"0.{9 - n}" for n in range(9)))
    asked = ["rank", "--board", str(board), "--score", "0.95", "--direction", "minimize", "--json"]
    result = CliRunner().invoke(app, asked)
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (found["rank"], found["medal"], found["above_median"]) == (None, None, None)
    assert "direction_conflict" in str(found["notes"])


def test_validate_shows_problems_and_ends_with_exit_code_one(tmp_path: Path) -> None:
    data = tmp_path / "train.csv"
    data.write_text("id,x,y\n" + "".join(f"{n},{n % 3},{y}\n" for n, y in enumerate("01101000110101101001")))
    prepared = prepare(data, SplitSpec("demo-one", "roc_auc", ("id",), ("y",)), tmp_path / "prepared")
    bad = tmp_path / "bad.csv"
    bad.write_text("id,y\n1,x\n")
    command = ["validate", "--task", str(prepared.folder), "--json"]
    good = CliRunner().invoke(app, [*command, str(prepared.sample)])
    assert (good.exit_code, json.loads(good.stdout)["valid"]) == (0, True)
    result = CliRunner().invoke(app, [*command, str(bad)])
    assert (result.exit_code, json.loads(result.stdout)["valid"]) == (1, False)
    shown = CliRunner().invoke(app, ["validate", "--task", str(prepared.folder), str(bad)])
    assert "not_numeric" in shown.stdout
