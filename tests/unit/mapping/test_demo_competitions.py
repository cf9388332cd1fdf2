"""The invented competitions of the demo, mapped and screened from their pages alone."""

import csv
import io
import itertools
from datetime import date, datetime

import pytest

from demo.boards import board_csvs
from demo.invented import KEPT, SCREENED_OUT, invented, text_of
from demo.specs import Invented
from graders.metrics import catalogue
from mapping.mapper import Page, map_task
from mapping.screening import BoardFacts, ScreeningPolicy, screen
from schema.board import BoardKind, parse_score
from schema.capture import PageKind
from schema.competition import Competition
from schema.metric import Direction
from schema.screening import Rule
from schema.task import Task

CATALOGUE = catalogue()
POLICY = ScreeningPolicy(date(2023, 1, 1), frozenset())
SLUGS = sorted(KEPT.keys() | SCREENED_OUT.keys())


def pages(slug: str) -> list[Page]:
    kinds = ((PageKind.OVERVIEW, "overview.md"), (PageKind.DATA, "data.md"))
    return [Page(kind, "", text_of(slug, name)) for kind, name in kinds]


def mapped(slug: str) -> Task:
    meta = invented(slug).meta
    return map_task(pages(slug), Competition(meta.platform, slug, "", meta.title), CATALOGUE)


def board_facts(one: Invented, task: Task) -> BoardFacts:
    scores = board_scores(one)
    falls = sum(later < earlier for earlier, later in itertools.pairwise(scores))
    rises = sum(later > earlier for earlier, later in itertools.pairwise(scores))
    agrees = None if falls == rises else (falls > rises) == (task.direction is Direction.MAXIMIZE)
    return BoardFacts(len(scores), len(set(scores)), agrees, BoardKind.PRIVATE)


def board_scores(one: Invented) -> list[float]:
    """Scores in the board's order, baselines (rank 0) left out."""
    boards = board_csvs(one)
    name = max(boards, key=lambda name: "private" in name)
    rows = [
        {key.lower(): cell for key, cell in row.items()}
        for row in csv.DictReader(io.StringIO(boards[name].lstrip("\ufeff")))
    ]
    found = [parse_score(row["score"]) for row in rows if row["rank"] not in ("", "0")]
    return [score for score in found if score is not None]


def failed(slug: str) -> list[Rule]:
    task = mapped(slug)
    found = screen(task, board_facts(invented(slug), task), pages(slug), POLICY)
    return [verdict.rule for verdict in found if not verdict.passed]


@pytest.mark.parametrize("slug", sorted(KEPT))
def test_what_the_demo_keeps_passes_every_rule(slug: str) -> None:
    assert failed(slug) == []


@pytest.mark.parametrize("slug", sorted(SCREENED_OUT))
def test_what_the_demo_screens_out_fails_its_one_rule(slug: str) -> None:
    assert failed(slug) == [SCREENED_OUT[slug]]


@pytest.mark.parametrize("slug", SLUGS)
def test_metric_columns_and_deadline_are_read(slug: str) -> None:
    one, task = invented(slug), mapped(slug)
    assert task.metric_id == one.metric.metric_id
    assert task.deadline is not None
    assert task.deadline.date() == datetime.fromisoformat(one.meta.deadline).date()
    if one.data is not None:
        assert task.id_columns == (one.data.id,)
        assert task.target_columns == one.data.target.names


@pytest.mark.parametrize("slug", sorted(KEPT))
def test_the_modality_is_read(slug: str) -> None:
    assert mapped(slug).modality is KEPT[slug][0]


@pytest.mark.parametrize("slug", sorted(KEPT))
def test_each_numbered_constraint_is_an_entry(slug: str) -> None:
    task, limits = mapped(slug), invented(slug).limits
    stated = [limits.memory_gb, limits.minutes, limits.folds, limits.cores]
    assert len(task.constraints) >= sum(limit is not None for limit in stated)
    assert any(str(limits.seed) in text for text in task.constraints)
