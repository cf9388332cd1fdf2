"""`tam prepare` as users call it: the record decides, flags win, leaks are refused by name."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import TamError, UsageError
from core.settings import load_settings
from demo.invented import invented
from flows.building.build import BuildRequest, build
from lake.store import Lake
from tam.cli import app
from tests.data_sets import Rows, csv_bytes, write_files
from tests.flows.graded import enter

SLUG = "beehive-hum"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import asyncio

    root = tmp_path_factory.mktemp("lake")
    enter(Lake(root), SLUG)
    asyncio.run(build(load_settings(lake=root), BuildRequest()))
    return root


def rows(count: int = 200) -> Rows:
    return [
        {
            "clip": f"{place * 7919 % 104729:06x}",
            "hive": f"h{place % 20}",
            "pitch": f"{place * 37 % 101 / 7:.4f}",
            "swarm": place * 53 % 97 % 2,
        }
        for place in range(count)
    ]


def call(lake: Path, data: Path, out: Path, *flags: str) -> dict[str, object]:
    command = ["prepare", invented(SLUG).task_id, "--data", str(data), "--out", str(out), "--lake", str(lake)]
    columns = ["--id-columns", "clip", "--target-columns", "swarm", "--metric", "roc_auc", "--json"]
    result = CliRunner().invoke(app, [*command, *columns, *flags], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_flags_decide_and_the_settings_fill_in(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    monkeypatch.setenv("TAM_TEST_SHARE", "0.3")
    found = call(lake, data, tmp_path / "out", "--group-column", "hive")
    assert (found["strategy"], found["group_column"], found["test_share"]) == ("group", "hive", 0.3)
    plain = call(lake, data, tmp_path / "out", "--strategy", "random", "--test-share", "0.1")
    assert (plain["strategy"], plain["test_rows"], plain["share_reason"]) == ("random", 20, "asked for")


def test_a_leak_is_refused_by_name_until_it_is_accepted(lake: Path, tmp_path: Path) -> None:
    data = write_files(
        {"train.csv": csv_bytes([row | {"w": row["swarm"]} for row in rows()])}, tmp_path / "data"
    )
    with pytest.raises(TamError, match=r"\[telling-column\].*'w'.*--accept-leak telling-column:w"):
        call(lake, data, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
    found = call(lake, data, tmp_path / "out", "--accept-leak", "telling-column:w")
    assert "'w'" in json.dumps(found["accepted_leaks"])


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--strategy", "best"], "random, stratified, group, time"),
        (["--accept-leak", "all"], "there is no kind"),
    ],
)
def test_wrong_flags_are_told_with_the_right_ones(
    lake: Path, tmp_path: Path, flags: list[str], said: str
) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    with pytest.raises(UsageError, match=said):
        call(lake, data, tmp_path / "out", *flags)


def test_the_split_is_told_in_words(lake: Path, tmp_path: Path) -> None:
    data = write_files({"train.csv": csv_bytes(rows())}, tmp_path / "data")
    command = ["prepare", invented(SLUG).task_id, "--data", str(data), "--out", str(tmp_path / "out")]
    columns = [
        "--lake",
        str(lake),
        "--id-columns",
        "clip",
        "--target-columns",
        "swarm",
        "--metric",
        "roc_auc",
    ]
    shown = CliRunner().invoke(app, [*command, *columns], catch_exceptions=False).stdout
    assert "split: stratified (few classes" in shown
    assert "test share: 0.2 (the setting" in shown
