"""mle-bench's three invariants, for every task of the demo, and what the self-checks say of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from demo import datasets
from demo.invented import KEPT, invented
from graders.grade import GradedTask, grade_task
from graders.report import TaskGrade
from graders.runs import Entry
from graders.standings import standings_from_rows
from preparation.check.checks import check_prepared
from preparation.prepare import prepare
from preparation.spec import SplitSpec
from schema.metric import Direction
from schema.prepared import CheckOutcome
from tests.flows.graded import NOON, board_of

every_task = pytest.mark.parametrize("slug", sorted(KEPT))
Prepare = Callable[[str], GradedTask]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """Prepares a task with its board, once."""
    root, made = tmp_path_factory.mktemp("tasks"), dict[str, GradedTask]()

    def task(slug: str) -> GradedTask:
        if slug not in made:
            one = invented(slug)
            assert one.data is not None
            assert one.metric.metric_id is not None
            ids, targets = (one.data.id,), tuple(one.data.target.names)
            data = datasets.write(slug, root / "data" / slug)
            spec = SplitSpec(one.task_id, one.metric.metric_id, ids, targets)
            direction = Direction.MAXIMIZE if one.metric.higher_is_better else Direction.MINIMIZE
            ranked = [row for row in board_of(slug, NOON, 1).rows if row.rank]
            made[slug] = GradedTask(
                one.task_id, direction, standings_from_rows(ranked), prepare(data, spec, root / "prepared")
            )
        return made[slug]

    return task


def grade(task: GradedTask, submission: Path) -> TaskGrade:
    return grade_task(task, Entry(task.task_id, 0, submission.parent, submission, None))


@every_task
def test_perfect_answers_rank_first(prepared: Prepare, slug: str) -> None:
    task = prepared(slug)
    found = grade(task, task.prepared.answers)
    assert (found.valid, found.rank, found.reasonable) == (True, 1, True)


@every_task
def test_the_sample_submission_is_valid_and_does_not_rank_first(prepared: Prepare, slug: str) -> None:
    task = prepared(slug)
    found = grade(task, task.prepared.sample)
    assert (found.valid, found.reasonable) == (True, False)
    assert found.score == task.prepared.record.sample_score
    assert found.rank is not None
    assert found.rank > 1


@every_task
def test_a_broken_file_gives_a_report_and_no_traceback(prepared: Prepare, slug: str, tmp_path: Path) -> None:
    task = prepared(slug)
    good = task.prepared.sample.read_text()
    header, first, *rest = good.splitlines()
    broken = {
        "empty": "",
        "header only": header + "\n",
        "a row missing": "\n".join([header, *rest]),
        "a row twice": "\n".join([header, first, first, *rest]),
        "another header": good.replace(header, "a,b", 1),
        "cut in the middle": good[: len(good) // 2],
        "no table": "\x00\x01\x02" * 100,
    }
    for name, content in broken.items():
        path = tmp_path / "submission.csv"
        path.write_text(content)
        found = grade(task, path)
        assert (found.made, found.valid, found.rank_pct) == (True, False, 1.0), name
        assert found.reason, name
        assert found.message, name


@every_task
def test_it_passes_every_self_check(prepared: Prepare, slug: str) -> None:
    task = prepared(slug)
    found = check_prepared(task.prepared, task.board)
    assert [one for one in found if one.outcome is not CheckOutcome.PASSED] == []


def test_without_a_board_ranks_are_not_checked_and_say_so(prepared: Prepare) -> None:
    task = prepared(min(KEPT))
    found = check_prepared(task.prepared, None)
    assert {one.rule for one in found if one.outcome is CheckOutcome.NOT_CHECKED} == {
        "perfect answers rank first",
        "the sample submission does not rank first",
    }
    flat = replace(task.board, scores=task.board.scores * 0)
    assert {one.reason for one in check_prepared(task.prepared, flat) if "rank" in one.rule} == {
        "degenerate_board: nobody can be ranked."
    }
