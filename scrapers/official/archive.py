"""A downloaded leaderboard: the rows of the one CSV in a zip archive. Pure; nothing is ever unpacked."""

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from core.errors import BoardUnreadableError, Reason
from schema.board import BoardRow, parse_score

MOST_BYTES = 64 * 1024 * 1024
"""Of the archive, and again of the table in it: twenty times the largest board known."""
_MOST_RATIO = 200
"""Of the sizes after and before: text packs ten times, a bomb a thousand times."""
_MOST_ENTRIES = 8
_MAGIC = b"PK\x03\x04"
_ENCRYPTED = 0x1
_COLUMNS = ("TeamId", "TeamName", "Score")
"""What a board cannot do without."""
_WHOLE = re.compile(r"\d{1,15}")


def read_board_archive(content: bytes, url: str) -> dict[str, BoardRow]:
    """The rows of a downloaded board by their team's id, in its order.

    The first row with an id stands; rank and score are kept as printed, rank 0 is a benchmark's.

    Raises:
        BoardUnreadableError: no zip archive, cut short, too large, more than one table, a name that leaves
            the archive, or a table with a row of another width, without a rank, or a team twice.
    """
    try:
        return dict(_rows(_table(content, url), url))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise _bad(url, f"the archive is damaged ({error})") from error
    except csv.Error as error:
        raise _bad(url, f"the table is no CSV ({error})") from error


def _table(content: bytes, url: str) -> str:
    if not content.startswith(_MAGIC):
        raise _bad(url, "the answer is no zip archive")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entry = _entry(archive, url)
        if entry.file_size > MOST_BYTES or entry.file_size > _MOST_RATIO * max(1, entry.compress_size):
            raise _bad(url, f"the archive holds {entry.file_size:,} bytes in {entry.compress_size:,}")
        with archive.open(entry) as file:
            data = file.read(entry.file_size + 1)
    if len(data) != entry.file_size:
        raise _bad(url, "the archive holds another number of bytes than it says")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(url, f"the table is not UTF-8 (byte {error.start})") from error


def _entry(archive: zipfile.ZipFile, url: str) -> zipfile.ZipInfo:
    """The one table; its name is looked at only to refuse archives that were made to harm."""
    entries = archive.infolist()
    if not 0 < len(entries) <= _MOST_ENTRIES:
        raise _bad(url, f"the archive has {len(entries)} entries")
    for entry in entries:
        if "/" in entry.filename or "\\" in entry.filename or entry.filename.startswith("."):
            raise _bad(url, f"the archive has an entry that leaves it ({entry.filename[:80]!r})")
    tables = [entry for entry in entries if entry.filename.lower().endswith(".csv")]
    public = [entry for entry in tables if "public" in entry.filename.lower()]
    chosen = tables if len(tables) == 1 else public
    if len(chosen) != 1:
        raise _bad(url, f"the archive has {len(tables)} tables")
    if chosen[0].flag_bits & _ENCRYPTED:
        raise _bad(url, "the archive is encrypted")
    return chosen[0]


def _rows(text: str, url: str) -> Iterator[tuple[str, BoardRow]]:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(lines, [])
    if not set(_COLUMNS) <= set(header) or len(set(header)) < len(header):
        raise _bad(url, f"the table has the columns {', '.join(header)[:200] or 'none'}")
    seen: set[str] = set()
    for position, cells in enumerate((line for line in lines if line), 1):
        if len(cells) != len(header):
            raise _bad(url, f"row {position} has {len(cells)} cells, the header {len(header)}")
        row = dict(zip(header, cells, strict=True))
        if row["TeamId"] in seen:
            raise _bad(url, f"row {position} has the team of another row")
        seen.add(row["TeamId"])
        yield row["TeamId"], _row(position, row, url)


def _row(position: int, row: Mapping[str, str], url: str) -> BoardRow:
    rank = row.get("Rank")
    if rank is not None and not _WHOLE.fullmatch(rank):
        raise _bad(url, f"row {position} has the rank {rank[:40]!r}")
    entries = row.get("SubmissionCount", "")
    return BoardRow(
        position=position,
        rank=None if rank is None else int(rank),
        team=row["TeamName"],
        score=parse_score(row["Score"]),
        score_text=row["Score"],
        entries=int(entries) if _WHOLE.fullmatch(entries) else None,
        last_submission=iso_moment(row.get("LastSubmissionDate")),
    )


def iso_moment(text: str | None) -> str | None:
    """A time as the site's own pages write it (`2020-09-15T16:57:52Z`); what is no time stays as it is."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _bad(url: str, problem: str) -> BoardUnreadableError:
    return BoardUnreadableError(url, problem, Reason.UNREADABLE)
