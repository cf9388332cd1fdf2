"""Consistency of official and local scores: scipy's figures, honest intervals, no verdict without data."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from typer.testing import CliRunner

from core.errors import UsageError
from graders.consistency import Scores, check_consistency, read_scores
from graders.standings import standings_from_scores
from schema.metric import Direction
from schema.prepared import CheckOutcome
from tam.cli import app


def scores(official: list[float], local: list[float]) -> Scores:
    names = tuple(f"s{place}" for place in range(len(official)))
    return Scores(names, np.array(official, dtype=float), np.array(local, dtype=float))


def agreeing(count: int, noise: float) -> Scores:
    rng = np.random.default_rng(3)
    official = rng.uniform(0.5, 0.9, count)
    return scores(official.tolist(), (official + noise * rng.standard_normal(count)).tolist())


numbers = st.lists(
    st.tuples(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32)), min_size=3, max_size=30
)


@settings(deadline=None, max_examples=30)
@given(numbers)
def test_correlations_are_those_of_scipy(pairs: list[tuple[float, float]]) -> None:
    given_scores = scores([one for one, _ in pairs], [other for _, other in pairs])
    found = check_consistency(given_scores)
    if np.ptp(given_scores.official) == 0 or np.ptp(given_scores.local) == 0:
        assert (found.pearson.value, found.spearman.value) == (None, None)
        assert found.pearson.outcome is CheckOutcome.NOT_CHECKED
        return
    rho = stats.spearmanr(given_scores.official, given_scores.local).statistic
    assert found.spearman.value == pytest.approx(rho, abs=1e-9)
    if min(np.ptp(given_scores.official), np.ptp(given_scores.local)) > 1e-3:
        r = stats.pearsonr(given_scores.official, given_scores.local).statistic
        assert found.pearson.value == pytest.approx(r, abs=1e-6)


def test_a_hand_worked_example() -> None:
    found = check_consistency(scores([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]))
    assert found.pearson.value == pytest.approx(0.9)
    assert found.spearman.value == pytest.approx(0.9)
    # Two of five change places: differences 0, 0, 0, 25, 25 points, of which the median is 0.
    assert found.percentile_difference.value == 0
    assert found.outcome is CheckOutcome.PASSED


def test_close_scores_pass_and_unrelated_ones_fail() -> None:
    good, bad = check_consistency(agreeing(60, 0.001)), check_consistency(agreeing(60, 0.5))
    assert good.outcome is CheckOutcome.PASSED
    assert good.pearson.low is not None
    assert good.pearson.low > 0.99
    assert (bad.pearson.outcome, bad.percentile_difference.outcome) == (
        CheckOutcome.FAILED,
        CheckOutcome.FAILED,
    )
    assert bad.outcome is CheckOutcome.FAILED


def test_a_correlation_of_just_the_limit_fails_and_its_interval_says_that_it_is_not_certain() -> None:
    found = check_consistency(agreeing(20, 0.09))
    assert found.pearson.value is not None
    assert found.pearson.low is not None
    assert found.pearson.high is not None
    assert found.pearson.low < found.pearson.value < found.pearson.high
    assert "more submissions could tell" in found.pearson.reason


def test_the_interval_covers_the_true_correlation_about_as_often_as_it_says() -> None:
    rng, true, covered = np.random.default_rng(11), 0.8, 0
    for _ in range(60):
        pair = rng.multivariate_normal([0, 0], [[1, true], [true, 1]], size=60)
        figure = check_consistency(scores(pair[:, 0].tolist(), pair[:, 1].tolist())).pearson
        assert figure.low is not None
        assert figure.high is not None
        covered += figure.low <= true <= figure.high
    assert covered >= 50  # 95 % of 60 is 57


@pytest.mark.parametrize(
    ("official", "local", "said"),
    [
        ([0.5, 0.6], [0.5, 0.6], "from 3 on"),
        ([], [], "from 3 on"),
        ([0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.5], "official scores are equal"),
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0.1] * 5, "local scores are equal"),
    ],
)
def test_what_cannot_be_told_is_said_to_be_not_checked(
    official: list[float], local: list[float], said: str
) -> None:
    found = check_consistency(scores(official, local))
    assert (found.pearson.value, found.pearson.outcome) == (None, CheckOutcome.NOT_CHECKED)
    assert found.outcome is not CheckOutcome.PASSED
    assert said in found.pearson.reason


def test_ties_few_points_and_repeated_names_are_told() -> None:
    found = check_consistency(
        Scores(("a", "a", "b", "c"), np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 3, 4]), left_out=2)
    )
    told = " ".join(found.notes)
    for said in ("2 submissions lack", "Only 4", "1 of 4 official scores repeat", "name of another"):
        assert said in told


@pytest.mark.parametrize("direction", list(Direction))
def test_percentiles_on_a_board_are_shares_of_beaten_teams(direction: Direction) -> None:
    board = standings_from_scores([float(place) for place in range(100)])
    found = check_consistency(scores([10, 50, 90], [13, 53, 93]), board, direction)
    assert found.percentile_difference.value == pytest.approx(3)
    assert found.percentile_difference.outcome is CheckOutcome.FAILED
    assert "100 teams" in found.percentiles


def test_a_board_that_ranks_nobody_or_has_no_direction_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="ranks nobody"):
        check_consistency(agreeing(5, 0.1), standings_from_scores([1.0, 1.0]))
    with pytest.raises(UsageError, match="--direction"):
        check_consistency(agreeing(5, 0.1), standings_from_scores([1.0, 3.0, 2.0, 1.0, 3.0]))


def test_the_same_file_gives_the_same_intervals() -> None:
    assert check_consistency(agreeing(12, 0.1)) == check_consistency(agreeing(12, 0.1))


def test_extreme_scores_do_not_overflow() -> None:
    found = check_consistency(scores([1e300, 2e300, 3e300, 5e-300], [1, 2, 3, 0]))
    assert found.pearson.value == pytest.approx(1)


def test_rows_without_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("Submission,Official,Local\na,1,1\nb,,2\nc,3,\nd,4,4\ne,2,2\n")
    found = read_scores(path)
    assert (found.names, found.left_out) == (("a", "d", "e"), 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("submission,official\na,1\n", "no column local"),
        ("submission,official,local\na,x,1\n", "row 1: 'x' in 'official'"),
        ("submission,official,local\na,inf,1\n", "no finite number"),
        ("submission,official,local,direction\na,1,1,up\n", "maximize or minimize"),
        (
            "submission,official,local,official_percentile,local_percentile\na,1,1,120,3\n",
            "between 0 and 100",
        ),
        ("", "empty"),
    ],
)
def test_files_that_cannot_be_read_are_told_where_and_why(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(content)
    with pytest.raises(UsageError, match=said):
        read_scores(path)


def test_the_command_prints_a_table_or_json_and_its_exit_code_is_the_verdict(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = "".join(f"s{n},{n / 50},{n / 50 + 0.0001 * (n % 3)}\n" for n in range(40))
    path.write_text("submission,official,local\n" + rows)
    shown = CliRunner().invoke(app, ["consistency", str(path)])
    assert shown.exit_code == 0
    assert "passed" in shown.stdout
    found = CliRunner().invoke(app, ["consistency", str(path), "--json"])
    assert json.loads(found.stdout)["outcome"] == "passed"
    path.write_text("submission,official,local\na,1,1\nb,2,2\n")
    assert CliRunner().invoke(app, ["consistency", str(path)]).exit_code == 1


def test_given_percentiles_are_taken_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    rows = "".join(f"s{n},{n},{n},{n},{n + 1.5}\n" for n in range(20))
    path.write_text("submission,official,local,official_percentile,local_percentile\n" + rows)
    found = check_consistency(read_scores(path))
    assert found.percentile_difference.value == pytest.approx(1.5)
    assert (found.outcome, found.percentiles) == (CheckOutcome.PASSED, "as given in the file")
