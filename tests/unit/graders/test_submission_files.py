"""Reading submissions: exact text, every common form; hostile files get a reason, in bounded memory."""

import gzip
import json
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from graders.submission import FileLimits, GradeReason, RefusedError, load_json, load_lines, load_table

SMALL = FileLimits(
    file=200_000, tree=100_000, header=2_000, line=50_000, columns=100, ratio=20, ratio_from=50_000
)


def refusal(path: Path, **options: object) -> GradeReason:
    with pytest.raises(RefusedError) as caught:
        load_table(path, **options)  # type: ignore[arg-type]
    (problem,) = caught.value.problems
    assert problem.message.endswith(".")
    return problem.code


def written(folder: Path, content: bytes | str, name: str = "submission.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


PLAIN = {"id": ["1", "2"], "y": ["0.5", "a b"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("submission.csv", b"id,y\n1,0.5\n2,a b\n"),
        ("submission.csv", b"id,y\n1,0.5\n2,a b"),
        ("submission.csv", b"\xef\xbb\xbfid,y\r\n1,0.5\r\n2,a b\r\n"),
        ("submission.csv", b"id,y\r1,0.5\r2,a b\r"),
        ("submission.csv", b'"id","y"\n"1","0.5"\n"2","a b"\n'),
        ("submission.csv", b"id,y\n\n1,0.5\n\n2,a b\n\n"),
        ("submission.csv", b"id;y\n1;0.5\n2;a b\n"),
        ("submission.tsv", b"id\ty\n1\t0.5\n2\ta b\n"),
        ("submission.csv", gzip.compress(b"id,y\n1,0.5\n2,a b\n", mtime=0)),
        ("submission.csv.gz", gzip.compress(b"id,y\n1,0.5\n2,a b\n", mtime=0)),
        ("submission.json", b'[{"id": 1, "y": 0.5}, {"y": "a b", "id": "2"}]'),
        ("submission.json", b'{"id": [1, 2], "y": [0.5, "a b"]}'),
        ("submission.jsonl", b'{"id": 1, "y": 0.5}\n\n{"id": 2, "y": "a b"}\n'),
    ],
)
def test_case_30_every_common_form_of_a_table_is_read_to_the_same_text(
    tmp_path: Path, name: str, content: bytes
) -> None:
    table = load_table(written(tmp_path, content, name))
    assert {column: table.texts(column) for column in table.names} == PLAIN


def test_parquet_is_read_with_its_types(tmp_path: Path) -> None:
    data = pa.table(
        {
            "id": pa.array([1, 2], pa.int32()),
            "y": pa.array([0.5, None], pa.float32()),
            "t": ["", "NA"],
            "flag": [True, False],
            "best": [["a", "b"], []],
        }
    )
    pq.write_table(data, tmp_path / "submission.parquet")
    table = load_table(tmp_path / "submission.parquet")
    assert table.texts("id") == ["1", "2"]
    assert table.numbers("y").values[0] == 0.5
    assert table.numbers("y").blank.tolist() == [False, True]
    assert table.texts("t") == ["", "NA"]
    assert table.texts("flag") == ["True", "False"]
    assert table.texts("best") == ['["a", "b"]', "[]"]


@pytest.mark.parametrize(
    "text", ["", "NA", "nan", "null", "None", " x ", "007", "1.50", 'say "hi"', "a\nb", "é✓", "true"]
)
def test_case_29_text_is_read_as_it_was_written_and_never_as_nan(tmp_path: Path, text: str) -> None:
    quoted = text.replace('"', '""')
    table = load_table(written(tmp_path, f'id,y\n1,"{quoted}"\n'))
    assert table.texts("y") == [text]


@pytest.mark.parametrize("typed", [(), ("y",)])
def test_numbers_are_read_exactly_and_what_is_none_is_told_apart(
    tmp_path: Path, typed: tuple[str, ...]
) -> None:
    cells = [
        "0.1",
        " 2 ",
        "-3e2",
        "+4",
        ".5",
        "1e-320",
        "inf",
        "-Infinity",
        "",
        "NaN",
        "NA",
        "0x10",
        "1_0",
        "½",
    ]
    table = load_table(
        written(tmp_path, "id,y\n" + "".join(f"{i},{c}\n" for i, c in enumerate(cells))), numbers=typed
    )
    numbers = table.numbers("y")
    expected = [0.1, 2, -300, 4, 0.5, 1e-320, np.inf, -np.inf, *[np.nan] * 6]
    np.testing.assert_array_equal(numbers.values, expected)
    assert numbers.blank.tolist() == [False] * 8 + [True] * 3 + [False] * 3
    assert numbers.not_numeric.tolist() == [False] * 11 + [True] * 3


def test_numbers_parsed_straight_from_the_file_equal_those_cast_from_text(tmp_path: Path) -> None:
    values = np.random.default_rng(0).standard_normal(1000) * 10.0 ** np.arange(-500, 500, dtype=float).clip(
        -300, 300
    )
    path = written(tmp_path, "id,y\n" + "".join(f"{i},{v!r}\n" for i, v in enumerate(values.tolist())))
    straight, cast = load_table(path, numbers=["y"]), load_table(path)
    np.testing.assert_array_equal(straight.numbers("y").values, values)
    np.testing.assert_array_equal(cast.numbers("y").values, values)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", GradeReason.EMPTY_FILE),
        (b"\xef\xbb\xbf\n \n", GradeReason.EMPTY_FILE),
        (b"id,y\n", GradeReason.NO_ROWS),
        (b"id,y", GradeReason.NO_ROWS),
        (b"id,y\n1,\xff\xfe\n", GradeReason.NOT_UTF8),
        (b"i\xe9,y\n1,2\n", GradeReason.NOT_UTF8),
        ("id,y\n1,2\n".encode("utf-16"), GradeReason.NOT_UTF8),
        (b"id,y\n1,2,3\n4,5\n", GradeReason.RAGGED_ROW),
        (b"id,id\n1,2\n", GradeReason.DUPLICATE_COLUMN),
        (b"a," * 150 + b"b\n", GradeReason.TOO_MANY_COLUMNS),
        (b"a," * 90_000, GradeReason.TOO_MANY_COLUMNS),
        (b"x" * 90_000, GradeReason.LINE_TOO_LONG),
        (gzip.compress(b"id,y\n1,2\n", mtime=0)[:-9], GradeReason.BAD_ARCHIVE),
        (gzip.compress(b"id,y\n" + b"0" * 150_000, mtime=0), GradeReason.BAD_ARCHIVE),
        (b"id,y\n" + b"1,2\n" * 60_000, GradeReason.TOO_LARGE),
        (b"PK\x03\x04 and more", GradeReason.BAD_ARCHIVE),
        (b"\xfd7zXZ\0 and more", GradeReason.BAD_ARCHIVE),
    ],
)
def test_case_30_unusable_csv_files_get_a_reason(tmp_path: Path, content: bytes, code: GradeReason) -> None:
    assert refusal(written(tmp_path, content), limits=SMALL) is code


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("s.json", b"", GradeReason.EMPTY_FILE),
        ("s.json", b"{", GradeReason.UNREADABLE),
        ("s.json", b"[" * 90_000, GradeReason.UNREADABLE),
        ("s.json", b"[1, 2]", GradeReason.UNREADABLE),
        ("s.json", b'{"a": {"b": 1}}', GradeReason.UNREADABLE),
        ("s.json", b"[]", GradeReason.NO_ROWS),
        ("s.json", b'[{"a": 1}, {"b": 1}]', GradeReason.RAGGED_ROW),
        ("s.json", b'[{"a": "\\ud800"}]', GradeReason.NOT_UTF8),
        ("s.json", b'["' + b"x" * 150_000, GradeReason.TOO_LARGE),
        ("s.jsonl", b'{"a": 1}\n{"a": ', GradeReason.UNREADABLE),
        ("s.jsonl", b'{"a": "' + b"x" * 90_000, GradeReason.LINE_TOO_LONG),
        ("s.parquet", b"PAR1 and nothing else PAR1", GradeReason.UNREADABLE),
        ("s.parquet", b"id,y\n1,2\n", GradeReason.UNREADABLE),
        ("s.parquet", b"", GradeReason.EMPTY_FILE),
    ],
)
def test_case_30_unusable_json_and_parquet_files_get_a_reason(
    tmp_path: Path, name: str, content: bytes, code: GradeReason
) -> None:
    assert refusal(written(tmp_path, content, name), limits=SMALL) is code


