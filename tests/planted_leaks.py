"""Data sets in which an answer can be had by a way round, one way each, and data sets in which none can."""

import base64
import csv
import gzip
import hashlib
import io
import json
import math
import pickle
import random
import sqlite3
import struct
import tarfile
import tempfile
import wave
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from preparation.spec import SplitSpec
from tests.data_sets import SETS, Files, Rows, csv_bytes, png

TABLE = SplitSpec("t-table", "accuracy", ("id",), ("y",))
NUMBER = SplitSpec("t-number", "rmse", ("id",), ("y",))
Row = dict[str, object]


def _chance(seed: object) -> random.Random:
    return random.Random(str(seed))  # noqa: S311 - not for secrets


def rows_of(
    chance: random.Random, count: int = 400, classes: int = 2, fill: Callable[[int], Row] = lambda _: {}
) -> Rows:
    """Rows whose two measures say a little of the class."""
    rows: Rows = []
    for number in chance.sample(range(16**7, 16**8), count):
        y = chance.randrange(classes)
        signal = f"{chance.gauss(0.5 * y, 1):.4f}"
        rows.append({"id": f"{number:08x}", "a": signal, "b": f"{chance.gauss(0, 1):.4f}", **fill(y), "y": y})
    return rows


def _column(value: Callable[[random.Random, int], object], *, classes: int = 2) -> Callable[[], Files]:
    """A table with a column `x` made from the class."""

    def make() -> Files:
        chance = _chance("column")
        return {
            "train.csv": csv_bytes(
                rows_of(chance, classes=classes, fill=lambda y: {"x": value(chance, int(y))})
            )
        }

    return make


def _ids(value: Callable[[random.Random, int], str], *, classes: int = 2) -> Callable[[], Files]:
    """A table whose ids are made from the class."""

    def make() -> Files:
        chance = _chance("ids")
        rows, seen = rows_of(chance, classes=classes), set[str]()
        for row in rows:
            one = value(chance, int(str(row["y"])))
            while one in seen:
                one = value(chance, int(str(row["y"])))
            seen.add(one)
            row["id"] = one
        return {"train.csv": csv_bytes(rows)}

    return make


def _word(chance: random.Random, letters: int) -> str:
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(letters))


def _numbers(
    chance: random.Random, wanted: Callable[[int], bool], low: int = 10**6, high: int = 10**8
) -> str:
    while True:
        number = chance.randrange(low, high)
        if wanted(number):
            return str(number)


def _day(chance: random.Random, wanted: Callable[[date], bool]) -> date:
    while True:
        day = date(2019, 1, 1) + timedelta(days=chance.randrange(1400))
        if wanted(day):
            return day


def _beside(name: str, content: Callable[[Rows], bytes], **fill: Any) -> Callable[[], Files]:
    """A table, and a file beside it that is made from its rows."""

    def make() -> Files:
        rows = rows_of(_chance(name), **fill)
        return {"train.csv": csv_bytes(rows), name: content(rows)}

    return make


def _word_of(row: Row) -> str:
    return ["stays", "goes"][int(str(row["y"]))]


def _two_hops() -> Files:
    chance = _chance("hops")
    numbers = chance.sample(range(10**6), 800)
    rows = rows_of(chance)
    for place, row in enumerate(rows):
        row["receipt"] = f"r{numbers[place]}"
    first: Rows = [
        {"receipt": row["receipt"], "client": f"c{numbers[-1 - place]}"} for place, row in enumerate(rows)
    ]
    second: Rows = [{"client": f"c{numbers[-1 - place]}", "left": row["y"]} for place, row in enumerate(rows)]
    chance.shuffle(first)
    chance.shuffle(second)
    return {
        "train.csv": csv_bytes(rows),
        "receipts.csv": csv_bytes(first),
        "crm/clients.csv": csv_bytes(second),
    }


def _by_feature() -> Files:
    chance = _chance("feature")
    rows = rows_of(chance, fill=lambda _: {"receipt": f"r{chance.randrange(10**9)}"})
    side: Rows = [{"receipt": row["receipt"], "mood": _word_of(row)} for row in rows]
    chance.shuffle(side)
    return {"train.csv": csv_bytes(rows), "receipts.csv": csv_bytes(side)}


