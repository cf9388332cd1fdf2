"""Pipelines whose steps are exchanged after they were made: what was in them may no longer be."""

import ast

from graders.constraints.facts import Facts

_OFF = frozenset({"passthrough", "drop", None})


def steps_changed(facts: Facts) -> tuple[int, ...]:
    """Lines that put something else in the place of a step, or switch one off."""
    lines = [
        call.line
        for call in facts.calls
        if call.last == "set_params"
        for keyword in call.node.keywords
        if not (known := facts.values(keyword.value, call.scope)) or known & _OFF
    ]
    lines += [
        site.node.lineno
        for site in facts.sites
        if isinstance(site.node, ast.Subscript)
        and not isinstance(site.node.ctx, ast.Load)
        and isinstance(site.node.value, ast.Attribute)
        and site.node.value.attr in ("steps", "named_steps", "transformers")
    ]
    lines += [
        call.line
        for call in facts.calls
        if call.name.endswith((".steps.pop", ".steps.remove", ".steps.clear", ".steps.insert"))
    ]
    return tuple(sorted(lines))
