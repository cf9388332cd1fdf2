"""Eleven kinds of official data become the same bytes each time, keep their rules, and raise no alarm."""

import csv
import hashlib
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from preparation.check.checks import check_prepared
from preparation.loading import load_prepared
from preparation.prepare import prepare
from schema.prepared import CheckOutcome, Prepared, Strategy
from tests.data_sets import SETS, write

every_set = pytest.mark.parametrize("name", sorted(SETS))
SEEDS = range(1, 5)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def made(name: str, tmp_path: Path, *, seed: int = 1, turned: bool = False) -> Prepared:
    data = write(name, tmp_path / f"data-{seed}-{turned}", turned=turned, seed=seed)
    return prepare(data, SETS[name][1], tmp_path / f"out-{seed}-{turned}", seed=seed)


@every_set
def test_the_strategy_is_found_and_its_reason_written_down(tmp_path: Path, name: str) -> None:
    record = made(name, tmp_path).record
    assert (record.strategy, bool(record.reason)) == (Strategy(SETS[name][2]), True)
    assert record.versions.keys() == {"tam", "split"}


@every_set
def test_another_order_of_files_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    one, two = made(name, tmp_path), made(name, tmp_path, turned=True)
    assert contents(one.folder) == contents(two.folder)
    on_disk = contents(one.folder)
    on_disk.pop("split.json")
    assert one.record.files == on_disk


@pytest.mark.long
def test_another_process_with_other_hashes_locale_and_time_gives_the_same_bytes(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom preparation.prepare import prepare\n"
        "from tests.data_sets import SETS, write\n"
        "root = Path(sys.argv[1])\n"
        "for name in sorted(SETS):\n"
        "    prepare(write(name, root / 'data' / name, turned=True), SETS[name][1], root / 'out', seed=1)\n"
    )
    root = Path(__file__).parents[3]
    for number, locale in enumerate(("C", "tr_TR.UTF-8")):
        settings = {
            "PYTHONHASHSEED": str(number),
            "LC_ALL": locale,
            "TZ": "Asia/Tokyo",
            "PYTHONPATH": str(root),
        }
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / locale)],
            check=True,
            cwd=root,
            env={**os.environ, **settings},
            timeout=1800,
        )
    one, two = (contents(tmp_path / locale / "out") for locale in ("C", "tr_TR.UTF-8"))
    assert one == two
    here = {
        f"{SETS[name][1].task_id}/{file}": digest
        for name in SETS
        for file, digest in contents(made(name, tmp_path / name).folder).items()
    }
    assert here == one


@every_set
def test_clean_data_raise_no_alarm_and_pass_every_self_check(tmp_path: Path, name: str) -> None:
    for seed in SEEDS:
        prepared = made(name, tmp_path, seed=seed)
        assert prepared.record.accepted_leaks == ()
        failed = [one for one in check_prepared(prepared, None) if one.outcome is CheckOutcome.FAILED]
        assert failed == []


@every_set
def test_every_row_is_in_one_part_and_no_answer_in_public(tmp_path: Path, name: str) -> None:
    prepared = made(name, tmp_path)
    record = prepared.record
    ids = record.id_columns[0]
    train, test = rows_of(prepared.folder / "public/train.csv"), rows_of(prepared.folder / "public/test.csv")
    answers = rows_of(prepared.answers)
    assert [row[ids] for row in test] == [row[ids] for row in answers]
    assert not {row[ids] for row in train} & {row[ids] for row in test}
    assert not set(record.target_columns) & set(test[0])
    assert (len(train), len(test)) == (record.train_rows, record.test_rows)
    assert rows_of(prepared.sample)[0].keys() == {ids, *record.target_columns}


@every_set
def test_the_test_part_has_the_official_ratio_or_the_settings(tmp_path: Path, name: str) -> None:
    record = made(name, tmp_path).record
    wanted = {"tabular": 0.25, "panel": 0.2, "image-folders": 0.25}.get(name, 0.2)
    assert record.test_share == pytest.approx(wanted)
    rows = record.train_rows + record.test_rows
    slack = 12 if record.strategy is Strategy.GROUP else 1
    assert abs(record.test_rows - wanted * rows) <= slack
    assert ("official ratio" in record.share_reason) == (name in ("tabular", "panel", "image-folders"))


def test_media_of_class_folders_lie_under_neutral_names(tmp_path: Path) -> None:
    prepared = made("image-folders", tmp_path)
    public = prepared.folder / "public"
    for part in ("train", "test"):
        for row in rows_of(public / f"{part}.csv"):
            assert (public / row["file"]).is_file()
            assert row["file"] == f"{part}/{row['id']}.png"
    names = " ".join(contents(public))
    assert not any(kind in names for kind in ("frog", "heron", "newt"))
    assert len({path.stat().st_mtime_ns for path in public.rglob("*") if path.is_file()}) == 1
    assert "test/000.png" in prepared.record.left_out


def test_groups_are_on_one_side_and_times_are_later(tmp_path: Path) -> None:
    grouped = made("groups", tmp_path)
    sides = [
        {row["patient_id"] for row in rows_of(grouped.folder / f"public/{part}.csv")}
        for part in ("train", "test")
    ]
    assert not sides[0] & sides[1]
    later = made("time-series", tmp_path).folder
    last = max(row["date"] for row in rows_of(later / "public/train.csv"))
    assert min(row["date"] for row in rows_of(later / "public/test.csv")) > last


def test_labels_keep_their_shares(tmp_path: Path) -> None:
    for name, column in (("tabular", "churned"), ("texts", "topic"), ("audio", "bird")):
        prepared = made(name, tmp_path / name)
        test = Counter(row[column] for row in rows_of(prepared.answers))
        train = Counter(row[column] for row in rows_of(prepared.folder / "public/train.csv"))
        for label in test:
            exact = prepared.record.test_share * (test[label] + train[label])
            assert abs(test[label] - exact) <= 1


def test_an_order_of_rows_does_not_choose_the_test_part(tmp_path: Path) -> None:
    data = write("measures", tmp_path / "a")
    one = prepare(data, SETS["measures"][1], tmp_path / "one")
    header, *lines = (write("groups", tmp_path / "b") / "train.csv").read_text().splitlines()
    random.Random(5).shuffle(lines)  # noqa: S311 - not for secrets
    (tmp_path / "c").mkdir()
    (tmp_path / "c/train.csv").write_text("\n".join([header, *lines]) + "\n")
    spec = SETS["groups"][1]
    both = [prepare(tmp_path / place, spec, tmp_path / f"out-{place}") for place in ("b", "c")]
    assert both[0].answers.read_bytes() == both[1].answers.read_bytes()
    assert load_prepared(one.folder).record == one.record
