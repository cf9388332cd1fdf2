"""MLE-bench's lists of submissions and grading reports: in, out and back."""

import json
import shutil
import statistics
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import UsageError
from graders.runs import find_entries
from interchange.mle_bench import read_report
from lake.store import Lake
from tam.cli import app
from tests.unit.interchange.conftest import Solved

FIELDS = (
    *("competition_id", "score", "gold_threshold", "silver_threshold", "bronze_threshold"),
    *("median_threshold", "any_medal", "gold_medal", "silver_medal", "bronze_medal", "above_median"),
    *("submission_exists", "valid_submission", "is_lower_better", "created_at", "submission_path"),
)
TOTALS = (
    *("total_runs", "total_runs_with_submissions", "total_valid_submissions", "total_medals"),
    *("total_gold_medals", "total_silver_medals", "total_bronze_medals", "total_above_median"),
)
LIST = """\
# two attempts at one competition, one that left nothing, one that is no competition of the subset
{"competition_id": "canal-lock-delays", "submission_path": "kaggle-canal-lock-delays/submission.csv"}
// a comment of the other kind
{"competition_id": "snow-fence-shadows", "submission_path": "nothing/here.csv"}
{"competition_id": "canal-lock-delays", "submission_path": "broken.csv"}

{"competition_id": "somebody-elses", "submission_path": "broken.csv"}
"""


def invoke(*arguments: object) -> str:
    called = CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)
    assert called.exit_code == 0, called.output
    return called.stdout


@pytest.fixture
def lake(solved: Solved, tmp_path: Path) -> Lake:
    shutil.copytree(solved.lake.root, tmp_path / "lake")
    return Lake(tmp_path / "lake")


@pytest.fixture
def listed(solved: Solved, tmp_path: Path) -> Path:
    shutil.copytree(solved.run, tmp_path / "run")
    (tmp_path / "run/broken.csv").write_text("passage_id,delay\n1,oops\n")
    path = tmp_path / "run/submissions.jsonl"
    path.write_text(LIST)
    return path


def grade(lake: Lake, run: Path, out: Path) -> dict[str, object]:
    command = ("grade", run, "--lake", lake.root, "--direct", "--report", "mle-bench", "--out", out)
    invoke(*command)
    report: dict[str, object] = json.loads(out.read_text())
    return report


def board_of(lake: Lake, slug: str) -> list[float]:
    """The teams' scores in the board's order, the best first; a baseline's row has no rank."""
    wanted = f"competition = '{slug}' AND score IS NOT NULL AND rank > 0"
    rows = lake.sql(f"SELECT score FROM board_rows WHERE {wanted} ORDER BY position")  # noqa: S608
    return [row["score"] for row in rows.to_pylist()]


def test_a_list_of_submissions_gives_a_report_with_mle_benchs_fields(
    lake: Lake, listed: Path, tmp_path: Path
) -> None:
    report = grade(lake, listed, tmp_path / "report.json")
    assert tuple(report) == (*TOTALS, "competition_reports")
    one, *others = report["competition_reports"]
    assert all(tuple(other) == FIELDS for other in (one, *others))
    assert datetime.fromisoformat(one["created_at"]).tzinfo
    assert [report[total] for total in TOTALS] == [3, 2, 1, 1, 0, 0, 1, 1]
    assert {other["competition_id"] for other in others} == {"snow-fence-shadows", "canal-lock-delays"}


def test_missing_invalid_and_valid_submissions_are_told_apart(
    lake: Lake, listed: Path, tmp_path: Path
) -> None:
    found = {
        one["submission_path"]: (one["submission_exists"], one["valid_submission"], one["score"] is None)
        for one in grade(lake, listed, tmp_path / "report.json")["competition_reports"]
    }
    assert found == {
        "kaggle-canal-lock-delays/submission.csv": (True, True, False),
        "broken.csv": (True, False, True),
        "nothing/here.csv": (False, False, True),
    }


def test_thresholds_are_the_scores_at_mle_benchs_places_on_our_board(
    lake: Lake, solved: Solved, tmp_path: Path
) -> None:
    report = grade(lake, solved.run, tmp_path / "report.json")
    sizes = set()
    for one in report["competition_reports"]:
        board = board_of(lake, one["competition_id"])
        n = len(board)
        sizes.add(n >= 1000)
        if n < 100:
            places = (int(n * 0.1), int(n * 0.2), int(n * 0.4))
        elif n < 250:
            places = (10, int(n * 0.2), int(n * 0.4))
        elif n < 1000:
            places = (10 + int(n * 0.002), 50, 100)
        else:
            places = (10 + int(n * 0.002), int(n * 0.05), int(n * 0.1))
        thresholds = [one[f"{name}_threshold"] for name in ("gold", "silver", "bronze", "median")]
        expected = [board[max(1, place) - 1] for place in places]
        assert thresholds == pytest.approx([*expected, statistics.median(board)], rel=1e-12)
        assert one["is_lower_better"] is (board[0] < board[-1])
    assert sizes == {True, False}


