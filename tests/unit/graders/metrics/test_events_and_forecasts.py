"""Event detection against a slow reading of its definition; edges of CRPS, WRMSSE and BLEU."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import GradingError
from graders.evaluate import Evaluation, EvaluationCase, evaluate
from graders.submission import GradeReason
from tests.unit.graders.metrics.conftest import write_table

Score = Callable[..., Evaluation]
Truth = tuple[str, int, str]
Detection = tuple[str, int, str, float]
TOLERANCES = [3, 8]

place = (st.sampled_from("ab"), st.integers(0, 40), st.sampled_from(["on", "off"]))
truths = st.lists(st.tuples(*place), min_size=1, max_size=12, unique=True)
detections = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        place[1],
        st.sampled_from(["on", "off", "x"]),
        st.sampled_from([0.1, 0.5, 0.9]),
    ),
    min_size=1,
    max_size=20,
)


def slow(truth: list[Truth], found: list[Detection]) -> float:
    """The definition, read word by word."""
    classes = sorted({event for _, _, event in truth})
    total = Fraction(0)
    for event in classes:
        for tolerance in TOLERANCES:
            total += _precision(truth, found, event, tolerance) / len(TOLERANCES)
    return float(total / len(classes))


def _precision(truth: list[Truth], found: list[Detection], event: str, tolerance: int) -> Fraction:
    series = {name for name, _, _ in truth}
    open_ones = sorted(one for one in truth if one[2] == event)
    count = len(open_ones)
    hits = []
    for name, time, kind, score in sorted(found, key=lambda one: (-one[3], one[1])):
        if kind != event or name not in series:
            continue
        near = [one for one in open_ones if one[0] == name and abs(one[1] - time) < tolerance]
        if near:
            open_ones.remove(min(near, key=lambda one: abs(one[1] - time)))
        hits.append((score, bool(near)))
    area, recalled = Fraction(0), Fraction(0)
    for threshold in sorted({score for score, _ in hits}, reverse=True):
        taken = [hit for score, hit in hits if score >= threshold]
        area += (Fraction(sum(taken), count) - recalled) * Fraction(sum(taken), len(taken))
        recalled = Fraction(sum(taken), count)
    return area


@settings(max_examples=60, deadline=None)
@given(truths, detections)
def test_event_detection_ap_is_what_its_definition_says(truth: list[Truth], found: list[Detection]) -> None:
    names = ("series_id", "step", "event", "score")
    with TemporaryDirectory() as folder:
        case = EvaluationCase(
            metric="event_detection_ap",
            params={"tolerances": TOLERANCES},
            answers=write_table(
                Path(folder) / "a.csv", dict(zip(names, zip(*truth, strict=True), strict=False))
            ),
            submission=write_table(
                Path(folder) / "s.csv", dict(zip(names, zip(*found, strict=True), strict=True))
            ),
            target_columns=names,
        )
        assert evaluate(case).score == pytest.approx(slow(truth, found), abs=1e-12)


def test_a_distribution_that_falls_or_leaves_0_to_1_is_refused(score: Score) -> None:
    for row in ([0.5, 0.4, 1], [0, 0.5, 1.1], [-0.1, 0.5, 1]):
        found = score("crps", {"y": [1]}, {f"P{at}": [value] for at, value in enumerate(row)})
        assert found.reason is GradeReason.OUT_OF_RANGE


def test_the_columns_of_a_distribution_may_come_in_any_order(score: Score) -> None:
    columns = {"Yards1": [1.0], "Yards-1": [0.0], "Yards0": [0.25]}
    assert score("crps", {"y": [0]}, columns).score == pytest.approx(0.75**2 / 3)


def test_thresholds_that_cannot_be_known_are_our_fault(score: Score) -> None:
    with pytest.raises(GradingError, match="thresholds"):
        score("crps", {"y": [0]}, {"low": [0.0], "high": [1.0]})


def test_a_series_without_a_changing_past_has_no_say_in_wrmsse(score: Score) -> None:
    truth = {"F1": [1, 1], "history": ["1 3", "5 5"], "weight": [1, 9]}
    assert score("wrmsse", truth, {"F1": [3, 99]}).score == pytest.approx(1.0)
    flat = score("wrmsse", truth | {"history": ["2 2", "5"]}, {"F1": [3, 99]})
    assert flat.reason is GradeReason.METRIC_UNDEFINED


def test_bleu_of_the_truth_is_one_and_of_no_words_zero(score: Score) -> None:
    truth = ["the cat sat on the mat", "a dog ran far away"]
    assert score("bleu", truth, truth).score == pytest.approx(1.0)
    assert score("bleu", truth, ["x", ""]).score == pytest.approx(0.0)
