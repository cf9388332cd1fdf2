"""Libraries, kinds of models, steps and settings: whatever the table names."""

import ast
import re
from collections.abc import Iterator, Sequence

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, forbidden, kind, missing, required, unclear, weakest
from graders.constraints.kinds.table import LIBRARIES, MODELS, NETWORKS, SETTINGS, TECHNIQUES, Subject
from graders.constraints.named_settings import Given, given, placed
from graders.constraints.opaque_code import undone, unread_arguments
from graders.constraints.wording import Limit, Reading, listed

_OFF: frozenset[object] = frozenset({None, False, "", "no", "none"})
_LEARNERS = "sklearn lightgbm xgboost catboost statsmodels prophet autogluon"
_BY_LAYERS = frozenset({"logistic regression", "linear regression", "a neural network", "an ensemble"})
"""Models that layers of a network can be without a name."""
_BY_NAME = frozenset({"create_model", "get_model", "make_model"})
"""Functions of libraries that make the model whose name they are given."""


@kind
def subjects(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Use LightGBM`, `no neural networks`, `use dropout with a rate of 0.25`, `at most 100 trees`."""
    for table in (SETTINGS, LIBRARIES, MODELS, TECHNIQUES):
        named = [one for one in table if _named(reading, one)]
        if not named:
            continue
        for one in named:
            reading.idle(one.about)
        if table is LIBRARIES and reading.take("only|exclusively|solely"):
            reading.idle("modelling modeling only allowed permitted")
            yield _closed(named, facts)
        if reading.any_suffices and len(named) > 1 and not reading.forbids:
            reading.idle("or either any one")
            found = [_judged(one, reading, facts) for one in named]
            kept = [one for one in found if one.kept]
            yield (
                kept[0] if kept else weakest([one for one in found if one.kept is None] or found) or found[0]
            )
        else:
            reading.idle("and")
            yield from (_judged(one, reading, facts) for one in named)


def _closed(named: Sequence[Subject], facts: Facts) -> KindFinding:
    """No other library that learns is used."""
    others = [one for one in LIBRARIES if one.learns and one not in named]
    lines = [
        line
        for module, line in facts.imports.items()
        for one in others
        if _imports(module, one.modules.split())
    ]
    return forbidden(lines, "another library", facts)


def _named(reading: Reading, one: Subject) -> bool:
    if one.needs and not reading.names(one.needs):
        return False
    if not one.calls and not reading.limited:
        return False
    return bool(reading.take(one.words))


def _judged(one: Subject, reading: Reading, facts: Facts) -> KindFinding:
    calls = [call for call in facts.calls if _does(facts, call, one)]
    numbers = [*given(facts, one.keywords.split()), *placed(facts, one.places)]
    if reading.forbids:
        lines = [call.line for call in calls] + [each.line for each in _on(facts, numbers)]
        roots = one.modules.split()
        lines += [line for module, line in facts.imports.items() if _imports(module, roots)]
        return forbidden(lines, one.name, facts)
    if reading.limited and (one.keywords or one.places):
        limit = reading.limit()
        return (
            unclear(f"The numbers of {one.name} contradict each other.")
            if limit is None
            else _number(one, facts, limit, numbers)
        )
    switched_off = [each for each in numbers if not _is_on(facts, each)]
    if switched_off and one.calls:
        told = any(facts.values(each.node, each.scope) for each in switched_off)
        off = KindFinding(
            False, f"The code switches {one.name} off.", tuple(each.line for each in switched_off)
        )
        return off if told and len(switched_off) == len(numbers) else unclear(f"{one.name} may be off.")
    shown = [call.line for call in calls if facts.counts(call.node)]
    shown += [each.line for each in _on(facts, numbers) if each.counts]
    if not calls and not numbers and (one.alone or _is_another(facts, one)):
        return missing(facts, one.name)
    return _unless_undone(required(shown, one.name), facts)


def _unless_undone(found: KindFinding, facts: Facts) -> KindFinding:
    lines = undone(facts)
    return (
        unclear("What was made may be exchanged or weighed with nothing later.", lines)
        if found.kept and lines
        else found
    )


def _number(one: Subject, facts: Facts, limit: Limit, numbers: Sequence[Given]) -> KindFinding:
    if not numbers:
        return (
            missing(facts, one.name)
            if one.alone and not unread_arguments(facts)
            else required((), f"{one.name}: {limit}")
        )
    known = [(each, value) for each in numbers for value in facts.values(each.node, each.scope)]
    broken = [
        (each, value)
        for each, value in known
        if not isinstance(value, int | float) or isinstance(value, bool) or not limit.holds(value)
    ]
    if any(not facts.values(each.node, each.scope) for each in numbers) or unread_arguments(facts):
        return unclear(f"{one.name.capitalize()} is not written as a number everywhere.")
    if broken and any(each.counts for each, _ in broken):
        seen = listed(dict.fromkeys(str(value) for _, value in broken))
        return KindFinding(
            False, f"The code sets {one.name} to {seen}.", tuple(each.line for each, _ in broken)
        )
    if broken:
        return unclear(f"{one.name.capitalize()} is {broken[0][1]} where that may have no effect.")
    return _unless_undone(
        required([each.line for each in numbers if each.counts], f"{one.name}: {limit}"), facts
    )


def _is_another(facts: Facts, one: Subject) -> bool:
    """The program uses something else in its place: another optimiser, another library's model."""
    if one.rivals:
        return any(re.fullmatch(one.rivals, call.last) for call in facts.calls)
    if one.name == "early stopping":
        return not any(isinstance(site.node, ast.Break | ast.While) for site in facts.sites) and not any(
            keyword.arg == "patience" or call.last.startswith("HistGradient")
            for call in facts.calls
            for keyword in call.node.keywords
        )
    if one not in MODELS or _own_models(facts):
        return False
    roots = {module.split(".")[0] for module in facts.imports}
    if roots & {*NETWORKS.split()}:
        return one.name not in _BY_LAYERS
    return bool(roots & {*_LEARNERS.split()})


def _own_models(facts: Facts) -> bool:
    """The program defines classes with methods that fit or predict."""
    return any(
        isinstance(site.node, ast.ClassDef)
        and any(getattr(one, "name", "") in ("fit", "predict") for one in site.node.body)
        for site in facts.sites
    )


def _on(facts: Facts, numbers: Sequence[Given]) -> list[Given]:
    return [each for each in numbers if _is_on(facts, each)]


def _is_on(facts: Facts, each: Given) -> bool:
    """It is given, and not switched off; of what cannot be read off nothing is said."""
    return not facts.values(each.node, each.scope) & _OFF


def _imports(module: str, roots: Sequence[str]) -> bool:
    return any(re.match(rf"{root}(?:\.|$)", module) for root in roots)


def _does(facts: Facts, call: Call, one: Subject) -> bool:
    """The call is of the subject; names that the program chose itself are no evidence."""
    if not one.calls or call.own:
        return False
    if call.last in _BY_NAME:
        chosen = facts.values(facts.argument(call, "model_name", "name", "arch", position=0), call.scope)
        return any(isinstance(name, str) and bool(re.match(one.calls, name)) for name in chosen)
    classes = (part for part in call.name.split(".") if part[:1].isupper() or part == call.last)
    return bool(re.fullmatch(one.calls, call.name)) or any(re.fullmatch(one.calls, part) for part in classes)
