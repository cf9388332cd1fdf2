"""Whatever stands in the cells of a submission: a score or a reason, and never an exception."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import GradingError
from graders.evaluate import Evaluation
from graders.metrics import metrics
from graders.metrics.registry import Layout, PredictionKind, get
from tests.unit.graders.metrics.test_examples import COLUMNS, FRAMES, LABELS, NUMBERS, TEXTS

Score = Callable[..., Evaluation]
_FEW, _MANY = 150, 2_000
"""Odd submissions for each kind of prediction."""
_ODD: tuple[Any, ...] = (
    *("", " ", "nan", "NaN", "inf", "-inf", "1e999", "-0", "0", "1", "2", "-1", "1e-320", "1e308", "0.5"),
    *("true", "None", "null", "abc", "é", "漢字", "\u200b", "[]", "[1]", "{}", '{"a": 1}', "1 2", "1 2 3 4"),
    *(
        "0 1 0 1",
        "1 1 1 1",
        "-1 5",
        "9999999999 1",
        "a b c",
        "1,2",
        '"',
        "'",
        "\\",
        "<b>",
        "=1+1",
        "x" * 3000,
    ),
    *("0.5 10 10 5 5", "cat 0.9 1 2 3 4", "0 0 0 0 0", "1.0 nan 1 1 1", "1;2", "2020-01-01", "١٢"),
)
LISTS = (*NUMBERS, *COLUMNS, *LABELS, *TEXTS, *FRAMES)
LISTS = (*NUMBERS, *COLUMNS, *LABELS, *TEXTS, *FRAMES)
EXAMPLES = [(metric, truth, given, params) for metric, truth, given, params, _ in LISTS]


def examples_of(kind: PredictionKind) -> list[tuple[Any, ...]]:
    return [one for one in EXAMPLES if get(one[0]).kind is kind]


def _columns(cells: object) -> dict[str, list[Any]]:
    if isinstance(cells, dict):
        return {name: list(values) for name, values in cells.items()}
    if isinstance(cells, tuple):
        return {f"y{place}": [row[place] for row in cells] for place in range(len(cells[0]))}
    return {"y": list(cells)}


@pytest.mark.parametrize("kind", [kind for kind in PredictionKind if examples_of(kind)])
@pytest.mark.parametrize("count", [_FEW, pytest.param(_MANY, marks=pytest.mark.long)])
def test_an_odd_submission_has_a_score_or_a_reason(score: Score, kind: PredictionKind, count: int) -> None:
    chance = random.Random(kind.value)  # noqa: S311 - not for secrets
    found = examples_of(kind)
    for _ in range(count):
        metric, truth, given, params = chance.choice(found)
        odd = _columns(given)
        for name, cells in odd.items():
            for place in range(len(cells)):
                if chance.random() < 0.5:
                    cells[place] = chance.choice(_ODD)
            odd[name] = cells
        result = score(metric, _columns(truth), odd, **params)
        assert result.valid == (result.reason is None)
        assert result.valid or result.message


@pytest.mark.parametrize("metric", [one.metric_id for one in metrics() if one.layout is Layout.ROWS])
def test_a_param_of_the_wrong_type_is_named_with_its_value(score: Score, metric: str) -> None:
    own = [name for name, value in get(metric).params.items() if isinstance(value, int | float)]
    for name in own:
        with pytest.raises(GradingError) as told:
            score(metric, [0, 1], [0, 1], **{name: {"no": ["number"]}})
        assert repr(name) in str(told.value) or "needs the params" in str(told.value)


def test_rows_are_filtered_blanks_filled_and_scores_rounded(score: Score) -> None:
    truth = {"y": [1, 2, 3, 4], "used": ["train", "test", "test", "other"], "year": [2000, 2001, 2002, 2003]}
    assert score("mae", truth, [9, 2, 5, 9], row_filter={"column": "used", "keep": "test"}).score == 1
    assert score("mae", truth, [1, 9, 9, 5], row_filter={"column": "used", "drop": ["test"]}).score == 0.5
    both = [{"column": "year", "low": 2001}, {"column": "used", "drop": "other"}]
    assert score("mae", truth, [9, 2, 6, 9], row_filter=both).score == 1.5
    assert score("mae", [1, 2], ["", 2], blank=0).score == 0.5
    assert score("mae", [1, 2], ["", 2]).reason == "nan_prediction"
    assert score("mae", [0, 0, 0], [1, 0, 0], score_decimals=3).score == 0.333
    with pytest.raises(GradingError, match="'row_filter' of mae cannot be"):
        score("mae", truth, [1, 2, 3, 4], row_filter={"column": "used"})
    with pytest.raises(GradingError, match="'score_decimals' of mae cannot be 'many'"):
        score("mae", [1], [1], score_decimals="many")
