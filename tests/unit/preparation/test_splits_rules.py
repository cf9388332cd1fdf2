"""Rules of the draws, held for any data: groups whole, times later; and hostile input is refused."""

import csv
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.errors import TaskError
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from preparation.splits.draws import draw_groups, draw_latest, shuffle
from preparation.splits.times import parse_times
from tests.data_sets import Rows, csv_bytes, write, write_files

relaxed = settings(deadline=None, max_examples=60)
SPEC = SplitSpec("demo-task", "rmse", ("id",), ("y",))


def order_of(count: int, seed: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return shuffle([f"r{place}" for place in range(count)], seed, "t")


@relaxed
@given(st.lists(st.sampled_from("abcdefg"), min_size=8, max_size=80), st.integers(0, 9), st.floats(0.1, 0.6))
def test_no_group_is_on_both_sides_and_neither_side_is_empty(
    groups: list[str], seed: int, share: float
) -> None:
    assume(len(set(groups)) > 1)
    test = draw_groups(order_of(len(groups), seed), groups, share, seed, "t").tolist()
    train = set(range(len(groups))) - set(test)
    assert not {groups[row] for row in test} & {groups[row] for row in train}
    assert test
    assert train


@relaxed
@given(st.lists(st.integers(1, 12), min_size=20, max_size=60), st.integers(0, 9))
def test_groups_come_as_near_to_the_share_as_half_the_largest_group(sizes: list[int], seed: int) -> None:
    groups = [f"g{number}" for number, size in enumerate(sizes) for _ in range(size)]
    test = draw_groups(order_of(len(groups), seed), groups, 0.3, seed, "t")
    assert abs(len(test) - 0.3 * len(groups)) <= max(sizes) / 2 + 1


@relaxed
@given(st.lists(st.integers(0, 30), min_size=4, max_size=80), st.integers(0, 9), st.floats(0.1, 0.9))
def test_every_test_time_is_later_than_every_training_time(times: list[int], seed: int, share: float) -> None:
    assume(len(set(times)) > 1)
    found, cuts = draw_latest(order_of(len(times), seed), np.array(times), None, share)
    test = set(found.tolist())
    train = set(range(len(times))) - test
    assert min(times[row] for row in test) > max(times[row] for row in train) == cuts[""]


@relaxed
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), min_size=6, max_size=80),
    st.integers(0, 9),
)
def test_every_test_time_of_a_series_is_later_than_its_training_times(
    points: list[tuple[str, int]], seed: int
) -> None:
    series, times = [name for name, _ in points], [time for _, time in points]
    assume(any(len({t for n, t in points if n == name}) > 1 for name in set(series)))
    found, _ = draw_latest(order_of(len(points), seed), np.array(times), series, 0.3)
    test = set(found.tolist())
    train = set(range(len(points))) - test
    for name in set(series):
        early, late = ([times[row] for row in rows if series[row] == name] for rows in (train, test))
        assert early
        assert not late or min(late) > max(early)


@given(st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=40, unique=True), st.randoms())
@relaxed
def test_a_shuffle_orders_keys_alike_from_any_start(keys: list[str], chance: "object") -> None:
    other = list(keys)
    chance.shuffle(other)  # type: ignore[attr-defined]
    assert [keys[row] for row in shuffle(keys, 3, "t")] == [other[row] for row in shuffle(other, 3, "t")]


@pytest.mark.parametrize(
    "cells",
    [
        ["2021-03-04", "2021-03-05", "2022-01-01"],
        ["2021-03-04T10:00:00", "2021-03-04T10:00:01", "2021-03-05T00:00:00"],
        ["2021-03-04 10:00:00 UTC", "2021-03-04 10:00:01 UTC", "2021-03-05 00:00:00 UTC"],
        ["04.03.2021", "05.03.2021", "01.01.2022"],
        ["03/04/2021", "03/30/2021", "12/31/2021"],
        ["20210304", "20210305", "20220101"],
        ["2021-03", "2021-04", "2022-01"],
        ["1.5", "2", "1e3"],
    ],
)
def test_times_in_usual_spellings_are_in_order(cells: list[str]) -> None:
    found = parse_times(pa.array(cells))
    assert found is not None
    assert sorted(found.tolist()) == found.tolist()
    assert len(set(found.tolist())) == len(cells)


@pytest.mark.parametrize("cells", [["a", "b"], ["2021-03-04", "soon"], ["01/02/2021", "03/01/2021"]])
def test_what_is_no_time_or_could_be_two_is_none(cells: list[str]) -> None:
    assert parse_times(pa.array(cells)) is None