def _events(rows: Rows) -> bytes:
    chance, events = _chance("events"), list[Row]()
    for row in rows:
        for _ in range(2 + 3 * int(str(row["y"])) + chance.randrange(2)):
            events.append({"id": row["id"], "amount": f"{chance.gauss(0, 1):.3f}"})
    chance.shuffle(events)
    return csv_bytes(events)


def _last_event(rows: Rows) -> bytes:
    chance, events = _chance("last"), list[Row]()
    for row in rows:
        for _ in range(chance.randint(1, 4)):
            events.append({"id": row["id"], "status": chance.choice(["open", "seen", "paid"])})
        events.append({"id": row["id"], "status": _word_of(row)})
    return csv_bytes(events)


def _sqlite(rows: Rows) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        with sqlite3.connect(path) as base:
            base.execute("CREATE TABLE clients (key TEXT, gone INTEGER)")
            base.executemany("INSERT INTO clients VALUES (?, ?)", [(row["id"], row["y"]) for row in rows])
        base.close()
        return path.read_bytes()


def _tar(rows: Rows) -> bytes:
    side: Rows = [{"key": row["id"], "gone": row["y"]} for row in rows]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        entry = tarfile.TarInfo("backup/old.csv")
        data = csv_bytes(side)
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def _zip_in_zip(rows: Rows) -> bytes:
    data = csv_bytes([{"key": row["id"], "gone": row["y"]} for row in rows])
    for name in ("old.csv", "inner.zip"):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(name, data)
        data = out.getvalue()
    return data


def _array(rows: Rows) -> bytes:
    out = io.BytesIO()
    np.save(out, np.array([int(str(row["y"])) for row in sorted(rows, key=lambda row: str(row["id"]))]))
    return out.getvalue()


def _xml(rows: Rows) -> bytes:
    return (
        "<all>"
        + "".join(f'<c key="{row["id"]}"><state>{_word_of(row)}</state></c>' for row in rows)
        + "</all>"
    ).encode()


def _parquet(rows: Rows) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(
        pa.table({"key": [str(row["id"]) for row in rows], "gone": [row["y"] for row in rows]}), out
    )
    return out.getvalue()


def _positions(rows: Rows) -> bytes:
    return "\n".join(_word_of(row) for row in sorted(rows, key=lambda row: str(row["id"]))).encode()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _media(
    suffix: str, content: Callable[[random.Random, int], bytes], count: int = 240
) -> Callable[[], Files]:
    """A table of labels and one file for each row."""

    def make() -> Files:
        chance = _chance(suffix)
        rows, files = list[Row](), dict[str, bytes]()
        for number in chance.sample(range(16**7, 16**8), count):
            y = chance.randrange(2)
            rows.append({"id": f"{number:08x}", "y": y})
            files[f"media/{number:08x}{suffix}"] = content(chance, y)
        return files | {"train.csv": csv_bytes(rows)}

    return make


def picture(chance: random.Random, *, size: tuple[int, int] = (24, 24), mode: str = "L") -> Any:
    from PIL import Image

    width, height = size
    values = np.array([chance.randrange(256) for _ in range(36)], dtype=np.uint8).reshape(6, 6)
    return Image.fromarray(values).resize((width, height), Image.Resampling.BICUBIC).convert(mode)


