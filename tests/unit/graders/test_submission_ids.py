"""Rows are matched by id, cast to the answers' type; problems are counted and never give answers away."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import TaskError
from graders.submission import (
    GradeReason,
    IdKind,
    SubmissionTable,
    check_columns,
    check_labels,
    check_not_empty,
    check_numbers,
    check_separator,
    id_kind,
    load_table,
    match_ids,
)


def table(**columns: list[str]) -> SubmissionTable:
    return SubmissionTable(pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()}))


def codes(answers: SubmissionTable, submission: SubmissionTable, *columns: str) -> dict[GradeReason, int]:
    match = match_ids(answers, submission, columns or ("id",))
    return {problem.code: problem.count for problem in match.problems}


@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=30, unique=True), st.randoms())
def test_case_15_permuted_rows_are_lined_up_again(ids: list[str], random: "np.random.Generator") -> None:
    shuffled = list(ids)
    random.shuffle(shuffled)
    match = match_ids(table(id=ids), table(id=shuffled), ["id"])
    assert [shuffled[row] for row in match.order] == ids or match.problems


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=30, unique=True), st.randoms())
def test_case_16_numeric_ids_written_as_floats_are_the_same_ids(
    ids: list[int], random: "np.random.Generator"
) -> None:
    shuffled = list(ids)
    random.shuffle(shuffled)
    match = match_ids(table(id=[str(one) for one in ids]), table(id=[f"{one}.0" for one in shuffled]), ["id"])
    assert not match.problems
    assert [shuffled[row] for row in match.order] == ids


@pytest.mark.parametrize(
    ("answers", "given_ids", "same"),
    [
        (["892", "893"], ["892.0", "893.0"], True),
        (["892.0", "893.0"], ["892", "893"], True),
        (["892", "893"], [" 892", "893 "], True),
        (["892", "893"], ["+892", "0893"], True),
        (["0.5", "1.5"], ["0.50", "1.5e0"], True),
        (["007", "8"], ["7", "8"], False),
        (["007", "008"], ["7", "8"], False),
        (["a", "b"], ["a ", "b"], False),
        (["a", "b"], ["A", "b"], False),
        (["892", "893"], ["892.5", "893"], False),
        (["1e5", "2e5"], ["100000", "200000"], False),
        (["1.10", "1.1"], ["1.1", "1.10"], True),
    ],
)
def test_case_16_ids_are_cast_to_the_type_of_the_answers(
    answers: list[str], given_ids: list[str], same: bool
) -> None:
    assert (codes(table(id=answers), table(id=given_ids)) == {}) is same


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (["1", "-2"], IdKind.INTEGER),
        (["1", "02"], IdKind.TEXT),
        (["1", "2.5"], IdKind.DECIMAL),
        (["1.1", "1.10"], IdKind.TEXT),
        (["1", "x"], IdKind.TEXT),
        (["99999999999999999999"], IdKind.TEXT),
        ([""], IdKind.TEXT),
    ],
)
def test_the_kind_of_ids_is_read_off_the_answers(ids: list[str], kind: IdKind) -> None:
    assert id_kind(table(id=ids), "id") is kind


def test_case_16_integer_columns_of_a_binary_file_match_ids_in_text() -> None:
    submission = SubmissionTable(pa.table({"id": pa.array([2, 1], pa.int64())}))
    assert match_ids(table(id=["1", "2"]), submission, ["id"]).order.tolist() == [1, 0]
    floats = SubmissionTable(pa.table({"id": pa.array([2.0, 1.0, None])}))
    match = match_ids(table(id=["1", "2"]), floats, ["id"])
    assert [problem.code for problem in match.problems] == [GradeReason.BLANK_ID]


def test_case_17_duplicate_ids_in_the_submission_are_counted_with_positions() -> None:
    match = match_ids(table(id=["a", "b"]), table(id=["a", "b", "a", "b", "a"]), ["id"])
    (problem,) = match.problems
    assert (problem.code, problem.count, problem.positions) == (GradeReason.DUPLICATE_ID, 3, (3, 4, 5))


def test_case_18_duplicate_ids_in_the_answers_are_our_fault() -> None:
    with pytest.raises(TaskError, match="1 id"):
        match_ids(table(id=["a", "a"]), table(id=["a"]), ["id"])


def test_case_19_missing_and_unknown_ids_are_counted_and_no_id_of_the_answers_is_named() -> None:
    match = match_ids(table(id=["secret", "b", "c"]), table(id=["b", "x", ""]), ["id"])
    found = {problem.code: problem for problem in match.problems}
    assert {code: problem.count for code, problem in found.items()} == {
        GradeReason.BLANK_ID: 1,
        GradeReason.UNKNOWN_ID: 1,
        GradeReason.MISSING_ID: 2,
    }
    assert found[GradeReason.UNKNOWN_ID].positions == (2,)
    assert found[GradeReason.MISSING_ID].positions == ()
    assert not any("secret" in problem.message for problem in match.problems)


def test_ids_of_several_columns_match_together() -> None:
    answers = table(trip=["a", "a", "b"], time=["1", "2", "1"])
    submission = table(trip=["b", "a", "a"], time=["1", "2", "1"])
    assert match_ids(answers, submission, ["trip", "time"]).order.tolist() == [2, 1, 0]
    crossed = table(trip=["b", "a", "a"], time=["2", "2", "1"])
    assert codes(answers, crossed, "trip", "time") == {GradeReason.UNKNOWN_ID: 1, GradeReason.MISSING_ID: 1}


def test_several_rows_per_id_are_allowed_where_the_metric_groups_them() -> None:
    match = match_ids(
        table(id=["a", "b", "a"]),
        table(id=["b", "b", "a"]),
        ["id"],
        repeats_in_answers=True,
        repeats_in_submission=True,
    )
    assert (match.ids, match.answer_ids.tolist(), match.submission_ids.tolist()) == (2, [0, 1, 0], [1, 1, 0])
    assert not match.problems


def test_without_id_columns_rows_pair_by_position_and_their_number_must_agree() -> None:
    assert match_ids(table(y=["1", "2"]), table(y=["3", "4"]), []).order.tolist() == [0, 1]
    (problem,) = match_ids(table(y=["1", "2"]), table(y=["3"]), []).problems
    assert problem.code is GradeReason.ROW_COUNT


def test_columns_may_come_in_any_order_and_others_are_told() -> None:
    assert check_columns(table(y=["1"], id=["1"]), ["id", "y"]) == []
    found = check_columns(table(id=["1"], z=["1"]), ["id", "y"])
    assert [problem.code for problem in found] == [GradeReason.MISSING_COLUMN, GradeReason.UNEXPECTED_COLUMN]


def test_case_20_nan_and_what_is_no_number_are_all_told_at_once() -> None:
    cells = ["0.5", "", "abc", "inf", "2", "NaN"]
    found = {problem.code: problem for problem in check_numbers(table(y=cells), ["y"], 0, 1)}
    assert {code: problem.positions for code, problem in found.items()} == {
        GradeReason.NAN_PREDICTION: (2, 6),
        GradeReason.NOT_NUMERIC: (3,),
        GradeReason.NOT_FINITE: (4,),
        GradeReason.OUT_OF_RANGE: (5,),
    }
    assert check_numbers(table(y=["0", "1"]), ["y"], 0, 1) == []


def test_labels_and_empty_texts_are_checked_as_text() -> None:
    (unknown,) = check_labels(table(y=["cat", "dog", "Cat"]), ["y"], {"cat", "dog"})
    assert (unknown.code, unknown.positions) == (GradeReason.LABEL_OUT_OF_SET, (3,))
    (empty,) = check_not_empty(table(y=["NA", ""]), ["y"])
    assert (empty.code, empty.positions) == (GradeReason.EMPTY_PREDICTION, (2,))


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_case_30_another_separator_is_read_and_told(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"id{separator}y\n1{separator}2\n")
    loaded = load_table(path)
    assert loaded.names == ("id", "y")
    assert [problem.code for problem in check_separator(loaded)] == [GradeReason.WRONG_SEPARATOR]


def test_at_most_five_positions_are_shown() -> None:
    (problem,) = check_numbers(table(y=["x"] * 20), ["y"])
    assert (problem.count, problem.positions) == (20, (1, 2, 3, 4, 5))
