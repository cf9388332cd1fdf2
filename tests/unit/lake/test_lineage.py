"""A figure is followed back to the raw bytes, and what is missing on the way is named."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any, get_type_hints

import pytest

from core.errors import UsageError
from lake.lineage import Origin, missing, trace
from lake.readings import write_reading
from lake.rows import GradeRow, TaskRow
from lake.store import Lake
from lake.tables import BOARDS, CAPTURES, GRADES, TASKS
from schema.board import Board
from schema.capture import Capture, PageKind

MARKDOWN = "# Cup\n\nScored by accuracy."
RAW = b"<h1>Cup</h1>"


def row_of(kind: type, **values: object) -> Any:  # noqa: ANN401  # one of the lake's rows
    """A row with these values, and empty ones elsewhere."""
    empty: dict[Any, object] = {str: "", int: 0, bool: False, tuple[str, ...]: ()}
    hints = get_type_hints(kind)
    return kind(**{one.name: values.get(one.name, empty.get(hints[one.name])) for one in fields(kind)})


@pytest.fixture
def graded(lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture]) -> Lake:
    """A lake in which one run is graded on one task, whose metric was read from its one page."""
    write_reading(lake, None, [capture(MARKDOWN, raw=RAW)], [board("1", "2")])
    [head] = lake.read(BOARDS)
    sha256 = hashlib.sha256(MARKDOWN.encode()).hexdigest()
    evidence = json.dumps([{"field": "metric_id", "page": "overview", "page_sha256": sha256}])
    task = row_of(TaskRow, task_id="kaggle-cup", platform="kaggle", competition="cup", evidence=evidence)
    lake.append(TASKS, [task])
    lake.freeze("may")
    grade = {"run": "mine", "task_id": "kaggle-cup", "board_id": head.board_id, "score": 0.5}
    lake.append(GRADES, [row_of(GradeRow, seed=seed, release="may", **grade) for seed in (0, 1)])
    return lake


def kinds(origin: Origin) -> list[Any]:
    return [origin.kind, *(kinds(source) for source in origin.sources)]


def test_a_grade_leads_to_the_bytes_of_its_page(graded: Lake) -> None:
    found = trace(graded, "mine/kaggle-cup")
    assert [origin.id for origin in found] == ["mine/0/kaggle-cup", "mine/1/kaggle-cup"]
    assert kinds(found[0]) == [
        "grade",
        ["release"],
        ["task", ["capture", ["raw"]]],
        ["board", ["capture"]],
    ]
    raw = found[0].sources[1].sources[0].sources[0]
    assert raw.id == hashlib.sha256(RAW).hexdigest()
    assert raw.missing is None
    assert found[0].sources[1].sources[0].facts["fields"] == "metric_id"


def test_one_seed_can_be_asked_for(graded: Lake) -> None:
    assert [origin.id for origin in trace(graded, "mine/1/kaggle-cup")] == ["mine/1/kaggle-cup"]


def test_a_board_without_a_page_says_so(graded: Lake) -> None:
    [head] = graded.read(BOARDS)
    [origin] = trace(graded, head.board_id)
    assert [gone.kind for gone in missing([origin])] == ["capture"]
    assert origin.missing is None


def test_a_grade_leads_to_the_bytes_that_its_board_was_read_from(
    lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture]
) -> None:
    page = replace(capture("", raw=b"[1, 2]"), kind=PageKind.BOARD, url="http://site/board")
    other = replace(page, url="http://site/other-board", raw=b"[3]")
    write_reading(lake, None, [page, other, capture(MARKDOWN)], [board("1", "2")])
    [head] = lake.read(BOARDS)
    lake.append(GRADES, [row_of(GradeRow, run="mine", task_id="kaggle-cup", board_id=head.board_id)])
    [grade] = trace(lake, "mine/kaggle-cup")
    [origin] = [source for source in grade.sources if source.kind == "board"]
    assert kinds(origin) == ["board", ["capture", ["raw"]]]
    assert head.capture_ids == (origin.sources[0].id,)
    assert origin.sources[0].sources[0].id == hashlib.sha256(b"[1, 2]").hexdigest()


def test_a_board_read_from_an_unchanged_page_names_the_capture_that_is_there(
    lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture]
) -> None:
    page = replace(capture(MARKDOWN), url="http://site/board")
    write_reading(lake, None, [page], [board("1")])
    later = replace(page, fetched_at=page.fetched_at + timedelta(days=1))
    write_reading(lake, None, [later], [board("2", at=later.fetched_at)])
    [captured] = lake.read(CAPTURES)
    [head] = lake.read(BOARDS)
    assert head.fetched_at == later.fetched_at
    assert head.capture_ids == (captured.capture_id,)


def test_the_page_of_an_unchanged_board_is_not_kept_again(
    lake: Lake, board: Callable[..., Board], capture: Callable[..., Capture]
) -> None:
    page = replace(capture("", raw=b"one"), kind=PageKind.BOARD, url="http://site/board")
    assert write_reading(lake, None, [page], [board("1")])
    again = replace(page, raw=b"the same board in other bytes")
    assert not write_reading(lake, None, [again], [board("1")])


def test_a_capture_is_found_by_its_id_and_by_its_bytes(graded: Lake) -> None:
    [capture] = graded.read(CAPTURES)
    assert trace(graded, capture.capture_id) == trace(graded, capture.sha256)
    assert kinds(trace(graded, capture.capture_id)[0]) == ["capture", ["raw"]]


def test_lost_and_damaged_bytes_are_named(graded: Lake) -> None:
    sha256 = hashlib.sha256(RAW).hexdigest()
    file = graded.root / "raw" / sha256[:2] / f"{sha256}.gz"
    file.write_bytes(b"nothing")
    [gone] = missing(trace(graded, "kaggle-cup"))
    assert "damaged" in str(gone.missing)
    file.unlink()
    [gone] = missing(trace(graded, "kaggle-cup"))
    assert gone.kind == "raw"
    assert "no raw bytes" in str(gone.missing)


def test_a_page_that_the_lake_has_not_is_named(graded: Lake) -> None:
    evidence = json.dumps([{"field": "metric_id", "page": "overview", "page_sha256": "0" * 64}])
    task = row_of(TaskRow, task_id="kaggle-cup", platform="kaggle", competition="cup", evidence=evidence)
    graded.append(TASKS, [task])
    [gone] = missing(trace(graded, "kaggle-cup"))
    assert gone.id == "0" * 64
    # The grade was made against the release, in which the page is still the task's.
    assert kinds(trace(graded, "mine/0/kaggle-cup")[0])[2] == ["task", ["capture", ["raw"]]]


def test_a_release_that_is_gone_is_named(graded: Lake) -> None:
    (graded.root / "releases" / "may.json").unlink()
    gone = list(missing(trace(graded, "mine/0/kaggle-cup")))
    assert gone[0].kind == "release"


def test_an_unknown_name_is_wrong_usage(graded: Lake) -> None:
    with pytest.raises(UsageError, match="no grade, task, board, capture or raw bytes"):
        trace(graded, "kaggle-cups")