def _png(image: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def _with_text(chance: random.Random, y: int) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("Software", ["scanner A", "scanner B"][y])
    return _png(picture(chance), pnginfo=info)


def _exif(chance: random.Random, y: int) -> bytes:
    from PIL import Image

    exif = Image.Exif()
    exif[272] = ["C-100", "D-200"][y]
    out = io.BytesIO()
    picture(chance).save(out, "JPEG", exif=exif)
    return out.getvalue()


def sound(chance: random.Random, *, rate: int = 8000, channels: int = 1, frames: int = 400) -> bytes:
    out = io.BytesIO()
    pitch, phase = chance.uniform(200, 900), chance.uniform(0, 6)
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        values = [
            int(9000 * math.sin(phase + step * pitch / 8000) + chance.gauss(0, 900)) for step in range(frames)
        ]
        file.writeframes(b"".join(struct.pack("<h", value) * channels for value in values))
    return out.getvalue()


def _folders() -> Files:
    chance = _chance("folders")
    rows, files = list[Row](), dict[str, bytes]()
    for number in chance.sample(range(16**7, 16**8), 160):
        y = chance.randrange(2)
        rows.append({"id": f"{number:08x}", "y": y})
        for frame in range(2 + 2 * y):
            files[f"media/{number:08x}/{frame}.bin"] = chance.randbytes(80)
    return files | {"train.csv": csv_bytes(rows)}


def _copies(
    change: Callable[[random.Random, bytes], bytes], suffix: str, first: Callable[[random.Random], bytes]
) -> Callable[[], Files]:
    def make() -> Files:
        chance = _chance("copies" + suffix)
        rows, files = list[Row](), dict[str, bytes]()
        numbers = chance.sample(range(16**7, 16**8), 320)
        for number, again in zip(numbers[:200], numbers[200:] + [0] * 80, strict=True):
            y, data = chance.randrange(2), first(chance)
            for one, content in ((number, data), (again, change(chance, data))):
                if one:
                    rows.append({"id": f"{one:08x}", "y": y})
                    files[f"media/{one:08x}{suffix}"] = content
        chance.shuffle(rows)
        return files | {"train.csv": csv_bytes(rows)}

    return make


def _noisy_picture(chance: random.Random, data: bytes) -> bytes:
    from PIL import Image

    values = np.array(Image.open(io.BytesIO(data))).astype(int)
    noise = np.array([chance.randint(-3, 3) for _ in range(values.size)]).reshape(values.shape)
    return _png(Image.fromarray(np.clip(values + noise, 0, 255).astype(np.uint8)))


def _noisy_sound(chance: random.Random, data: bytes) -> bytes:
    values = np.frombuffer(data[44:], "<i2").astype(int)
    noise = np.array([chance.randint(-60, 60) for _ in range(values.size)])
    return data[:44] + np.clip(values + noise, -32768, 32767).astype("<i2").tobytes()


def _noisy_rows(noise: float) -> Callable[[], Files]:
    def make() -> Files:
        chance = _chance("noisy rows")
        numbers = iter(chance.sample(range(16**7, 16**8), 500))
        rows: Rows = []
        for place in range(350):
            values = {name: chance.gauss(0, 1) for name in "abcdef"}
            y = chance.randrange(2)
            for again in range(2 if place < 150 else 1):
                near = {
                    name: f"{value + again * chance.gauss(0, noise):.5f}" for name, value in values.items()
                }
                rows.append({"id": f"{next(numbers):08x}", **near, "y": y})
        chance.shuffle(rows)
        return {"train.csv": csv_bytes(rows)}

    return make


PLANTED: dict[str, tuple[Callable[[], Files], SplitSpec, str]] = {
    # Views of one column.
    "blank cells": (_column(lambda c, y: "" if y else f"{c.gauss(0, 1):.3f}"), TABLE, "'x'"),
    "length of a code": (_column(lambda c, y: _word(c, 6 + y)), TABLE, "'x'"),
    "number of decimals": (_column(lambda c, y: f"{c.uniform(1, 9):.{3 + y}f}1"), TABLE, "'x'"),
    "last digit": (
        _column(lambda c, y: f"{c.randrange(10**5)}{c.choice('02468' if y else '13579')}"),
        TABLE,
        "'x'",
    ),
    "space at the end": (_column(lambda c, y: _word(c, 5) + " " * y), TABLE, "'x'"),
    "two spaces inside": (_column(lambda c, y: _word(c, 5) + " " * (1 + y) + _word(c, 4)), TABLE, "'x'"),
    "no-break space": (_column(lambda c, y: _word(c, 5) + " \u00a0"[y] + _word(c, 4)), TABLE, "'x'"),
    "zero-width letter": (_column(lambda c, y: _word(c, 5) + "\u200b" * y + _word(c, 4)), TABLE, "'x'"),
    "trailing zeros": (_column(lambda c, y: f"{c.uniform(1, 9):.2f}1" + "0" * y), TABLE, "'x'"),
    "capitals": (_column(lambda c, y: _word(c, 5).title() if y else _word(c, 5)), TABLE, "'x'"),
    "letters of another script": (_column(lambda c, y: _word(c, 3) + "aа"[y] + _word(c, 3)), TABLE, "'x'"),
    "sign": (_column(lambda c, y: f"{(1 - 2 * y) * c.uniform(0.1, 9):.3f}"), TABLE, "'x'"),
    "exponents": (_column(lambda c, y: f"{c.uniform(1, 999):.3{'fe'[y]}}"), TABLE, "'x'"),
    "leading zeros": (_column(lambda c, y: "0" * y + str(c.randrange(1000, 9999))), TABLE, "'x'"),
    "number of words": (
        _column(lambda c, y: " ".join(_word(c, c.randint(2, 6)) for _ in range(4 + y))),
        TABLE,
        "'x'",
    ),
    "full stop": (_column(lambda c, y: _word(c, 5) + " " + _word(c, 7) + "." * y), TABLE, "'x'"),
    "label by month": (
        _column(lambda c, y: _day(c, lambda day: (day.month < 7) == bool(y)).isoformat()),
        TABLE,
        "'x'",
    ),
    "label by weekday": (
        _column(lambda c, y: _day(c, lambda day: (day.weekday() > 4) == bool(y)).isoformat()),
        TABLE,
        "'x'",
    ),
    "label by second": (
        _column(
            lambda c, y: (datetime(2020, 1, 1) + timedelta(seconds=2 * c.randrange(10**7) + y)).isoformat(" ")
        ),
        TABLE,
        "'x'",
    ),
    "third letter": (
        _column(lambda c, y: _word(c, 2) + c.choice("aeiou" if y else "bcdfg") + _word(c, 3)),
        TABLE,
        "'x'",
    ),
    "number by length": (
        lambda: {
            "train.csv": csv_bytes(
                [
                    row
                    | {
                        "x": _word(
                            _chance(row["id"]),
                            5 + int(hashlib.md5(str(row["id"]).encode()).hexdigest(), 16) % 40,
                        ),
                        "y": int(hashlib.md5(str(row["id"]).encode()).hexdigest(), 16) % 40 * 3,
                    }
                    for row in rows_of(_chance("length"))
                ]
            )
        },
        NUMBER,
        "'x'",
    ),
    # Ids.
    "digit sum of the id": (
        _ids(lambda c, y: _numbers(c, lambda n: sum(map(int, str(n))) % 2 == y)),
        TABLE,
        "'id'",
    ),
    "id modulo 3": (_ids(lambda c, y: _numbers(c, lambda n: n % 3 == y), classes=3), TABLE, "'id'"),
    "id modulo 7": (_ids(lambda c, y: _numbers(c, lambda n: n % 7 % 3 == y), classes=3), TABLE, "'id'"),
    "hexadecimal id modulo 5": (
        _ids(lambda c, y: f"{int(_numbers(c, lambda n: n % 5 % 2 == y)):08x}"),
        TABLE,
        "'id'",
    ),
    "third letter of the id": (_ids(lambda c, y: _word(c, 2) + "kq"[y] + _word(c, 6)), TABLE, "'id'"),
    "length of the id": (_ids(lambda c, y: _word(c, 8 + y)), TABLE, "'id'"),
    # Side tables.
    "side table by a feature": (_by_feature, TABLE, "'mood'"),
    "two hops": (_two_hops, TABLE, "'left'"),
    "number of events": (_beside("events.csv", _events), TABLE, "events.csv"),
    "last event": (_beside("events.csv", _last_event), TABLE, "'status'"),
    "hashed ids": (
        _beside(
            "crm.csv",
            lambda rows: csv_bytes(
                [{"key": hashlib.md5(str(row["id"]).encode()).hexdigest(), "gone": row["y"]} for row in rows]
            ),
        ),
        TABLE,
        "'gone'",
    ),
    "ids with a prefix": (
        _beside(
            "crm.csv",
            lambda rows: csv_bytes([{"key": f"user_{row['id']}", "gone": row["y"]} for row in rows]),
        ),
        TABLE,
        "'gone'",
    ),
    "ids in capitals": (
        _beside(
            "crm.csv",
            lambda rows: csv_bytes([{"key": str(row["id"]).upper(), "gone": row["y"]} for row in rows]),
        ),
        TABLE,
        "'gone'",
    ),
    "lines in the order of ids": (_beside("notes.txt", _positions), TABLE, "notes.txt"),
    # Containers.
    "SQLite": (_beside("store.db", _sqlite), TABLE, "store.db"),
    "JSON in a .bin": (
        _beside(
            "cache.bin", lambda rows: json.dumps({str(row["id"]): _word_of(row) for row in rows}).encode()
        ),
        TABLE,
        "cache.bin",
    ),
    "tar.gz": (_beside("backup.tar.gz", _tar), TABLE, "backup.tar.gz"),
    "zip in a zip": (_beside("backup.zip", _zip_in_zip), TABLE, "backup.zip"),
    "array in the order of ids": (_beside("features.npy", _array), TABLE, "features.npy"),
    "one line, gzipped": (
        _beside(
            "log.gz",
            lambda rows: gzip.compress(" ".join(f"{row['id']}={_word_of(row)};" for row in rows).encode()),
        ),
        TABLE,
        "log.gz",
    ),
    "pickle": (
        _beside(
            "model.bin",
            lambda rows: pickle.dumps(
                [(row["id"], f"{_word_of(row)} {row['id']}"[:5].strip()) for row in rows]
            ),
        ),
        TABLE,
        "model.bin",
    ),
    "XML in one line": (_beside("dump.xml", _xml), TABLE, "dump.xml"),
    "Parquet under another suffix": (_beside("dump.dat", _parquet), TABLE, "dump.dat"),
    "base64": (
        _beside(
            "blob.txt",
            lambda rows: base64.encodebytes("\n".join(f"{row['id']},{row['y']}" for row in rows).encode()),
        ),
        TABLE,
        "blob.txt",
    ),
    # Files of rows.
    "size of the file": (
        _media(".bin", lambda c, y: c.randbytes(400 + 30 * y + c.randrange(20))),
        TABLE,
        "size of",
    ),
    "comment in the header": (_media(".png", _with_text), TABLE, "Software"),
    "EXIF": (_media(".jpg", _exif), TABLE, "Model"),
    "dimensions": (_media(".png", lambda c, y: _png(picture(c, size=(24 + 2 * y, 24)))), TABLE, "width of"),
    "mode of the picture": (_media(".png", lambda c, y: _png(picture(c, mode="LP"[y]))), TABLE, "mode of"),
    "sample rate": (_media(".wav", lambda c, y: sound(c, rate=8000 + 3025 * y)), TABLE, "sample rate"),
    "channels": (
        _media(".wav", lambda c, y: sound(c, channels=1 + y, frames=400 // (1 + y))),
        TABLE,
        "channels",
    ),
    "duration": (
        _media(".wav", lambda c, y: sound(c, frames=300 + 40 * y + c.randrange(30))),
        TABLE,
        "duration",
    ),
    "first bytes": (
        _media(
            ".bin",
            lambda c, y: b"HEAD" + c.randbytes(3) + bytes([c.choice([1, 2]) + 2 * y]) + c.randbytes(90),
        ),
        TABLE,
        "byte",
    ),
    "last bytes": (_media(".bin", lambda c, y: c.randbytes(90) + b"\r\n"[y : y + 1]), TABLE, "byte"),
    "files in the folder": (_folders, TABLE, "number of files"),
    # Near copies.
    "rows with noise": (_noisy_rows(0.01), TABLE, "near copies"),
    "pictures with noise": (
        _copies(_noisy_picture, ".png", lambda c: _png(picture(c))),
        TABLE,
        "near copies",
    ),
    "sounds with noise": (_copies(_noisy_sound, ".wav", sound), TABLE, "near copies"),
}
"""Data, task, and words that the finding must say."""


def _frame(values: Any, target: Any, chance: random.Random) -> Files:
    ids = iter(chance.sample(range(16**7, 16**8), len(target)))
    order = list(range(len(target)))
    chance.shuffle(order)
    rows: Rows = [
        {
            "id": f"{next(ids):08x}",
            **{f"f{k}": value for k, value in enumerate(values[place])},
            "y": target[place],
        }
        for place in order
    ]
    return {"train.csv": csv_bytes(rows)}


def _digit_pictures(chance: random.Random) -> Files:
    from PIL import Image
    from sklearn.datasets import load_digits

    found = load_digits()
    rows, files = list[Row](), dict[str, bytes]()
    for place, number in enumerate(chance.sample(range(16**7, 16**8), 500)):
        rows.append({"id": f"{number:08x}", "y": int(found.target[place])})
        files[f"media/{number:08x}.png"] = _png(Image.fromarray((found.images[place] * 15).astype(np.uint8)))
    return files | {"train.csv": csv_bytes(rows)}


def _shop(chance: random.Random) -> Files:
    """Dates, free texts, prices, a table of events and one of shops: as data come, telling nothing."""
    rows, events = list[Row](), list[Row]()
    for number in chance.sample(range(10**6, 10**7), 400):
        y, shop = chance.randrange(2), chance.randrange(12)
        rows.append(
            {
                "id": str(number),
                "day": _day(chance, lambda _: True).isoformat(),
                "note": " ".join(
                    _word(chance, chance.randint(2, 9)) for _ in range(chance.randint(0, 9) + 2 * y)
                ),
                "price": round(chance.lognormvariate(3 + 0.5 * y, 1), chance.choice([0, 1, 2])),
                "shop": f"s{shop}",
                "y": y,
            }
        )
        for _ in range(chance.randint(0, 4 + y)):
            events.append(
                {
                    "id": str(number),
                    "kind": chance.choice(["buy", "look"]),
                    "value": f"{chance.gauss(y, 2):.2f}",
                }
            )
    shops: Rows = [
        {"shop": f"s{one}", "town": _word(chance, 6), "size": chance.randrange(99)} for one in range(12)
    ]
    return {"train.csv": csv_bytes(rows), "events.csv": csv_bytes(events), "shops.csv": csv_bytes(shops)}


def clean_sets() -> Iterator[tuple[str, Files, SplitSpec]]:
    """Forty data sets in which nothing tells: real ones of scikit-learn, and generated ones of every kind."""
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        found = getattr(datasets, f"load_{name}")()
        spec = NUMBER if name == "diabetes" else TABLE
        yield f"real {name}", _frame(found.data.tolist(), found.target.tolist(), _chance(name)), spec
    yield "real digits as pictures", _digit_pictures(_chance("digits")), TABLE
    for name, (make, spec, _) in SETS.items():
        for seed in range(2):
            yield f"{name} {seed}", make(_chance(f"clean {name} {seed}")), spec
    for seed in range(3):
        yield f"shop {seed}", _shop(_chance(f"shop {seed}")), TABLE
        chance = _chance(f"sounds {seed}")
        yield f"sounds {seed}", _media(".wav", lambda c, _: sound(c, frames=300 + c.randrange(200)))(), TABLE
        yield f"pictures {seed}", _media(".png", lambda c, y: png(c, 90 + 30 * y), 200)(), TABLE
        made = datasets.make_classification(400, 12, random_state=seed)
        yield f"made classes {seed}", _frame(np.round(made[0], 4).tolist(), made[1].tolist(), chance), TABLE
        made = datasets.make_regression(400, 8, noise=20, random_state=seed)
        yield (
            f"made numbers {seed}",
            _frame(np.round(made[0], 4).tolist(), np.round(made[1], 3).tolist(), chance),
            NUMBER,
        )


def table_of(files: Files) -> Rows:
    return list(csv.DictReader(io.StringIO(files["train.csv"].decode(), newline="")))
