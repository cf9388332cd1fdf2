"""Synthetic official data sets, one per way in which data come: small, always the same.

`write(name, folder, turned=True)` makes the same files in the opposite order, as another disk might.
"""

import csv
import io
import json
import math
import random
import struct
import wave
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from preparation.spec import SplitSpec

Files = dict[str, bytes]
Rows = list[dict[str, object]]
WORDS = tuple(
    first + last
    for first in ("am", "ce", "do", "fi", "gu")
    for last in ("ber", "dar", "lta", "mon", "nec", "rra")
)
"""Thirty invented words."""


def csv_bytes(rows: Rows, *, without: str = "") -> bytes:
    text = io.StringIO(newline="")
    names = [name for name in rows[0] if name != without]
    writer = csv.DictWriter(text, names, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _number(chance: random.Random) -> str:
    return f"{chance.gauss(0, 1):.6f}"


def _ids(chance: random.Random, count: int) -> list[str]:
    """Ids by chance, so that they say nothing."""
    return [f"{number:08x}" for number in chance.sample(range(16**8), count)]


def tabular(chance: random.Random) -> Files:
    """Few classes, an official test part of a quarter, a sample submission."""
    rows: Rows = []
    for one in _ids(chance, 320):
        signal = chance.gauss(0, 1)
        rows.append(
            {
                "id": one,
                "age": chance.randint(18, 90),
                "income": f"{chance.lognormvariate(10, 1):.2f}",
                "score": f"{signal + chance.gauss(0, 1):.5f}",
                "city": chance.choice(["Oslo", "Łódź", "San José", ""]),
                "churned": int(signal > 0.5),
            }
        )
    train, test = rows[:240], rows[240:]
    sample: Rows = [{"id": row["id"], "churned": 0} for row in test]
    return {
        "train.csv": csv_bytes(train),
        "test.csv": csv_bytes(test, without="churned"),
        "sample_submission.csv": csv_bytes(sample),
    }


def measures(chance: random.Random) -> Files:
    """Numbers in a Parquet file, whose floats must be written by one rule."""
    columns: dict[str, list[float]] = {name: [] for name in ("depth", "width", "mass", "strength")}
    for _ in range(300):
        depth, width = chance.uniform(1, 9), chance.uniform(1, 9)
        for name, value in zip(
            columns, (depth, width, chance.uniform(0, 1), depth * width + chance.gauss(0, 8)), strict=True
        ):
            columns[name].append(value)
    sink = io.BytesIO()
    pq.write_table(pa.table({"key": _ids(chance, 300)} | columns), sink)
    return {"train.parquet": sink.getvalue()}


def texts(chance: random.Random) -> Files:
    """Three classes of texts, a JSON object per line."""
    lines = []
    for one in _ids(chance, 240):
        topic = chance.randrange(3)
        own = WORDS[topic * 10 : topic * 10 + 10]
        text = " ".join(chance.choice(own if chance.random() < 0.35 else WORDS) for _ in range(18))
        lines.append(json.dumps({"doc": one, "text": text, "topic": ("sport", "law", "food")[topic]}))
    return {"train.jsonl": ("\n".join(lines) + "\n").encode()}


def png(chance: random.Random, bright: int) -> bytes:
    """A grey picture of 12 × 12 pixels."""
    pixels = b"".join(
        b"\0" + bytes(min(255, max(0, bright + chance.randint(-90, 90))) for _ in range(12))
        for _ in range(12)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 12, 12, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )


def image_folders(chance: random.Random) -> Files:
    """A folder per class, names that hold the class, and an official test folder."""
    files = {}
    for number in range(120):
        kind = ("frog", "heron", "newt")[number % 3]
        files[f"train/{kind}/{kind}.{number:03}.png"] = png(chance, 90 + 30 * (number % 3))
    return files | {f"test/{number:03}.png": png(chance, 120) for number in range(40)}


def images(chance: random.Random) -> Files:
    """A table of labels and one folder of pictures."""
    rows, files = list[dict[str, object]](), dict[str, bytes]()
    for one in _ids(chance, 150):
        sick = chance.randrange(2)
        rows.append({"image": one, "sick": sick})
        files[f"images/{one}.png"] = png(chance, 100 + 40 * sick)
    return files | {"train.csv": csv_bytes(rows)}


def audio(chance: random.Random) -> Files:
    """Recordings with a table of labels; the file's name stands in a column of its own."""
    rows, files = list[dict[str, object]](), dict[str, bytes]()
    for place, one in enumerate(_ids(chance, 90)):
        bird = chance.choice(["wren", "owl"])
        pitch = 400 if bird == "owl" else 1500
        sound = io.BytesIO()
        with wave.open(sound, "wb") as out:
            out.setnchannels(1)
            out.setsampwidth(2)
            out.setframerate(8000)
            out.writeframes(
                b"".join(
                    struct.pack("<h", int(9000 * math.sin(step * pitch / 8000) + chance.gauss(0, 2000)))
                    for step in range(200)
                )
            )
        rows.append({"clip_id": f"{place * 7919 % 90:03}", "path": f"clips/{one}.wav", "bird": bird})
        files[f"clips/{one}.wav"] = sound.getvalue()
    return files | {"train.csv": csv_bytes(rows)}


def graph(chance: random.Random) -> Files:
    """Labelled nodes, and a table of edges that stays whole."""
    rows: Rows = [
        {"node": one, "degree": chance.randint(1, 9), "kind": chance.choice("abc")}
        for one in _ids(chance, 200)
    ]
    edges: Rows = []
    for _ in range(600):
        one, other = chance.choice(rows), chance.choice(rows)
        if one["kind"] == other["kind"] or chance.random() < 0.3:
            edges.append({"source": one["node"], "target_node": other["node"]})
    return {"train.csv": csv_bytes(rows), "edges.csv": csv_bytes(edges)}


def groups(chance: random.Random) -> Files:
    """Several scans of every patient; one patient has many."""
    rows: Rows = []
    ids = iter(_ids(chance, 2000))
    for patient in _ids(chance, 60):
        sick, base = chance.randrange(2), chance.gauss(0, 1)
        for _ in range(chance.randint(1, 9) if rows else 40):
            value = f"{base + sick + chance.gauss(0, 0.5):.6f}"
            rows.append({"scan": next(ids), "patient_id": patient, "density": value, "sick": sick})
    chance.shuffle(rows)
    return {"train.csv": csv_bytes(rows)}


def time_series(chance: random.Random) -> Files:
    """One value a day, in no order."""
    rows: Rows = []
    level = 100.0
    for day, one in enumerate(_ids(chance, 400)):
        level += chance.gauss(0, 2)
        when = date(2021, 1, 1) + timedelta(days=day)
        temperature = f"{chance.gauss(10, 5):.2f}"
        rows.append(
            {"row": one, "date": when.isoformat(), "temperature": temperature, "load": f"{level:.3f}"}
        )
    chance.shuffle(rows)
    return {"train.csv": csv_bytes(rows)}


def panel(chance: random.Random) -> Files:
    """A series per shop, the official test part of each later than its training part, at times of its own."""
    train, test = list[dict[str, object]](), list[dict[str, object]]()
    ids = iter(_ids(chance, 2000))
    for shop in range(8):
        start = date(2020, 1, 1) + timedelta(days=40 * shop)
        for week in range(50):
            row: dict[str, object] = {
                "id": next(ids),
                "shop": f"shop-{shop}",
                "week": (start + timedelta(weeks=week)).isoformat(),
                "promo": chance.randrange(2),
                "sales": chance.randint(10, 500),
            }
            (train if week < 40 else test).append(row)
    return {"train.csv": csv_bytes(train), "test.csv": csv_bytes(test, without="sales")}


def multi_label(chance: random.Random) -> Files:
    """Three yes-or-no columns."""
    rows: Rows = []
    for one in _ids(chance, 260):
        x, y = chance.gauss(0, 1), chance.gauss(0, 1)
        labels = {"red": int(x > 0), "round": int(y > 0.5), "rare": int(x + y > 1.5)}
        rows.append(
            {"id": one, "x": f"{x + chance.gauss(0, 1):.5f}", "y": f"{y + chance.gauss(0, 1):.5f}"} | labels
        )
    return {"train.csv": csv_bytes(rows)}


SETS: dict[str, tuple[Callable[[random.Random], Files], SplitSpec, str]] = {
    "tabular": (tabular, SplitSpec("t-tabular", "roc_auc", ("id",), ("churned",)), "stratified"),
    "measures": (measures, SplitSpec("t-measures", "rmse", ("key",), ("strength",)), "random"),
    "texts": (texts, SplitSpec("t-texts", "accuracy", ("doc",), ("topic",)), "stratified"),
    "image-folders": (
        image_folders,
        SplitSpec("t-folders", "multiclass_log_loss", (), ("frog", "heron", "newt")),
        "stratified",
    ),
    "images": (images, SplitSpec("t-images", "roc_auc", ("image",), ("sick",)), "stratified"),
    "audio": (audio, SplitSpec("t-audio", "accuracy", ("clip_id",), ("bird",)), "stratified"),
    "graph": (graph, SplitSpec("t-graph", "accuracy", ("node",), ("kind",)), "stratified"),
    "groups": (groups, SplitSpec("t-groups", "roc_auc", ("scan",), ("sick",)), "group"),
    "time-series": (time_series, SplitSpec("t-series", "rmse", ("row",), ("load",)), "time"),
    "panel": (panel, SplitSpec("t-panel", "rmse", ("id",), ("sales",), goal="Forecast the sales."), "time"),
    "multi-label": (
        multi_label,
        SplitSpec("t-labels", "hamming_loss", ("id",), ("red", "round", "rare")),
        "stratified",
    ),
}
"""Generator, task, and the strategy that the data ask for."""


def write(name: str, folder: Path, *, turned: bool = False, seed: int = 1) -> Path:
    """Write a data set; `turned` makes its files in the opposite order."""
    files = SETS[name][0](random.Random(f"{name}|{seed}"))  # noqa: S311 - not for secrets
    return write_files(files, folder, turned=turned)


def write_files(files: Files, folder: Path, *, turned: bool = False) -> Path:
    """Write files by name."""
    for path in sorted(files, reverse=turned):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(files[path])
    return folder