def test_medals_follow_from_the_thresholds(lake: Lake, solved: Solved, tmp_path: Path) -> None:
    for one in grade(lake, solved.run, tmp_path / "report.json")["competition_reports"]:
        sign = -1 if one["is_lower_better"] else 1
        reached = [sign * one["score"] >= sign * one[f"{m}_threshold"] for m in ("gold", "silver", "bronze")]
        medals = [one[f"{m}_medal"] for m in ("gold", "silver", "bronze")]
        assert medals == [reached[0], reached[1] and not reached[0], reached[2] and not reached[1]]
        assert one["any_medal"] is any(medals)


def test_a_run_listed_and_graded_again_gives_the_same_report(
    lake: Lake, solved: Solved, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(solved.run, run)
    invoke("export", "mle-bench", run, "--out", run / "list.jsonl", "--lake", lake.root)
    lines = [json.loads(line) for line in (run / "list.jsonl").read_text().splitlines()]
    assert all(set(line) == {"competition_id", "submission_path"} for line in lines)

    def told(report: dict[str, object]) -> list[dict[str, object]]:
        changing = ("created_at", "submission_path")
        return [{k: v for k, v in one.items() if k not in changing} for one in report["competition_reports"]]

    by_folder = grade(lake, run, tmp_path / "by-folder.json")
    assert told(grade(lake, run / "list.jsonl", tmp_path / "by-list.json")) == told(by_folder)


def test_a_report_comes_back_as_the_grades_that_it_was_made_from(
    lake: Lake, listed: Path, tmp_path: Path
) -> None:
    grade(lake, listed, tmp_path / "theirs.json")
    invoke("import", "mle-bench", tmp_path / "theirs.json", "--lake", lake.root)
    columns = "task_id, seed, made, valid, score, rank, rank_pct, medal, above_median, participants"
    rows = {
        run: lake.sql(f"SELECT {columns} FROM grades WHERE run = '{run}' ORDER BY ALL").to_pylist()  # noqa: S608
        for run in ("submissions", "theirs")
    }
    told = {(row["task_id"], row["seed"]) for row in rows["theirs"]}
    ours = [row for row in rows["submissions"] if (row["task_id"], row["seed"]) in told]
    assert len(ours) == 3
    plain = [row | {"above_median": bool(row["above_median"])} for row in ours]
    assert [row | {"above_median": bool(row["above_median"])} for row in rows["theirs"]] == plain


def test_an_imported_report_of_another_board_says_so(lake: Lake, listed: Path, tmp_path: Path) -> None:
    report = grade(lake, listed, tmp_path / "report.json")
    for one in report["competition_reports"]:
        one["gold_threshold"] += 1
    report["competition_reports"].append(report["competition_reports"][0] | {"competition_id": "unheard-of"})
    (tmp_path / "theirs.json").write_text(json.dumps(report))
    command = ("import", "mle-bench", tmp_path / "theirs.json", "--lake", lake.root, "--json")
    told = json.loads(invoke(*command))
    assert told["skipped"] == ["unheard-of: it is not in lite"]
    assert all("gold threshold" in row["notes"][1] for row in told["rows"])


def test_a_report_with_the_opposite_direction_is_left_out(lake: Lake, listed: Path, tmp_path: Path) -> None:
    report = grade(lake, listed, tmp_path / "report.json")
    for one in report["competition_reports"]:
        one["is_lower_better"] = not one["is_lower_better"]
    (tmp_path / "theirs.json").write_text(json.dumps(report))
    command = ["import", "mle-bench", str(tmp_path / "theirs.json"), "--lake", str(lake.root)]
    assert "the opposite" in str(CliRunner().invoke(app, command).exception)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no grading report"),
        ('{"total_runs": 1}', "competition_reports"),
        ('{"competition_reports": [{"competition_id": "a"}]}', "competition_reports.0.score"),
    ],
)
def test_what_is_no_report_is_refused_with_the_field(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_report(tmp_path / "report.json")


def test_the_report_needs_a_file_and_the_file_a_form(tmp_path: Path) -> None:
    for given in (["--report", "mle-bench"], ["--out", "x.json"]):
        called = CliRunner().invoke(app, ["grade", "run", "--lake", str(tmp_path), *given])
        assert "go together" in str(called.exception)


def test_a_seed_that_is_listed_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    line = '{"competition_id": "kaggle-a", "submission_path": "a.csv", "seed": 3}\n'
    path.write_text(line * 2)
    with pytest.raises(UsageError, match=r"line 2: .* listed twice"):
        find_entries(path, ["kaggle-a"])


def test_paths_of_a_list_count_from_its_folder_or_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a.csv").touch()
    lines = [{"competition_id": "kaggle-a", "submission_path": path} for path in ("a.csv", "runs/a.csv")]
    (tmp_path / "runs/list.jsonl").write_text("\n".join(map(json.dumps, lines)))
    monkeypatch.chdir(tmp_path)
    entries = find_entries(tmp_path / "runs/list.jsonl", ["kaggle-a"])
    assert [(one.seed, one.submission.resolve()) for one in entries if one.submission] == [
        (seed, tmp_path / "runs/a.csv") for seed in (0, 1)
    ]
