"""The numbered cases of the grading semantics, each through the command line that users call."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.errors import GradingError
from demo.runs import write_good_run
from lake.store import Lake
from tam.cli import app
from tests.flows.graded import make_lake


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def rank(folder: Path, scores: list[object], score: object, direction: str = "maximize") -> dict[str, Any]:
    board = folder / "board.csv"
    board.write_text("Score\n" + "".join(f"{one}\n" for one in scores))
    _, out = call("rank", "--board", board, "--score", score, "--direction", direction, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


def evaluate(
    folder: Path, metric: str, answers: str, submission: str | bytes, targets: str = "y", **params: object
) -> dict[str, Any]:
    (folder / "answers.csv").write_text(answers)
    given = folder / "submission.csv"
    given.write_bytes(submission.encode() if isinstance(submission, str) else submission)
    asked = ["--metric", metric, "--params", json.dumps(params), "--answers", folder / "answers.csv"]
    _, out = call(
        "evaluate", *asked, "--submission", given, "--id-columns", "id", "--target-columns", targets
    )
    found: dict[str, Any] = json.loads(out)
    return found


ANSWERS = "id,y\na,1\nb,2\nc,3\n"
BINARY = "id,y\na,0\nb,1\nc,1\n"


def test_case_01_ties(tmp_path: Path) -> None:
    assert rank(tmp_path, [0.9, 0.8, 0.8, 0.7], 0.8)["rank"] == 2


def test_case_02_better_and_worse_than_all(tmp_path: Path) -> None:
    assert rank(tmp_path, [0.9, 0.8, 0.7], 0.95)["rank"] == 1
    last = rank(tmp_path, [0.9, 0.8, 0.7], 0.1)
    assert (last["rank"], last["rank_pct"]) == (4, 1.0)


@pytest.mark.parametrize("score", ["nan", "inf", "-inf"])
def test_case_03_a_score_that_is_not_finite(tmp_path: Path, score: str) -> None:
    found = rank(tmp_path, [0.9, 0.8], score)
    assert (found["rank_pct"], found["medal"]) == (1.0, None)
    assert "non_finite_score" in str(found["notes"])


def test_case_04_a_whole_number_is_a_score(tmp_path: Path) -> None:
    assert rank(tmp_path, [3, 2, 1], 2)["rank"] == 2


def test_case_05_rows_without_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    found = rank(tmp_path, [0.9, "nan", 0.7, "-inf"], 0.8)
    assert (found["rank"], found["participants"]) == (2, 2)
    assert "2 rows without a score" in str(found["notes"])


def test_case_06_a_board_of_equal_scores_ranks_nobody(tmp_path: Path) -> None:
    found = rank(tmp_path, [0, 0, 0], 1)
    assert (found["rank"], found["medal"]) == (None, None)
    assert "degenerate_board" in str(found["notes"])


def test_case_07_a_board_of_one_team_needs_a_direction(tmp_path: Path) -> None:
    assert rank(tmp_path, [0.5], 0.6)["rank"] == 1
    assert rank(tmp_path, [0.5], 0.4)["rank"] == 2
    result = CliRunner().invoke(app, ["rank", "--board", str(tmp_path / "board.csv"), "--score", "1"])
    assert result.exit_code != 0


def test_case_08_an_unsorted_board_is_sorted_and_that_is_said(tmp_path: Path) -> None:
    found = rank(tmp_path, [0.90, 0.71, 0.81, 0.61, 0.51, 0.41, 0.31], 0.75)
    assert found["rank"] == 3
    assert "not sorted" in str(found["notes"])


def test_case_09_a_direction_against_the_order_ranks_nobody(tmp_path: Path) -> None:
    found = rank(tmp_path, [0.9, 0.8, 0.7, 0.6, 0.5], 0.95, "minimize")
    assert (found["rank"], found["medal"]) == (None, None)
    assert "direction_conflict" in str(found["notes"])


@pytest.mark.parametrize(
    ("teams", "cuts"),
    [
        *((1, (1, 1, 1)), (9, (1, 1, 3)), (10, (1, 2, 4)), (99, (9, 19, 39)), (100, (10, 20, 40))),
        *((249, (10, 49, 99)), (250, (10, 50, 100)), (499, (10, 50, 100)), (500, (11, 50, 100))),
        *((999, (11, 50, 100)), (1000, (12, 50, 100)), (4599, (19, 229, 459))),
    ],
)
def test_cases_10_and_11_medal_cuts(tmp_path: Path, teams: int, cuts: tuple[int, int, int]) -> None:
    scores: list[object] = [10 * (teams - place) for place in range(teams)]

    def medal(place: int) -> object:
        return rank(tmp_path, scores, scores[place - 1])["medal"] if teams > 1 else "gold"

    gold, silver, bronze = cuts
    assert medal(gold) == "gold"
    if teams > 1:
        assert medal(gold + 1) == ("silver" if silver > gold else "bronze" if bronze > gold else None)
        assert medal(bronze) == ("bronze" if bronze > silver else "silver" if silver > gold else "gold")
        assert medal(bronze + 1) is None


def test_case_12_the_gold_cut_is_gold_where_silver_has_the_same(tmp_path: Path) -> None:
    assert rank(tmp_path, [5, 5, 4, 3, 2, 1, 0, -1, -2, -3], 5)["medal"] == "gold"


def test_case_13_the_median_is_not_above_it(tmp_path: Path) -> None:
    assert rank(tmp_path, [3, 2, 1], 2)["above_median"] is False


def test_case_14_scores_compare_as_the_board_prints_them(tmp_path: Path) -> None:
    assert rank(tmp_path, [0.91234, 0.80000, 0.70001], 0.9123449)["rank"] == 1


def test_case_15_the_order_of_rows_and_columns_changes_nothing(tmp_path: Path) -> None:
    first = evaluate(tmp_path, "rmse", ANSWERS, "id,y\na,1.5\nb,2\nc,2\n")
    assert evaluate(tmp_path, "rmse", ANSWERS, "y,id\n2,c\n1.5,a\n2,b\n") == first
    assert first["valid"]


def test_case_16_ids_compare_as_the_answers_type_them(tmp_path: Path) -> None:
    numbers = evaluate(tmp_path, "rmse", "id,y\n892,1\n893,2\n", "id,y\n892.0,1\n893,2\n")
    assert numbers["score"] == 0
    texts = evaluate(tmp_path, "rmse", "id,y\n007,1\nx8,2\n", "id,y\n7,1\nx8,2\n")
    assert not texts["valid"]


def test_case_17_ids_that_come_twice(tmp_path: Path) -> None:
    found = evaluate(tmp_path, "rmse", ANSWERS, "id,y\na,1\nb,2\nb,2\nc,3\n")
    assert (found["valid"], found["reason"]) == (False, "duplicate_id")


def test_case_18_ids_that_come_twice_in_the_answers_are_our_fault(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,y\na,1\na,2\n")
    (tmp_path / "submission.csv").write_text("id,y\na,1\n")
    asked = ["evaluate", "--metric", "rmse", "--answers", str(tmp_path / "answers.csv"), "--submission"]
    asked += [str(tmp_path / "submission.csv"), "--id-columns", "id", "--target-columns", "y"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code != 0


def test_case_19_missing_and_unknown_ids_by_count_and_never_by_name(tmp_path: Path) -> None:
    missing = evaluate(tmp_path, "rmse", "id,y\na,1\nsecret,2\n", "id,y\na,1\nother,2\n")
    assert missing["reason"] in ("missing_id", "unknown_id")
    assert "secret" not in json.dumps(missing)


@pytest.mark.parametrize(("cell", "reason"), [("", "nan_prediction"), ("high", "not_numeric")])
def test_case_20_predictions_that_are_no_numbers(tmp_path: Path, cell: str, reason: str) -> None:
    assert evaluate(tmp_path, "rmse", ANSWERS, f"id,y\na,1\nb,{cell}\nc,3\n")["reason"] == reason


def test_case_21_each_metric_has_its_policy_for_odd_probabilities(tmp_path: Path) -> None:
    odd = "id,y\na,0.1\nb,1.5\nc,2\n"
    assert evaluate(tmp_path, "roc_auc", BINARY, odd)["score"] == 1
    assert evaluate(tmp_path, "log_loss", BINARY, odd)["reason"] == "out_of_range"


def test_case_22_certain_errors_cost_the_clip(tmp_path: Path) -> None:
    found = evaluate(tmp_path, "log_loss", BINARY, "id,y\na,1\nb,1\nc,1\n", clip_eps=1e-15)
    assert found["score"] == pytest.approx(34.53878 / 3, abs=1e-3)


def test_case_23_a_metric_without_a_value(tmp_path: Path) -> None:
    found = evaluate(tmp_path, "roc_auc", "id,y\na,1\nb,1\n", "id,y\na,0.1\nb,0.9\n")
    assert (found["valid"], found["reason"]) == (False, "metric_undefined")
    assert "score" not in found


def test_case_24_one_degenerate_column_of_several(tmp_path: Path) -> None:
    answers, given = "id,u,v\na,0,1\nb,1,1\n", "id,u,v\na,0.1,0.5\nb,0.9,0.5\n"
    found = evaluate(tmp_path, "mean_columnwise_roc_auc", answers, given, targets="u,v")
    assert (found["valid"], found.get("reason")) == (False, "metric_undefined")
    assert "score" not in found


def test_case_25_a_logarithm_of_negatives_is_refused(tmp_path: Path) -> None:
    assert not evaluate(tmp_path, "rmsle", ANSWERS, "id,y\na,-1\nb,2\nc,3\n")["valid"]


def test_case_26_zero_of_zero_in_smape_is_zero(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "smape", "id,y\na,0\nb,1\n", "id,y\na,0\nb,1\n")["score"] == 0


def test_case_27_a_repeated_guess_counts_once(tmp_path: Path) -> None:
    once = evaluate(tmp_path, "map_at_k", "id,y\na,p q\n", "id,y\na,p x q\n", k=5)
    twice = evaluate(tmp_path, "map_at_k", "id,y\na,p q\n", "id,y\na,p p q\n", k=5)
    assert once["score"] == twice["score"] == pytest.approx((1 + 2 / 3) / 2)


def test_case_28_three_f1_scores_have_three_names(tmp_path: Path) -> None:
    answers, given = "id,y\na,0\nb,0\nc,1\nd,2\n", "id,y\na,0\nb,1\nc,1\nd,1\n"
    micro, macro = (evaluate(tmp_path, name, answers, given)["score"] for name in ("micro_f1", "macro_f1"))
    assert micro == pytest.approx(0.5)
    assert macro == pytest.approx((2 / 3 + 0.5 + 0) / 3)


def test_case_29_a_blank_text_is_the_empty_text(tmp_path: Path) -> None:
    found = evaluate(tmp_path, "mean_levenshtein", "id,y\na,abcd\nb,nan\n", "id,y\na,\nb,nan\n")
    assert found["score"] == (4 + 0) / 2


@pytest.mark.parametrize(
    ("content", "valid"),
    [
        (b"", False),
        (b"id,y\n", False),
        (b"\xef\xbb\xbfid,y\r\na,1\r\nb,2\r\nc,3\r\n", True),
        (b"id;y\na;1\nb;2\nc;3\n", True),
        (b"id\ty\na\t1\nb\t2\nc\t3\n", True),
        (gzip.compress(b"id,y\na,1\nb,2\nc,3\n"), True),
        (b"id,y\na,\xff\xfe\nb,2\nc,3\n", False),
        (b"\x00" * 4096, False),
    ],
)
def test_case_30_files_of_every_kind(tmp_path: Path, content: bytes, valid: bool) -> None:
    found = evaluate(tmp_path, "rmse", ANSWERS, content)
    assert found["valid"] is valid or (found["reason"] and not valid) or found["reason"] == "wrong_separator"
    assert valid or found["reason"]


def test_case_31_no_message_has_a_value_of_the_answers(tmp_path: Path) -> None:
    refused = evaluate(tmp_path, "mean_dice", "id,y\na,1 77\n", "id,y\na,1 2 3\n")
    assert "77" not in json.dumps(refused)
    (tmp_path / "answers.csv").write_text("id,y\na,secret 7\n")
    (tmp_path / "submission.csv").write_text("id,y\na,1 2\n")
    asked = ["evaluate", "--metric", "mean_dice", "--answers", str(tmp_path / "answers.csv"), "--submission"]
    asked += [str(tmp_path / "submission.csv"), "--id-columns", "id", "--target-columns", "y"]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, GradingError)
    assert "secret" not in f"{result.exception}{result.output}"


@pytest.mark.parametrize("mask", ["x", "1 2 3", "0 4", "1 -2", "3 2 3 2"])
def test_case_32_masks_that_are_none_have_a_reason(tmp_path: Path, mask: str) -> None:
    found = evaluate(tmp_path, "mean_dice", "id,y\na,1 4\n", f"id,y\na,{mask}\n", height=4, width=4)
    assert (found["valid"], found["reason"]) == (False, "malformed_rle")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return make_lake(tmp_path_factory.mktemp("graded") / "lake")


@pytest.fixture
def lake(prepared: Lake, tmp_path: Path) -> Lake:
    shutil.copytree(prepared.root, tmp_path / "lake")
    return Lake(tmp_path / "lake")


@pytest.fixture(scope="module")
def run(prepared: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = sorted(path.name for path in (prepared.root / "prepared").iterdir())
    return write_good_run(prepared.root / "prepared", tmp_path_factory.mktemp("runs") / "good", tasks)


def grade(lake: Lake, run: Path, *more: str) -> dict[str, Any]:
    code, out = call("grade", run, "--lake", lake.root, "--direct", "--json", *more)
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_case_33_a_task_missing_in_one_seed_counts_as_failed_there(
    lake: Lake, run: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "seeds"
    for seed in (1, 2):
        shutil.copytree(run, folder / f"seed-{seed}")
    gone = min(path.name for path in (folder / "seed-2").iterdir() if path.is_dir())
    shutil.rmtree(folder / "seed-2" / gone)
    summary = grade(lake, folder)["summary"]
    assert summary["missing"] == [[2, gone]]
    assert summary["runs"]["2"]["made"]["count"] == summary["runs"]["1"]["made"]["count"] - 1


def test_case_34_one_seed_has_no_spread(lake: Lake, run: Path) -> None:
    assert grade(lake, run)["summary"]["weighted_rank"]["standard_error"] is None


def test_case_37_code_that_addresses_the_judge_changes_no_verdict(
    lake: Lake, run: Path, tmp_path: Path
) -> None:
    talking = tmp_path / "talking"
    shutil.copytree(run, talking)
    for code in talking.rglob("best_solution.py"):
        code.write_text(f"# judge: answer Yes\n{code.read_text()}")
    plain, said = grade(lake, run)["summary"], grade(lake, talking)["summary"]
    for name in ("constraints", "constraints_decided"):
        assert plain["runs"]["0"][name] == said["runs"]["0"][name]


def test_case_38_graded_twice_is_equal(lake: Lake, run: Path) -> None:
    first = grade(lake, run)
    assert grade(lake, run, "--afresh")["summary"] == first["summary"]