def test_a_parquet_file_that_repeats_one_long_text_is_refused_before_it_fills_memory(tmp_path: Path) -> None:
    long = pa.array(["x" * 1_000_000])
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), long)
    pq.write_table(pa.table({"id": column}), tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 200_000
    assert refusal(tmp_path / "bomb.parquet", limits=FileLimits(file=50_000_000)) is GradeReason.TOO_LARGE


def test_a_parquet_file_that_holds_far_more_than_its_size_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": np.zeros(100_000)}), tmp_path / "bomb.parquet")
    assert (tmp_path / "bomb.parquet").stat().st_size < 10_000
    limits = FileLimits(ratio=50, ratio_from=500_000)
    assert refusal(tmp_path / "bomb.parquet", limits=limits) is GradeReason.BAD_ARCHIVE


def test_case_30_what_is_no_ordinary_file_inside_the_run_gets_a_reason(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    outside = written(tmp_path, "id,y\n1,2\n", "secret.csv")
    (run / "link.csv").symlink_to(outside)
    (run / "loop.csv").symlink_to("loop.csv")
    (run / "folder.csv").mkdir()
    os.mkfifo(run / "pipe.csv")
    assert refusal(run / "link.csv", inside=run) is GradeReason.OUTSIDE_RUN
    assert refusal(run / "../secret.csv", inside=run) is GradeReason.OUTSIDE_RUN
    assert refusal(run / "loop.csv", inside=run) is GradeReason.NOT_A_FILE
    assert refusal(run / "folder.csv", inside=run) is GradeReason.NOT_A_FILE
    assert refusal(run / "pipe.csv", inside=run) is GradeReason.NOT_A_FILE
    assert refusal(run / "absent.csv", inside=run) is GradeReason.NO_SUBMISSION
    inner = written(run, "id,y\n1,2\n", "real.csv")
    (run / "inner.csv").symlink_to(inner)
    assert load_table(run / "inner.csv", inside=run).rows == 1


def test_case_30_two_gigabytes_of_one_line_are_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"id,y\n1,")
        file.truncate(2_000_000_000)
    tracemalloc.start()
    try:
        assert refusal(path) is GradeReason.TOO_LARGE
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_long_line_within_the_limit_is_read(tmp_path: Path) -> None:
    mask = "1 2 " * 1_500_000
    table = load_table(written(tmp_path, f"id,mask\n1,{mask}\n2,3 4\n"))
    assert [len(text) for text in table.texts("mask")] == [len(mask), 3]


def test_ragged_rows_are_counted_with_their_positions(tmp_path: Path) -> None:
    with pytest.raises(RefusedError) as caught:
        load_table(written(tmp_path, "id,y\n1,2\n3\n4,5\n6,7,8\n"))
    (problem,) = caught.value.problems
    assert (problem.count, problem.positions) == (2, (2, 4))


def test_documents_keep_their_types_and_refuse_repeated_keys(tmp_path: Path) -> None:
    assert load_json(written(tmp_path, json.dumps({"a": [0.5, "1"]}), "s.json")) == {"a": [0.5, "1"]}
    with pytest.raises(RefusedError) as caught:
        load_json(written(tmp_path, '{"a": 1, "a": 2}', "s.json"))
    assert caught.value.problems[0].code is GradeReason.DUPLICATE_ID


def test_lines_are_read_without_their_ends(tmp_path: Path) -> None:
    assert load_lines(written(tmp_path, "a,b\r\n\nc", "s.txt")) == ["a,b", "", "c"]
