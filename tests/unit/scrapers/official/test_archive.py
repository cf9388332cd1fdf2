"""A downloaded leaderboard is read strictly: what is not plainly right is refused with its reason."""

import io
import struct
import zipfile

import pytest

from core.errors import BoardUnreadableError
from scrapers.official.archive import iso_moment, read_board_archive
from tests.kaggle_api_server import archive_of

HEADER = "Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount,TeamMemberUserNames\n"
GOOD = (
    "\ufeff" + HEADER + '1,11,"Two, with a comma",2020-09-15 16:57:52,0.98760,12,a\n'
    '2,12,"  spaces ",2020-09-15 16:57:52.123456789,0.9,3,"b,c"\n'
    "0,13,A benchmark,,0.50000,,\n4,14,名前 😀,,,1,d\n"
)


def read(content: bytes) -> list[tuple[int, int | None, str, str, int | None]]:
    rows = read_board_archive(content, "http://x/").values()
    return [(row.position, row.rank, row.team, row.score_text, row.entries) for row in rows]


def test_rows_are_kept_as_printed_in_their_order() -> None:
    assert read(archive_of(GOOD)) == [
        (1, 1, "Two, with a comma", "0.98760", 12),
        (2, 2, "  spaces ", "0.9", 3),
        (3, 0, "A benchmark", "0.50000", None),
        (4, 4, "名前 😀", "", 1),
    ]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2020-09-15 16:57:52", "2020-09-15T16:57:52Z"),
        ("2020-09-15T16:57:52+02:00", "2020-09-15T14:57:52Z"),
        ("3h", "3h"),
        ("", None),
    ],
)
def test_times_are_written_as_the_pages_write_them(text: str, moment: str | None) -> None:
    assert iso_moment(text) == moment


def several(*files: tuple[str, str]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files:
            archive.writestr(name, text)
    return held.getvalue()


def lying_about_its_size(claimed: int) -> bytes:
    """An archive whose directory claims another size of its file than it has."""
    content = bytearray(archive_of(GOOD))
    at = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, at + 24, claimed)
    return bytes(content)


def with_flag(flag: int) -> bytes:
    content = bytearray(archive_of(GOOD))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", content, content.rindex(signature) + offset, flag)
    return bytes(content)


def with_a_flipped_byte() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("public.csv", GOOD)
    return held.getvalue().replace(b"0.98760", b"0.98761", 1)


BAD_ARCHIVES = {
    "a page instead": (b"<!doctype html><title>Kaggle</title>", "no zip archive"),
    "nothing": (b"", "no zip archive"),
    "cut short": (archive_of(GOOD)[:-30], "damaged"),
    "cut in half": (archive_of(GOOD)[:100], "damaged"),
    "a flipped byte": (with_a_flipped_byte(), "damaged"),
    "a bomb": (archive_of(HEADER + "0" * 30_000_000), "bytes in"),
    "a size that is not true": (lying_about_its_size(40), "damaged|another number of bytes"),
    "a path upwards": (archive_of(GOOD, "../../x.csv"), "leaves it"),
    "an absolute path": (archive_of(GOOD, "/etc/x.csv"), "leaves it"),
    "a path of another system": (archive_of(GOOD, "..\\x.csv"), "leaves it"),
    "no table": (archive_of(GOOD, "x.txt"), "0 tables"),
    "no entry": (several(), "no zip archive"),
    "two tables": (several(("a.csv", GOOD), ("b.csv", GOOD)), "2 tables"),
    "very many entries": (several(*((f"{n}.csv", "") for n in range(50))), "50 entries"),
    "encrypted": (with_flag(1), "encrypted"),
}


@pytest.mark.parametrize("name", sorted(BAD_ARCHIVES))
def test_an_archive_that_is_not_plainly_right_is_refused(name: str) -> None:
    content, reason = BAD_ARCHIVES[name]
    with pytest.raises(BoardUnreadableError, match=reason):
        read_board_archive(content, "http://x/")


def test_of_two_tables_the_one_that_is_called_public_is_read() -> None:
    other = GOOD.replace("0.98760", "0.1")
    assert read(several(("x-private.csv", other), ("x-publicleaderboard.csv", GOOD)))[0][3] == "0.98760"


BAD_TABLES = {
    "empty": ("", "columns none"),
    "no score": ("Rank,TeamId,TeamName\n1,2,a\n", "columns Rank"),
    "a column twice": (HEADER.replace("Rank", "Score") + "1,2,a,,1,1,b\n", "columns Score"),
    "a short row": (HEADER + "1,2,a\n", "row 1 has 3 cells"),
    "a long row": (HEADER + "1,2,a,,0.5,1,b,c\n", "row 1 has 8 cells"),
    "a rank in words": (HEADER + "first,2,a,,0.5,1,b\n", "the rank 'first'"),
    "a negative rank": (HEADER + "-1,2,a,,0.5,1,b\n", "the rank '-1'"),
    "no rank": (HEADER + ",2,a,,0.5,1,b\n", "the rank ''"),
    "a team twice": (HEADER + "1,2,a,,0.5,1,b\n2,2,a,,0.4,1,b\n", "row 2 has the team"),
    "a quote that never ends": (HEADER + '1,2,"a,,0.5,1,b\n', "no CSV"),
}


@pytest.mark.parametrize("name", sorted(BAD_TABLES))
def test_a_table_with_a_bad_row_is_refused_as_a_whole(name: str) -> None:
    text, reason = BAD_TABLES[name]
    with pytest.raises(BoardUnreadableError, match=reason):
        read_board_archive(archive_of(text), "http://x/")


def test_a_table_in_another_encoding_is_refused() -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("public.csv", (HEADER + "1,2,é,,0.5,1,b\n").encode("latin-1"))
    with pytest.raises(BoardUnreadableError, match="not UTF-8"):
        read_board_archive(held.getvalue(), "http://x/")
