"""The page docs/metrics.md, made from the registry."""

import inspect
import json

from graders.metrics.registry import Metric, metrics

_HEAD = """\
# Metrics

Made by `python -m graders.metrics > docs/metrics.md`; a test keeps it current. To add a metric, write one
decorated function in a file of `graders/metrics/`.

Rows are lined up by id, whatever their order. A prediction that does not fit its kind is refused with a
reason code. A metric without a value for the data (one class, a constant vector) gives `metric_undefined`,
never NaN. Every metric of probabilities takes `prediction_range`, the bounds of predictions: `[0, 1]` if
not given, `null` for none. Every metric takes these params beside its own, those on rows only where it is
row-wise (masks and detections are scored whole); one of a wrong type is refused with its name and value:

| param | what it says |
|---|---|
| `mask_column`, `mask_keep_value` | rows are scored where this column of the answers has this value |
| `row_filter` | `{"column": …}` with `keep`, `drop` (one or a list), `low` or `high`; several all hold |
| `drop_blank_truth` | rows without a truth are not scored |
| `truth_column` | the answers' column with the truth |
| `blank` | the number that a blank cell of a numeric column predicts; without it a blank is refused |
| `score_decimals` | decimals to which the site rounds the score |
"""


def page() -> str:
    """The whole page: a table of all metrics, then one section each."""
    rows = [
        f"| [{m.metric_id}](#{m.metric_id}) | {m.kind} | {m.direction} | {_bounds(m)} |" for m in metrics()
    ]
    table = ["| id | predictions | direction | bounds |", "|---|---|---|---|", *rows]
    return "\n".join([_HEAD, *table, "", *(section(found) for found in metrics())])


def section(found: Metric) -> str:
    """One metric: its docstring, params and names."""
    text = inspect.getdoc(found.function) or ""
    lines = [f"## {found.metric_id}", "", text, ""]
    if found.params:
        lines += ["Params: " + ", ".join(_param(found, name) for name in found.params) + ".", ""]
    lines += ["Also known as: " + ", ".join(found.aliases) + ".", ""]
    return "\n".join(lines)


def _param(found: Metric, name: str) -> str:
    default = "required" if name in found.required else json.dumps(found.params[name], ensure_ascii=False)
    return f"`{name}` ({default})"


def _bounds(found: Metric) -> str:
    low, high = ("" if bound is None else f"{bound:g}" for bound in (found.low, found.high))
    return f"{low or '-∞'} to {high or '∞'}"
