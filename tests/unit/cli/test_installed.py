"""The command as it is installed, from another folder: what pytest puts on the path is not there."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lake.store import Lake

TAM = Path(sys.executable).with_name("tam")
EVALUATE = [
    str(TAM),
    "evaluate",
    "--metric",
    "roc_auc",
    "--answers",
    "truth.csv",
    "--submission",
    "mine.parquet",
]


def test_a_query_with_functions_runs_from_any_folder(tmp_path: Path) -> None:
    Lake(tmp_path / "lake").put_raw(b"something")
    command = [str(TAM), "sql", "SELECT length('abc') + 4 AS n, lower('X') AS x", "--format", "csv"]
    run = subprocess.run(
        [*command, "--lake", str(tmp_path / "lake")],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ['"n","x"', '7,"x"']


def test_a_file_that_is_decoded_apart_is_scored_from_any_folder(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("id,y\n1,0\n2,1\n")
    pq.write_table(pa.table({"id": [1, 2], "y": [0.25, 0.75]}), tmp_path / "mine.parquet")
    run = subprocess.run(
        [*EVALUATE, "--id-columns", "id", "--target-columns", "y"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["score"] == 1.0