def rows(count: int = 60) -> Rows:
    return [
        {
            "id": f"{place * 7919 % 104729:06x}",
            "patient": f"p{place % 12}",
            "day": (date(2020, 1, 1) + timedelta(days=place // 3)).isoformat(),
            "x": f"{place * 37 % 101 / 7:.4f}",
            "y": f"{place * 53 % 97 / 3:.4f}",
        }
        for place in range(count)
    ]


def parts(folder: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    train, test = (
        list(csv.DictReader((folder / f"public/{part}.csv").read_text().splitlines()))
        for part in ("train", "test")
    )
    return train, test


def test_flags_win_over_what_is_found(tmp_path: Path) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    for spec, strategy in (
        (SPEC, "group"),
        (replace(SPEC, time_column="day"), "time"),
        (replace(SPEC, strategy="random"), "random"),  # type: ignore[arg-type]
        (replace(SPEC, group_column="x"), "group"),
    ):
        record = prepare(data, spec, tmp_path / "out").record
        assert (record.strategy, record.test_rows > 0) == (strategy, True)
    by_day = prepare(data, replace(SPEC, time_column="day", series_column="patient"), tmp_path / "out")
    train, test = parts(by_day.folder)
    for row in test:
        assert all(row["day"] > one["day"] for one in train if one["patient"] == row["patient"])
    assert by_day.record.cuts.keys() == {f"p{number}" for number in range(12)}


@pytest.mark.parametrize(
    ("goal", "about", "official", "strategy"),
    [
        ("Forecast the load.", "", False, "time"),
        ("", "Patients of the test set are new: none was seen in training.", False, "group"),
        ("Forecast the load.", "", True, "random"),
    ],
    ids=["a forecast", "new patients", "a forecast that the official parts contradict"],
)
def test_the_record_decides_unless_the_official_parts_contradict(
    tmp_path: Path, goal: str, about: str, official: bool, strategy: str
) -> None:
    table = rows()
    files = {"train.csv": csv_bytes(table)}
    if official:
        files["test.csv"] = csv_bytes(
            [row | {"id": f"q{n}"} for n, row in enumerate(table[:15])], without="y"
        )
    data = write_files(files, tmp_path / "data")
    record = prepare(data, replace(SPEC, goal=goal, about_data=about), tmp_path / "out").record
    assert record.strategy == strategy


def test_rows_without_a_target_of_test_groups_or_later_days_are_in_neither_part(tmp_path: Path) -> None:
    table = [row | {"y": "" if place % 5 == 0 else row["y"]} for place, row in enumerate(rows())]
    data = write_files({"train.csv": csv_bytes(table)}, tmp_path / "data")
    for spec in (SPEC, replace(SPEC, time_column="day")):
        made = prepare(data, spec, tmp_path / "out")
        train, test = parts(made.folder)
        assert len(train) + len(test) + made.record.unplaced_rows == len(table)
        assert made.record.unplaced_rows > 0
        if spec is SPEC:
            assert not {row["patient"] for row in train} & {row["patient"] for row in test}
        else:
            assert max(row["day"] for row in train) < min(row["day"] for row in test)


def text(content: str) -> Callable[[Path], None]:
    return lambda data: (data / "train.csv").write_text(content, encoding="utf-8") and None


def link_out(data: Path) -> None:
    write("measures", data)
    (data / "secrets").symlink_to("/etc")


def file_link_out(data: Path) -> None:
    write("measures", data)
    (data / "extra.txt").symlink_to("/etc/hostname")


def train_link_out(data: Path) -> None:
    (data.parent / "else.csv").write_bytes(csv_bytes(rows()))
    (data / "train.csv").symlink_to(data.parent / "else.csv")


def dangling(data: Path) -> None:
    write("measures", data)
    (data / "gone").symlink_to(data / "nowhere")


def pipe(data: Path) -> None:
    write("measures", data)
    os.mkfifo(data / "pipe")


def odd_name(data: Path) -> None:
    write("measures", data)
    (Path(os.fsdecode(os.fsencode(data) + b"/caf\xe9.txt"))).write_text("x")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a folder outside": (link_out, "secrets .* is a link to a folder"),
    "a link to a file outside": (file_link_out, "extra.txt .* leads out of the folder"),
    "training data that are a link": (train_link_out, "train.csv .* leads out of the folder"),
    "a link to nothing": (dangling, "leads nowhere"),
    "a pipe": (pipe, "no ordinary file"),
    "a name that is not UTF-8": (odd_name, "not UTF-8"),
    "an empty folder": (Path.touch, "holds no files"),
    "no table": (lambda data: (data / "a.bin").write_bytes(b"x"), "no training data"),
    "two tables": (
        lambda data: [(data / f"{name}.csv").write_bytes(csv_bytes(rows())) for name in "ab"],
        "Which is the training table: a.csv, b.csv",
    ),
    "Latin 1": (
        lambda data: (data / "train.csv").write_bytes("id,y\ncaf\xe9,1\nb,2\n".encode("latin-1")),
        "not UTF-8.*iconv",
    ),
    "an empty table": (text(""), "is empty"),
    "a row too short": (text("id,y\na,1\nb\n"), "without the 2 columns"),
    "ids that repeat": (text("id,y\na,1\na,2\nb,3\n"), "repeats 1 id in id .*'a'"),
    "a blank id": (text("id,y\na,1\n,2\nb,3\n"), "1 row without an id .*rows 2"),
    "no target at all": (text("id,y\na,\nb,\nc,\n"), "3 of 3 are blank"),
    "a target that is not there": (text("id,z\na,1\nb,2\n"), "no column 'y'"),
    "one row": (text("id,y\na,1\n"), "fewer than two rows"),
}


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_hostile_data_are_refused_in_one_sentence_and_leave_nothing(tmp_path: Path, case: str) -> None:
    make, said = HOSTILE[case]
    data = tmp_path / "data"
    data.mkdir()
    make(data)
    spec = replace(SPEC, id_columns=("key",), target_columns=("strength",)) if "strength" in said else SPEC
    with pytest.raises(TaskError, match=said):
        prepare(data, spec, tmp_path / "out")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_what_is_refused_leaves_the_older_preparation_as_it_was(tmp_path: Path) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    folder = prepare(data, SPEC, tmp_path / "out").folder
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (data / "train.csv").write_bytes(csv_bytes([row | {"copy": row["y"]} for row in rows()]))
    with pytest.raises(TaskError, match="'copy'"):
        prepare(data, SPEC, tmp_path / "out")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["demo-task"]


def test_a_file_that_was_changed_in_the_preparation_is_put_right_again(tmp_path: Path) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    folder = prepare(data, SPEC, tmp_path / "out").folder
    good = (folder / "public/train.csv").read_bytes()
    (folder / "public/train.csv").write_text("spoilt")
    prepare(data, SPEC, tmp_path / "out")
    assert (folder / "public/train.csv").read_bytes() == good


def test_an_output_folder_inside_the_data_is_refused(tmp_path: Path) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    with pytest.raises(TaskError, match="lies inside"):
        prepare(data, SPEC, data / "out")


def test_links_inside_the_folder_and_hidden_files_are_no_harm(tmp_path: Path) -> None:
    files = {"train.csv": csv_bytes(rows()), "a/notes.txt": b"as it is", ".cache/x": b"1", ".DS_Store": b"2"}
    data = write_files(files, tmp_path / "data")
    (data / "b.txt").symlink_to(data / "a/notes.txt")
    made = prepare(data, SPEC, tmp_path / "out")
    assert (made.folder / "public/b.txt").read_bytes() == b"as it is"
    assert not (made.folder / "public/b.txt").is_symlink()
    assert not any("cache" in name or "DS_Store" in name for name in made.record.files)


def test_columns_that_the_task_does_not_name_are_found_and_noted(tmp_path: Path) -> None:
    data = write("tabular", tmp_path / "data")
    made = prepare(data, SplitSpec("demo-task", "roc_auc"), tmp_path / "out")
    assert (made.record.id_columns, made.record.target_columns) == (("id",), ("churned",))
    assert "sample submission" in " ".join(made.record.notes)


def test_ids_that_only_the_official_test_part_has_are_made_by_chance(tmp_path: Path) -> None:
    table: Rows = [{name: row[name] for name in ("x", "y")} for row in rows()]
    test: Rows = [{"id": place, "x": row["x"]} for place, row in enumerate(table[:20])]
    data = write_files({"train.csv": csv_bytes(table), "test.csv": csv_bytes(test)}, tmp_path / "data")
    made = prepare(data, SPEC, tmp_path / "out")
    assert "made" in " ".join(made.record.notes)
    train, shown = parts(made.folder)
    assert len({row["id"] for row in [*train, *shown]}) == 60


def test_a_stand_in_for_the_official_test_part_does_not_set_the_ratio(tmp_path: Path) -> None:
    table = rows(800)
    files = {
        "train.csv": csv_bytes(table),
        "test.csv": csv_bytes([row | {"id": "q"} for row in table[:3]], without="y"),
    }
    data = write_files(files, tmp_path / "data")
    record = prepare(data, replace(SPEC, default_share=0.3), tmp_path / "out").record
    assert (record.test_share, "setting" in record.share_reason) == (0.3, True)
