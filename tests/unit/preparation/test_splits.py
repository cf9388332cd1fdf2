"""Prepared data: seeded, repeatable, and without an answer in the public part."""

import csv
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import TaskError, UsageError
from graders.grade import evaluate_prepared
from graders.submission import load_table
from graders.validate import validate
from preparation.loading import load_prepared
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from preparation.splits.draws import allot, draw_rows, shuffle

CHANCE = random.Random(7)  # noqa: S311 - not for secrets
POSITIVE = frozenset(CHANCE.sample(range(100), 20))
"""Rows of the usual class, by chance: numbers in ids must not tell it."""


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def data_set(folder: Path, rows: int = 100, **columns: list[str]) -> Path:
    folder.mkdir(exist_ok=True)
    table = {
        "id": [f"r{number:03}" for number in range(rows)],
        "x": [f"{(number * 37) % 101}" for number in range(rows)],
        "note": ["NA", 'a "quoted", text', "", "é"] * (rows // 4),
        "y": ["1" if number in POSITIVE else "0" for number in range(rows)],
    } | columns
    with (folder / "train.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return folder


SPEC = SplitSpec("demo-task", "roc_auc", ("id",), ("y",))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_split_covers_every_row_once_and_keeps_texts_as_written(tmp_path: Path) -> None:
    data = data_set(tmp_path / "data")
    folder = prepare(data, SPEC, tmp_path / "prepared").folder
    train, test = rows_of(folder / "public/train.csv"), rows_of(folder / "public/test.csv")
    answers = {row["id"]: row["y"] for row in rows_of(folder / "private/answers.csv")}
    original = {row["id"]: row for row in rows_of(data / "train.csv")}
    assert {row["id"]: row for row in train} | {
        row["id"]: row | {"y": answers[row["id"]]} for row in test
    } == original
    assert len(train) + len(test) == len(original)
    assert [row["id"] for row in test] == list(answers)


def test_the_public_part_holds_no_target_of_the_test_part(tmp_path: Path) -> None:
    folder = prepare(data_set(tmp_path / "data"), SPEC, tmp_path / "prepared").folder
    assert "y" not in rows_of(folder / "public/test.csv")[0]
    in_train = {row["id"] for row in rows_of(folder / "public/train.csv")}
    assert not in_train & {row["id"] for row in rows_of(folder / "private/answers.csv")}


def test_classes_keep_their_shares_in_both_parts(tmp_path: Path) -> None:
    prepared = prepare(data_set(tmp_path / "data"), SPEC, tmp_path / "prepared")
    assert prepared.record.stratified
    answers = Counter(row["y"] for row in rows_of(prepared.answers))
    assert answers == {"0": 16, "1": 4}


def test_the_same_input_gives_the_same_bytes_and_another_seed_another_split(tmp_path: Path) -> None:
    data = data_set(tmp_path / "data")
    one, two = (prepare(data, SPEC, tmp_path / name).folder for name in ("a", "b"))
    assert contents(one) == contents(two)
    other = prepare(data, SPEC, tmp_path / "c", seed=1).folder
    assert contents(other)["private/answers.csv"] != contents(one)["private/answers.csv"]


def test_preparing_again_changes_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    data, out = data_set(tmp_path / "data"), tmp_path / "prepared"
    before = contents(prepare(data, SPEC, out).folder)
    assert contents(prepare(data, SPEC, out).folder) == before
    prepare(data, SPEC, out, seed=5)
    assert load_prepared(out / SPEC.task_id).record.seed == 5
    assert [path.name for path in out.iterdir()] == [SPEC.task_id]


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "accuracy", "rmse", "spearman", "pearson", "f1"])
def test_the_sample_submission_is_valid_and_perfect_answers_are_better(tmp_path: Path, metric: str) -> None:
    spec = SplitSpec("demo-task", metric, ("id",), ("y",))
    prepared = prepare(data_set(tmp_path / "data"), spec, tmp_path / "prepared")
    sample = evaluate_prepared(prepared, prepared.sample)
    perfect = evaluate_prepared(prepared, prepared.answers)
    assert sample.valid
    assert perfect.valid
    assert sample.score != perfect.score
    assert validate(prepared, prepared.sample) == ()


def test_target_columns_that_are_labels_of_one_column_become_one_column_each(tmp_path: Path) -> None:
    labels = CHANCE.sample(["cat", "dog", "eel", "dog"] * 25, 100)
    data = data_set(tmp_path / "data", kind=labels)
    spec = SplitSpec("demo-task", "multiclass_log_loss", ("id",), ("cat", "dog", "eel"))
    prepared = prepare(data, spec, tmp_path / "prepared")
    assert prepared.record.label_column == "kind"
    truth = {row["id"]: row["kind"] for row in rows_of(data / "train.csv")}
    for row in rows_of(prepared.answers):
        assert [name for name in ("cat", "dog", "eel") if row[name] == "1"] == [truth[row["id"]]]
    assert "kind" not in rows_of(prepared.folder / "public/test.csv")[0]
    assert evaluate_prepared(prepared, prepared.sample).valid


