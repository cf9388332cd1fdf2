"""Every metric of the library is whole: facts, definition, names, a test, a place in the docs."""

import csv
import inspect
from collections import Counter
from pathlib import Path

import pytest

from graders.metrics import Metric, catalogue, metrics
from graders.metrics.page import page
from schema.metric import Direction

ROOT = Path(__file__).parents[2]
INDEX = ROOT.parent / "shared" / "vectors" / "INDEX.csv"

every_metric = pytest.mark.parametrize("metric", metrics(), ids=lambda metric: metric.metric_id)


@every_metric
def test_it_states_direction_and_bounds_that_fit(metric: Metric) -> None:
    assert metric.direction in Direction
    low, high = metric.low, metric.high
    assert low is None or high is None or low < high
    assert metric.direction is Direction.MAXIMIZE or high is None or low is not None


@every_metric
def test_its_docstring_has_a_title_a_definition_and_a_source(metric: Metric) -> None:
    text = inspect.getdoc(metric.function)
    assert text is not None
    assert ":" in text.splitlines()[0]
    assert "Source:" in text


@every_metric
def test_it_has_names_in_lower_case(metric: Metric) -> None:
    assert metric.aliases
    assert all(alias == alias.lower().strip() for alias in metric.aliases)


def test_no_name_means_two_metrics() -> None:
    names = Counter(name for metric in metrics() for name in {metric.metric_id, *metric.aliases})
    assert [name for name, count in names.items() if count > 1] == []


@every_metric
def test_it_has_a_worked_example(metric: Metric) -> None:
    examples = (ROOT / "tests/unit/graders/metrics/test_examples.py").read_text()
    assert f'"{metric.metric_id}"' in examples


def test_the_catalogue_holds_every_metric_once() -> None:
    assert [facts.metric_id for facts in catalogue()] == [metric.metric_id for metric in metrics()]


def test_the_page_of_metrics_is_current() -> None:
    written = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert written == page(), "run: python -m graders.metrics > docs/metrics.md"


@pytest.mark.skipif(not INDEX.exists(), reason="the grading vectors are not beside the checkout")
def test_every_family_of_the_vectors_is_there() -> None:
    with INDEX.open(encoding="utf-8", newline="") as file:
        families = {row["metric"] for row in csv.DictReader(file)}
    assert families - {metric.metric_id for metric in metrics()} == set()
