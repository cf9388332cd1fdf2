"""The params of metrics: those that every row-wise metric takes, and checks that name a wrong one."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, get_type_hints

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from core.errors import GradingError
from graders.metrics.cells import Booleans

_BOOLEAN_CELLS = {"true": 1.0, "false": 0.0}
_SHOWN = 60


class RowFilter(BaseModel):
    """Which answer rows are scored, by one column of the answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    column: str
    keep: tuple[bool | float | str, ...] | None = None
    """Cells of the rows that are scored."""
    drop: tuple[bool | float | str, ...] | None = None
    """Cells of the rows that are left out."""
    low: float | None = None
    """The least number of a row that is scored."""
    high: float | None = None
    """The greatest."""

    @model_validator(mode="before")
    @classmethod
    def _lists(cls, value: object) -> object:
        """One cell stands for a list of one."""
        if not isinstance(value, dict):
            return value
        return {
            name: [cell] if name in {"keep", "drop"} and isinstance(cell, bool | int | float | str) else cell
            for name, cell in value.items()
        }

    @model_validator(mode="after")
    def _says_something(self) -> "RowFilter":
        if (self.keep, self.drop, self.low, self.high) == (None, None, None, None):
            raise ValueError("say keep, drop, low or high")
        return self

    def rows(self, cells: Sequence[str]) -> Booleans:
        """Whether each row is scored."""
        chosen = np.ones(len(cells), dtype=np.bool_)
        if self.keep is not None:
            chosen &= matches(cells, self.keep)
        if self.drop is not None:
            chosen &= ~matches(cells, self.drop)
        if self.low is not None or self.high is not None:
            found = [comparable(cell) for cell in cells]
            numbers = np.array([value if isinstance(value, float) else np.nan for value in found])
            chosen &= (numbers >= (-np.inf if self.low is None else self.low)) & (
                numbers <= (np.inf if self.high is None else self.high)
            )
        return chosen


class GeneralParams(BaseModel):
    """Params of every row-wise metric, beside its own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    mask_column: str | None = None
    """Column of the answers that says which rows are scored."""
    mask_keep_value: bool | float | str = True
    """Its cell in the rows that are."""
    drop_blank_truth: bool = False
    """Rows without a truth are not scored."""
    truth_column: str | None = None
    """The answers' column that holds the truth."""
    row_filter: tuple[RowFilter, ...] = ()
    """Filters that a scored row passes, all of them."""
    blank: float | None = None
    """What a blank cell of a numeric column predicts; None: a blank cell is refused."""
    score_decimals: int | None = Field(None, ge=0, le=15)
    """Decimals to which the site rounds the score, halves to even."""
    prediction_range: tuple[float, float] | None = (0, 1)
    """Of probability metrics: the range that predictions must lie in, null for none."""

    @model_validator(mode="before")
    @classmethod
    def _one_filter(cls, value: object) -> object:
        """One filter stands for a list of one."""
        if isinstance(value, dict) and isinstance(value.get("row_filter"), dict):
            return {**value, "row_filter": [value["row_filter"]]}
        return value


GENERAL = frozenset(GeneralParams.model_fields)


def general_params(metric_id: str, params: Mapping[str, Any]) -> GeneralParams:
    """The params that every metric takes.

    Raises:
        GradingError: one has a value that it cannot have; the message names both.
    """
    try:
        return GeneralParams.model_validate(dict(params))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "params"
        raise GradingError(wrong(metric_id, name, params.get(name), first["msg"])) from error


def check_params(metric_id: str, function: Callable[..., float], params: Mapping[str, Any]) -> None:
    """Refuse params of the wrong type, by what the function declares.

    Raises:
        GradingError: the message names the param and its value.
    """
    adapters = _adapters(function)
    for name, value in params.items():
        if name in adapters:
            try:
                adapters[name].validate_python(value)
            except ValidationError as error:
                raise GradingError(wrong(metric_id, name, value, error.errors()[0]["msg"])) from error


def wrong(metric_id: str, name: str, value: object, why: str) -> str:
    """The sentence about a wrong param."""
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return f"The param {name!r} of {metric_id} cannot be {shown}: {why}."


@cache
def _adapters(function: Callable[..., float]) -> dict[str, TypeAdapter[Any]]:
    hints = get_type_hints(function)
    found = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name in hints:
            hint = hints[name]
            found[name] = TypeAdapter(hint if parameter.default is not None else hint | None)
    return found


def matches(column: Sequence[str], values: Sequence[object]) -> Booleans:
    """Which cells are one of the values; 1, 1.0 and true are the same."""
    wanted = {comparable(value) for value in values}
    return np.array([comparable(cell) in wanted for cell in column], dtype=np.bool_)


def comparable(value: object) -> float | str:
    """A cell or value as a number where it is one, else as small letters."""
    text = str(value).strip().lower()
    if text in _BOOLEAN_CELLS:
        return _BOOLEAN_CELLS[text]
    try:
        return float(text)
    except ValueError:
        return text
