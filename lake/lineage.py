"""Where a grade, task, board or page comes from: back to the captures, and to the raw bytes that were read.

Every step is looked up, none is assumed: what the lake does not hold is a node that says what is missing.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.errors import LakeError, UsageError
from lake.rows import BoardHeadRow, CaptureRow, GradeRow, TaskRow
from lake.store import Lake
from lake.tables import BATCH, BOARDS, CAPTURES, DIFFICULTIES, GRADES, TASKS, WRITTEN_AT, Table
from lake.views import quoted

_SITE = "site"
"""The page of evidence that is no page: what the site states in its data, kept in `competitions`."""
_SHA256_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Origin:
    """One thing in the lake, and what it was made from."""

    kind: str
    """`grade`, `release`, `task`, `board`, `capture` or `raw`."""
    id: str
    facts: Mapping[str, str] = field(default_factory=dict)
    missing: str | None = None
    """What the lake should hold here and does not; None: it is there."""
    sources: tuple["Origin", ...] = ()


class _Asked(Protocol):
    def __call__(self, lake: Lake, identifier: str) -> Sequence[Origin]: ...


def trace(lake: Lake, identifier: str) -> tuple[Origin, ...]:
    """The origins of what this names: RUN/TASK, RUN/SEED/TASK, a task, a board, a capture, raw bytes.

    Raises:
        UsageError: the lake has nothing of that name.
    """
    ways: tuple[_Asked, ...] = (_grades, _tasks, _boards, _captures)
    for way in ways:
        found = tuple(way(lake, identifier))
        if found:
            return found
    raise UsageError(
        f"The lake has no grade, task, board, capture or raw bytes {identifier!r}. A grade is RUN/TASK or "
        f'RUN/SEED/TASK; `tam sql "FROM tasks"` lists the tasks.'
    )


def missing(origins: Sequence[Origin]) -> Iterator[Origin]:
    """Everything below these that should be there and is not."""
    for origin in origins:
        if origin.missing is not None:
            yield origin
        yield from missing(origin.sources)


def _grades(lake: Lake, identifier: str) -> list[Origin]:
    run, _, task = identifier.rpartition("/")
    if not run:
        return []
    found = lake.read(GRADES, run=run, task_id=task)
    plain, _, seed = run.rpartition("/")
    if not found and seed.isdecimal():
        found = lake.read(GRADES, run=plain, seed=int(seed), task_id=task)
    return [_grade(lake, row) for row in sorted(found, key=lambda row: row.seed)]


def _grade(lake: Lake, row: GradeRow) -> Origin:
    facts = _facts(row, ("valid", "reason", "metric_id", "score", "rank", "participants", "subset"))
    facts |= _facts(row, ("submission_sha256", "made_from"))
    state, sources = lake, []
    if row.release is not None:
        try:
            state = lake.at(row.release)
            sources.append(Origin("release", row.release))
        except (LakeError, UsageError) as error:
            sources.append(Origin("release", row.release, missing=f"{error} What follows is the lake now."))
    sources += _tasks(state, row.task_id) or [
        Origin("task", row.task_id, missing="there is no such task in the lake or the release")
    ]
    if row.board_id is not None:
        sources += _board_or_missing(state, row.board_id)
    return Origin("grade", f"{row.run}/{row.seed}/{row.task_id}", facts, sources=tuple(sources))


def _tasks(lake: Lake, identifier: str) -> list[Origin]:
    return [_task(lake, row) for row in lake.read(TASKS, task_id=identifier)]


def _task(lake: Lake, row: TaskRow) -> Origin:
    facts = _facts(row, ("title", "url", "metric_id", "mapper", "model", "made_from"))
    fields = _evidence(row)
    same = {"platform": row.platform, "competition": row.competition}
    captures = _rows(lake, CAPTURES, same)
    pages = {capture.content_sha256: capture for capture, _ in captures}
    proofs = []
    for sha256, named in fields.items():
        said = {"fields": ", ".join(named)}
        if sha256 in pages:
            proofs.append(_capture(lake, pages[sha256], said))
        else:
            gone = "no capture of this page, which fields of the task were read from, is in the lake"
            proofs.append(Origin("capture", sha256, said, missing=gone))
    if not fields:
        proofs = [_capture(lake, capture) for capture in _latest(captures)]
    if not proofs:
        proofs = [Origin("capture", row.page_hash, missing="no page of this competition is in the lake")]
    boards = [one.board_id for one in lake.read(DIFFICULTIES, task_id=row.task_id) if one.board_id]
    measured = [origin for board in dict.fromkeys(boards) for origin in _board_or_missing(lake, board)]
    return Origin("task", row.task_id, facts, sources=(*proofs, *measured))


def _evidence(row: TaskRow) -> dict[str, list[str]]:
    """The fields that were read from each page, by its `content_sha256`."""
    found: dict[str, list[str]] = {}
    for one in json.loads(row.evidence or "[]"):
        if one["page"] != _SITE and one["page_sha256"]:
            named = found.setdefault(one["page_sha256"], [])
            if one["field"] not in named:
                named.append(one["field"])
    return found


def _boards(lake: Lake, identifier: str) -> list[Origin]:
    found = _rows(lake, BOARDS, {"board_id": identifier})
    return [_board(lake, *found[-1])] if found else []


def _board_or_missing(lake: Lake, board_id: str) -> list[Origin]:
    return _boards(lake, board_id) or [
        Origin("board", board_id, missing="there is no such board in the lake")
    ]


def _board(lake: Lake, row: BoardHeadRow, stamp: Mapping[str, Any]) -> Origin:
    facts = _facts(row, ("url", "kind", "track", "fetched_at", "source", "rows_seen", "complete", "sha256"))
    query = f"SELECT count(*) FROM board_rows_history WHERE board_id = {quoted(row.board_id)}"  # noqa: S608
    rows = lake.sql(query).column(0)[0].as_py()
    lost = None if rows == row.rows_seen else f"{rows:,} of its {row.rows_seen:,} rows are in the lake"
    if row.capture_ids:
        read_from = [origin for name in row.capture_ids for origin in _named_capture(lake, name)]
        return Origin("board", row.board_id, facts, lost, tuple(read_from))
    same = {"platform": row.platform, "competition": row.competition, "kind": "board"}
    captures = [
        (capture, one)
        for capture, one in _rows(lake, CAPTURES, same)
        # What was read with the board was written with it, or earlier where it said the same.
        if one[BATCH.name] == stamp[BATCH.name] or one[WRITTEN_AT.name] <= stamp[WRITTEN_AT.name]
    ]
    sources = [_capture(lake, capture) for capture in _latest(captures)] or [
        Origin("capture", row.url, missing="no page of this board is in the lake, only what was read from it")
    ]
    return Origin("board", row.board_id, facts, lost, tuple(sources))


def _named_capture(lake: Lake, capture_id: str) -> list[Origin]:
    found = _captures(lake, capture_id)
    return found or [Origin("capture", capture_id, missing="the board was read from it, but it is not there")]


def _captures(lake: Lake, identifier: str) -> list[Origin]:
    found = _rows(lake, CAPTURES, {"capture_id": identifier})
    if not found and len(identifier) == _SHA256_LENGTH:
        found = _rows(lake, CAPTURES, {"sha256": identifier})
    return [_capture(lake, row) for row in {row.capture_id: row for row, _ in found}.values()]


def _capture(lake: Lake, row: CaptureRow, said: Mapping[str, str] | None = None) -> Origin:
    facts = {**(said or {}), **_facts(row, ("kind", "url", "fetched_at", "status", "media_type"))}
    return Origin("capture", row.capture_id, facts, sources=(_raw(lake, row.sha256, row.size),))


def _raw(lake: Lake, sha256: str, size: int) -> Origin:
    try:
        found = len(lake.get_raw(sha256))
    except LakeError as error:
        return Origin("raw", sha256, missing=str(error))
    lost = None if found == size else f"{found:,} bytes, the capture says {size:,}"
    return Origin("raw", sha256, {"bytes": f"{found:,}", "hash": "checked"}, lost)


def _latest(captures: Sequence[tuple[CaptureRow, Mapping[str, Any]]]) -> list[CaptureRow]:
    """Of each page the capture read last."""
    return list({(row.kind, row.url): row for row, _ in captures}.values())


def _rows(lake: Lake, table: Table[Any], where: Mapping[str, str]) -> list[tuple[Any, Mapping[str, Any]]]:
    """Rows of the table's history, the oldest first, each with the store's columns."""
    conditions = " AND ".join(f"{name} = {quoted(value)}" for name, value in where.items())
    query = f"SELECT * FROM {table.name}_history WHERE {conditions} ORDER BY {table.latest_by}, written_at"  # noqa: S608
    names = table.row_schema.names
    tuples: Callable[[Any], Any] = lambda value: tuple(value) if isinstance(value, list) else value  # noqa: E731
    return [(table.row(*(tuples(row[name]) for name in names)), row) for row in lake.sql(query).to_pylist()]


def _facts(row: object, names: Sequence[str]) -> dict[str, str]:
    """Those of these fields that are known, as text."""
    known = {name: getattr(row, name) for name in names}
    return {name: str(value) for name, value in known.items() if value is not None}
