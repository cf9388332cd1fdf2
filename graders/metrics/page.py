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
never NaN. Every row-wise metric also takes the params `mask_column`, `mask_keep_value`, `drop_blank_truth`
and `truth_column`; every metric of probabilities takes `prediction_range`, the bounds of predictions:
`[0, 1]` if not given, `null` for none.
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
