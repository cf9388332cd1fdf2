"""Hugging Face's `datasets`, as a user without a network runs it: in a process and a home of its own."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_LOAD = """
import sys
import datasets
folder, out, split, *names = sys.argv[1:]
for name in names:
    datasets.load_dataset(folder, name, split=split).to_parquet(f"{out}/{name}.parquet")
"""


def load(folder: Path, home: Path, names: Sequence[str], split: str) -> dict[str, pa.Table]:
    """What `load_dataset(folder, name)` gives for each name; nothing can be downloaded."""
    out = home / "loaded"
    out.mkdir(parents=True)
    environment = {
        **os.environ,
        "HF_HOME": str(home / "hf"),
        "HF_DATASETS_OFFLINE": "1",
        "HF_HUB_OFFLINE": "1",
    }
    command = [sys.executable, "-c", _LOAD, str(folder), str(out), split, *names]
    answer = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=3600
    )
    assert answer.returncode == 0, answer.stderr
    return {name: pq.read_table(out / f"{name}.parquet") for name in names}