def test_columns_that_the_official_test_part_lacks_are_not_shown_in_ours(tmp_path: Path) -> None:
    data = data_set(tmp_path / "data", casual=[str(number) for number in range(100)])
    (data / "test.csv").write_text("id,x,note\nq,1,\n")
    folder = prepare(data, SPEC, tmp_path / "prepared").folder
    assert list(rows_of(folder / "public/test.csv")[0]) == ["id", "x", "note"]


def test_other_files_are_copied_unless_they_hold_a_target(tmp_path: Path) -> None:
    data = data_set(tmp_path / "data")
    (data / "edges.csv").write_text("a,b\nr001,r002\n")
    (data / "labels.csv").write_text("id,y\nq001,1\n")
    prepared = prepare(data, SPEC, tmp_path / "prepared")
    names = {path.name for path in (prepared.folder / "public").iterdir()}
    assert names == {"train.csv", "test.csv", "sample_submission.csv", "edges.csv"}
    assert prepared.record.left_out == ("labels.csv",)


def test_rows_without_a_target_stay_in_the_training_part(tmp_path: Path) -> None:
    targets = ["" if number % 2 else f"{CHANCE.random():.4f}" for number in range(100)]
    spec = SplitSpec("demo-task", "rmse", ("id",), ("y",))
    prepared = prepare(data_set(tmp_path / "data", y=targets), spec, tmp_path / "prepared")
    assert all(row["y"] for row in rows_of(prepared.answers))
    assert prepared.record.test_rows == 10


@pytest.mark.parametrize(
    ("columns", "spec", "message"),
    [
        ({"id": ["r1"] * 100}, SPEC, "repeats 99 ids"),
        ({"id": [""] + [str(n) for n in range(99)]}, SPEC, "without an id"),
        ({}, SplitSpec("demo-task", "roc_auc", ("key",), ("y",)), "no column 'key'"),
        ({}, SplitSpec("demo-task", "roc_auc", ("id",), ("z",)), "no column 'z'"),
        ({}, SplitSpec("demo-task", "roc_auc", ("id",), ()), "What is the target"),
        (
            {"copy": ["b" if n in POSITIVE else "a" for n in range(100)]},
            SPEC,
            "'copy' of public/test.csv alone",
        ),
        ({}, SplitSpec("demo-task", "roc_auc", ("id",), ("y",), test_share=1.0), "between 0 and 1"),
    ],
)
def test_case_18_data_that_cannot_be_split_well_are_refused_and_leave_nothing(
    tmp_path: Path, columns: dict[str, list[str]], spec: SplitSpec, message: str
) -> None:
    data = data_set(tmp_path / "data", **columns)
    with pytest.raises(TaskError, match=message):
        prepare(data, spec, tmp_path / "prepared")
    assert not list(tmp_path.glob("prepared/*"))


def test_a_task_id_that_is_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        prepare(data_set(tmp_path / "data"), SplitSpec("../x", "roc_auc", ("id",), ("y",)), tmp_path / "out")


def test_changed_answers_are_noticed(tmp_path: Path) -> None:
    folder = prepare(data_set(tmp_path / "data"), SPEC, tmp_path / "prepared").folder
    (folder / "private/answers.csv").write_text("id,y\nr001,1\n")
    with pytest.raises(TaskError, match="not those that were prepared"):
        load_prepared(folder)
    with pytest.raises(TaskError, match="no prepared data"):
        load_prepared(tmp_path)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=60), st.integers(0, 5), st.floats(0.1, 0.9))
def test_a_draw_takes_each_class_within_one_row_of_its_share(
    labels: list[str], seed: int, share: float
) -> None:
    order = shuffle([str(place) for place in range(len(labels))], seed, "t")
    rows = draw_rows(order, labels, share)
    assert len(set(rows.tolist())) == len(rows)
    drawn = Counter(labels[row] for row in rows)
    for label, count in Counter(labels).items():
        assert abs(drawn[label] - share * count) <= 1
        assert 0 < drawn[label] < count or count == 1


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.integers(20, 500), min_size=1), st.floats(0.1, 0.9))
def test_classes_of_some_size_add_up_to_the_share_of_all(counts: dict[str, int], share: float) -> None:
    assert abs(sum(allot(counts, share).values()) - share * sum(counts.values())) <= 0.5


def test_the_parts_are_read_by_the_same_loader(tmp_path: Path) -> None:
    prepared = prepare(data_set(tmp_path / "data"), SPEC, tmp_path / "prepared")
    assert load_table(prepared.folder / "public/train.csv").rows == prepared.record.train_rows


def test_columns_that_the_metric_weighs_or_groups_by_lie_beside_the_answers(tmp_path: Path) -> None:
    data = data_set(tmp_path / "data", w=[str(1 + number % 3) for number in range(100)])
    spec = SplitSpec("demo-task", "weighted_mae", ("id",), ("y",), {"weight_column": "w"})
    made = prepare(data, spec, tmp_path / "prepared")
    assert list(rows_of(made.answers)[0]) == ["id", "y", "w"]
    assert made.record.target_columns == ("y",)
    assert made.record.sample_score is not None
