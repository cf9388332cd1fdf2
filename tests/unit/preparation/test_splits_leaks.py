"""Every planted leak is found and named, with its figure and what to do; the user can accept it knowingly."""

import csv
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from preparation.check.checks import check_prepared
from preparation.leaks import find_leaks
from preparation.leaks.leak import LeakError, LeakKind
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from schema.prepared import CheckOutcome, Prepared, SplitRecord
from tests.data_sets import SETS, Files, Rows, csv_bytes, write_files

CHANCE = random.Random(2)  # noqa: S311 - not for secrets


def table(files: Files, name: str = "train.csv") -> Rows:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def with_column(name: str, value: Callable[[dict[str, object]], object]) -> Callable[[Files], Files]:
    def plant(files: Files) -> Files:
        found = files | {"train.csv": csv_bytes([row | {name: value(row)} for row in table(files)])}
        if "test.csv" in files:
            found["test.csv"] = csv_bytes([row | {name: "0"} for row in table(files, "test.csv")])
        return found

    return plant


def jsonl(files: Files, change: Callable[[list[dict[str, str]]], None]) -> Files:
    rows = [json.loads(line) for line in files["train.jsonl"].decode().splitlines()]
    change(rows)
    return {"train.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode()}


def renamed_ids(column: str, new: Callable[[int, dict[str, object]], str]) -> Callable[[Files], Files]:
    def plant(files: Files) -> Files:
        rows = table(files)
        return {"train.csv": csv_bytes([row | {column: new(place, row)} for place, row in enumerate(rows)])}

    return plant


def sorted_ids(files: Files) -> Files:
    rows = sorted(table(files), key=lambda row: str(row["churned"]))
    return {"train.csv": csv_bytes([row | {"id": str(place)} for place, row in enumerate(rows, 1)])}


def side_table(name: str, column: str) -> Callable[[Files], Files]:
    def plant(files: Files) -> Files:
        rows: Rows = [{"customer": row["id"], column: row["churned"]} for row in table(files)]
        if column == "churned":
            rows = [{"id": row["customer"], column: row[column]} for row in rows]
        return files | {name: csv_bytes(rows)}

    return plant


def archive(files: Files) -> Files:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as out:
        out.writestr("full/all_rows.csv", files["train.csv"])
    return files | {"extra.zip": packed.getvalue()}


def notes(files: Files) -> Files:
    lines = "".join(f"{row['id']} is of class {row['churned']}\n" for row in table(files))
    return files | {"readme/log.txt": lines.encode()}


def opaque(files: Files) -> Files:
    return files | {"y_train.npy": b"\x93NUMPY" + bytes(100)}


def masks(files: Files) -> Files:
    drawn = {
        name.replace("images/", "masks/"): data[::-1] for name, data in files.items() if "images/" in name
    }
    return files | drawn


def text_names_class(files: Files) -> Files:
    def change(rows: list[dict[str, str]]) -> None:
        for row in rows:
            row["text"] = f"Filed under {row['topic'].title()}: {row['text']}"

    return jsonl(files, change)


def same_texts(files: Files) -> Files:
    def change(rows: list[dict[str, str]]) -> None:
        rows += [row | {"doc": f"copy{place * 77 % 101:03}"} for place, row in enumerate(rows[:60])]

    return jsonl(files, change)


def similar_texts(files: Files) -> Files:
    def change(rows: list[dict[str, str]]) -> None:
        for place, row in enumerate(rows[:80]):
            rows.append(row | {"doc": f"c{place * 77 % 101:03}", "text": row["text"] + " indeed"})

    return jsonl(files, change)


def same_rows(files: Files) -> Files:
    rows = table(files)
    copies = [row | {"id": f"{place * 7919 % 104729:08x}"} for place, row in enumerate(rows[:30])]
    return files | {"train.csv": csv_bytes(rows + copies)}


def jittered_rows(files: Files) -> Files:
    rows = table(files)
    copies: Rows = []
    for place, row in enumerate(rows[:120]):
        near = {name: f"{float(str(row[name])) + 1e-5 * CHANCE.random():.6f}" for name in ("a", "b", "c")}
        copies.append(row | near | {"id": f"{place * 7919 % 104729:08x}"})
    return {"train.csv": csv_bytes(rows + copies)}


def three_measures(chance: random.Random) -> Files:
    rows: Rows = []
    for one in chance.sample(range(10**8), 300):
        values = {name: f"{chance.gauss(0, 1):.4f}" for name in "abc"}
        rows.append({"id": f"{one:08x}"} | values | {"y": chance.randrange(2)})
    return {"train.csv": csv_bytes(rows)}


def labelled_names(where: str) -> Callable[[Files], Files]:
    def plant(files: Files) -> Files:
        rows, media = table(files), dict[str, bytes]()
        for row in rows:
            word = "sick" if row["sick"] == "1" else "well"
            old = f"images/{row['image']}.png"
            if where == "folder":
                media[f"images/{word}/{row['image']}.png"] = files[old]
            elif where == "suffix":
                media[f"images/{row['image']}.{'png' if word == 'sick' else 'PNG'}"] = files[old]
            else:
                row["image"] = f"{row['image']}_{word}"
                media[f"images/{row['image']}.png"] = files[old]
        return media | {"train.csv": csv_bytes(rows)}

    return plant


def same_files(files: Files) -> Files:
    rows = table(files)
    copies: Rows = []
    found = dict(files)
    for place, row in enumerate(rows[:40]):
        name = f"{place * 7919 % 104729:08x}"
        copies.append({"image": name, "sick": row["sick"]})
        found[f"images/{name}.png"] = files[f"images/{row['image']}.png"]
    return found | {"train.csv": csv_bytes(rows + copies)}


def noisy(row: dict[str, object]) -> str:
    return f"{3 * float(str(row['load'])) + 0.5 + CHANCE.gauss(0, 0.05):.3f}"


MEASURES = SplitSpec("t-measures", "roc_auc", ("id",), ("y",))
PLANTED: dict[str, tuple[str, Callable[[Files], Files], LeakKind, str]] = {
    "answers in a side table": (
        "tabular",
        side_table("more/labels.csv", "churned"),
        LeakKind.ANSWER_COLUMN,
        "more/labels.csv",
    ),
    "answers under another name": (
        "tabular",
        side_table("crm.csv", "gone"),
        LeakKind.ANSWER_COLUMN,
        "'gone' of",
    ),
    "answers in an archive": (
        "tabular",
        archive,
        LeakKind.ANSWER_COLUMN,
        "extra.zip (full/all_rows.csv)",
    ),
    "answers in a text": ("tabular", notes, LeakKind.ANSWER_FILE, "readme/log.txt"),
    "answers in a binary file": ("tabular", opaque, LeakKind.ANSWER_FILE, "y_train.npy"),
    "answers as pictures": ("images", masks, LeakKind.ANSWER_FILE, "masks"),
    "a copy of the target": (
        "tabular",
        with_column("left", lambda row: row["churned"]),
        LeakKind.TELLING_COLUMN,
        "'left'",
    ),
    "the target in other words": (
        "tabular",
        with_column("state", lambda row: ["stays", "goes"][int(str(row["churned"]))]),
        LeakKind.TELLING_COLUMN,
        "'state'",
    ),
    "the target with noise": ("time-series", with_column("meter", noisy), LeakKind.TELLING_COLUMN, "'meter'"),
    "the target's range": (
        "tabular",
        with_column("fee", lambda row: f"{CHANCE.uniform(0, 1) + 2 * int(str(row['churned'])):.4f}"),
        LeakKind.TELLING_COLUMN,
        "'fee'",
    ),
    "texts that name their class": ("texts", text_names_class, LeakKind.TELLING_COLUMN, "'text'"),
    "ids in the order of the target": ("tabular", sorted_ids, LeakKind.TELLING_ID, "The id 'id'"),
    "ids that begin with the class": (
        "graph",
        renamed_ids("node", lambda place, row: f"{row['kind']}-{place * 7919 % 10007}"),
        LeakKind.TELLING_ID,
        "of id 'node'",
    ),
    "ids whose parity is the class": (
        "tabular",
        renamed_ids("id", lambda place, row: str(2 * (place * 7919 % 10007) + int(str(row["churned"])))),
        LeakKind.TELLING_ID,
        "id 'id'",
    ),
    "file names with the class": (
        "images",
        labelled_names("name"),
        LeakKind.FILE_NAME,
        "name of the test part",
    ),
    "folders with the class": (
        "images",
        labelled_names("folder"),
        LeakKind.FILE_NAME,
        "folder of the test part",
    ),
    "suffixes with the class": (
        "images",
        labelled_names("suffix"),
        LeakKind.FILE_NAME,
        "suffix of the test part",
    ),
    "rows that come twice": ("tabular", same_rows, LeakKind.DUPLICATE_ROW, "all features and the answer"),
    "texts that come twice": ("texts", same_texts, LeakKind.DUPLICATE_ROW, "public/test.csv"),
    "files that come twice": ("images", same_files, LeakKind.DUPLICATE_FILE, "images/"),
    "texts with a word more": ("texts", similar_texts, LeakKind.NEAR_DUPLICATE, "'text'"),
    "measures moved a little": ("three-measures", jittered_rows, LeakKind.NEAR_DUPLICATE, "all measures"),
}


def planted(case: str) -> tuple[Files, SplitSpec]:
    name, plant, _, _ = PLANTED[case]
    chance = random.Random(f"{name}|1")  # noqa: S311 - not for secrets
    if name == "three-measures":
        return plant(three_measures(chance)), MEASURES
    make, spec, _ = SETS[name]
    return plant(make(chance)), spec


@pytest.mark.parametrize("case", sorted(PLANTED))
def test_a_planted_leak_is_refused_by_its_name_and_can_be_accepted(tmp_path: Path, case: str) -> None:
    _, _, kind, said = PLANTED[case]
    files, spec = planted(case)
    data = write_files(files, tmp_path / "data")
    with pytest.raises(LeakError) as refused:
        prepare(data, spec, tmp_path / "out")
    found = [leak for leak in refused.value.leaks if leak.kind is kind]
    assert found, refused.value
    assert said in found[0].message
    assert found[0].figure > 0
    assert f"--accept-leak {kind}:{found[0].place}" in str(refused.value)
    assert not list((tmp_path / "out").glob("*")) or not list((tmp_path / "out").glob(".*"))

    known = tuple(f"{leak.kind}:{leak.place}" for leak in refused.value.leaks)
    while True:  # what a side table shows is seen once it lies in the public part
        try:
            prepared = prepare(data, replace(spec, accepted=known), tmp_path / "out")
            break
        except LeakError as more:
            known += tuple(f"{leak.kind}:{leak.place}" for leak in more.leaks)
            assert len(known) < 10
    assert kind in {leak.kind for leak in prepared.record.accepted_leaks}
    assert LEAKS_RULE not in {
        one.rule for one in check_prepared(prepared, None) if one.outcome is CheckOutcome.FAILED
    }


LEAKS_RULE = "public files hold no answers"


def test_three_measures_without_copies_pass(tmp_path: Path) -> None:
    for seed in range(10):
        files = three_measures(random.Random(seed))  # noqa: S311 - not for secrets
        prepare(write_files(files, tmp_path / f"data{seed}"), MEASURES, tmp_path / "out")


@pytest.fixture
def images(tmp_path: Path) -> Prepared:
    make, spec, _ = SETS["images"]
    data = write_files(make(random.Random(4)), tmp_path / "data")  # noqa: S311 - not for secrets
    return prepare(data, spec, tmp_path / "out")


def kinds(prepared: Prepared) -> set[LeakKind]:
    return {leak.kind for leak in find_leaks(prepared)}


def test_the_times_of_files_tell_nothing_and_a_change_is_seen(images: Prepared) -> None:
    assert kinds(images) == set()
    public = images.folder / "public"
    sick = {
        row["image"]: row["sick"]
        for path in (public / "train.csv", images.answers)
        for row in csv.DictReader(path.read_text().splitlines())
    }
    for place, (name, label) in enumerate(sorted(sick.items(), key=lambda one: one[1])):
        os.utime(public / f"images/{name}.png", (10**9 + place, 10**9 + place))
        assert label in "01"
    assert kinds(images) == {LeakKind.FILE_TIME}


def test_rows_in_the_order_of_the_answers_are_seen(images: Prepared) -> None:
    rows = sorted(csv.DictReader(images.answers.read_text().splitlines()), key=lambda row: row["sick"])
    images.answers.write_bytes(csv_bytes([dict(row) for row in rows]))
    (images.folder / "public/test.csv").write_bytes(csv_bytes([{"image": row["image"]} for row in rows]))
    assert kinds(images) == {LeakKind.ROW_ORDER}


def test_test_rows_among_the_training_rows_are_seen(images: Prepared) -> None:
    with (images.folder / "public/train.csv").open("a") as file:
        file.write(images.answers.read_text().split("\n", 1)[1])
    leaks = find_leaks(images)
    assert leaks[0].kind is LeakKind.ID_OVERLAP
    assert leaks[0].figure == images.record.test_rows


def test_an_answer_column_in_the_test_part_is_seen_whatever_its_case(images: Prepared) -> None:
    (images.folder / "public/test.csv").write_text(images.answers.read_text().replace("sick", "Sick", 1))
    assert LeakKind.ANSWER_COLUMN in kinds(images)


def test_an_order_by_class_and_times_by_class_in_the_data_leave_no_trace(tmp_path: Path) -> None:
    make, spec, _ = SETS["images"]
    files = make(random.Random(4))  # noqa: S311 - not for secrets
    rows = sorted(table(files), key=lambda row: str(row["sick"]))
    data = write_files(files | {"train.csv": csv_bytes(rows)}, tmp_path / "data")
    for place, row in enumerate(rows):
        os.utime(data / f"images/{row['image']}.png", (10**9 + place, 10**9 + place))
    assert kinds(prepare(data, spec, tmp_path / "out")) == set()


def test_an_accepted_leak_is_recorded_with_its_figure(tmp_path: Path) -> None:
    files, spec = planted("a copy of the target")
    data = write_files(files, tmp_path / "data")
    made = prepare(data, replace(spec, accepted=("telling-column:left",)), tmp_path / "out")
    stored = SplitRecord.model_validate_json((made.folder / "split.json").read_bytes())
    assert [(leak.kind, leak.column, leak.figure) for leak in stored.accepted_leaks] == [
        ("telling-column", "left", 1.0)
    ]
    with pytest.raises(LeakError, match="'left'"):
        prepare(data, replace(spec, accepted=("telling-column:other",)), tmp_path / "out")


def test_strong_but_honest_features_and_natural_repeats_pass(tmp_path: Path) -> None:
    """A feature with an accuracy of 95 %, and rows of a few small values, as data have them."""
    for seed in range(5):
        chance = random.Random(seed)  # noqa: S311 - not for secrets
        rows: Rows = []
        for one in chance.sample(range(10**8), 500):
            y = chance.randrange(2)
            told = y if chance.random() < 0.95 else 1 - y
            rows.append({"id": f"{one:08x}", "odor": f"o{told}", "cap": chance.randrange(3), "y": y})
        data = write_files({"train.csv": csv_bytes(rows)}, tmp_path / f"data{seed}")
        prepare(data, MEASURES, tmp_path / "out")
