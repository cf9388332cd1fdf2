"""Seeds, cross-validation and the settings of a training run."""

import ast
import re

from graders.constraints.facts import Facts
from graders.constraints.kinds import KindFinding, kind, required, weakest
from graders.constraints.named_settings import Given, given
from graders.constraints.wording import Limit, limits, listed, negated

_SEEDERS = re.compile(
    r"(?:^|\.)(?:random\.seed|random\.Random|random\.default_rng|random\.RandomState|random\.PRNGKey|random\.key"
    r"|manual_seed|manual_seed_all|random\.set_seed|set_random_seed|seed_everything|set_seed|RandomState)$"
)
_SEED_KEYWORDS = frozenset({"seed", "random_state", "random_seed", "data_seed", "manual_seed", "rng_seed"})
_SEED_NUMBERS = re.compile(
    r"\b(?:seeds?|random[_ ]states?)\b[^\d]{0,25}?(\d+(?:\s*(?:,|and|,\s*and)\s*\d+)*)", re.IGNORECASE
)
_SEED = "the seed"
_GENERATORS = frozenset({"Random", "default_rng", "RandomState", "PRNGKey", "key", "Generator"})
"""They give a source of random numbers; one that is not used seeds nothing."""
_CHANCE = re.compile(
    r"^(?:time\.|os\.urandom|os\.getpid|secrets\.|uuid\.)|(?:^|\.)(?:now|today|utcnow|randint|getrandbits|integers)$"
)
_FOLDS = re.compile(r"\b(?:cross[- ]?validat\w*|k-?fold|\d+-fold|folds?)\b", re.IGNORECASE)
_SPLITTERS = re.compile(
    r"(?:^|\.)\w*KFold$|(?:^|\.)(?:cross_val_\w+|cross_validate|TimeSeriesSplit|LeaveOneOut|GroupShuffleSplit)$"
)
_WITH_FOLDS = re.compile(r"(?:^|\.)(?:\w+SearchCV|\w+CV|cv)$")
_TREE_DEPTH = re.compile(r"\bdepth of (?:the |each |any |a |all )?trees?\b", re.IGNORECASE)
_SETTINGS = {
    "epochs": (
        r"epochs?",
        {"epochs", "num_epochs", "n_epochs", "max_epochs", "num_train_epochs", "nb_epoch"},
    ),
    "the batch size": (
        r"batch[- ]?sizes?",
        {"batch_size", "batch", "per_device_train_batch_size", "train_batch_size", "bs"},
    ),
    "the learning rate": (r"learning[- ]?rates?", {"learning_rate", "lr", "eta"}),
    "trees": (
        r"n_estimators|estimators|trees|boosting rounds|(?:boosting )?iterations",
        {"n_estimators", "num_boost_round", "iterations", "num_trees", "n_trees"},
    ),
    "the depth": (r"max_depth|tree depth|depth", {"max_depth", "depth"}),
    "the folds": (r"folds?", {"n_splits", "cv", "nfold", "n_folds", "num_folds", "folds"}),
}


@kind
def seed(text: str, facts: Facts) -> KindFinding | None:
    """`Seed 42`, `use fixed random seeds`."""
    if not re.search(r"\b(?:seeds?|seeded|random[_ ]states?)\b", text, re.IGNORECASE) or negated(text):
        return None
    found = _seeds(facts, counting=True)
    match = _SEED_NUMBERS.search(text)
    drawn = _drawn_seeds(facts)
    if drawn:
        return KindFinding(kept=None, reason="A seed is set that the code does not fix.", lines=tuple(drawn))
    if match is None:
        return required(found.values(), "a fixed seed")
    wanted = {int(digits) for digits in re.findall(r"\d+", match[1])}
    others = {value: line for value, line in _seeds(facts, counting=False).items() if value not in wanted}
    what = f"seed {listed(map(str, sorted(wanted)))}"
    if others:
        seen = listed(str(value) for value in others)
        return KindFinding(kept=False, reason=f"The code uses seed {seen}.", lines=tuple(others.values()))
    if not wanted <= found.keys():
        return required((), what)
    return required(found.values(), what)


def _seeds(facts: Facts, *, counting: bool) -> dict[object, int]:
    """The constant seeds that the code sets, with a line each; `counting`: only those that have an effect."""
    found = [one for one in given(facts, _SEED_KEYWORDS, variables=False) if one.counts or not counting]
    for call in facts.calls:
        if not _SEEDERS.search(call.name) or call.name.startswith("own."):
            continue
        if counting and call.last in _GENERATORS and not facts.reaches_output(call):
            continue
        value = facts.argument(call, "seed", "a", "random_state", "seed_value", position=0)
        if value is not None:
            found.append(Given(value, call.scope, call.line))
    return {
        value: one.line
        for one in reversed(found)
        for value in facts.values(one.node, one.scope)
        if isinstance(value, int) and not isinstance(value, bool)
    }


def _drawn_seeds(facts: Facts) -> list[int]:
    """Lines that seed from the clock, from chance, or from something that cannot be read off the code."""
    lines = []
    for call in facts.calls:
        if call.name.startswith("own.") or not _SEEDERS.search(call.name):
            continue
        if call.last in _GENERATORS and not facts.reaches_output(call):
            continue
        value = facts.argument(call, "seed", "a", "random_state", "seed_value", position=0)
        known = facts.values(value, call.scope)
        if not known or None in known or (value is not None and _is_chance(facts, value)):
            lines.append(call.line)
    lines += [
        one.line
        for one in given(facts, _SEED_KEYWORDS, variables=False)
        if one.counts and _is_chance(facts, one.node)
    ]
    return sorted({*lines})


def _is_chance(facts: Facts, node: ast.expr) -> bool:
    """The expression reads a clock or draws a number."""
    return any(
        isinstance(part, ast.Call) and bool(_CHANCE.search(facts.name_of(part.func)))
        for part in ast.walk(node)
    )


@kind
def cross_validation(text: str, facts: Facts) -> KindFinding | None:
    """`Use 5-fold cross-validation`; the number of folds is a setting."""
    if not _FOLDS.search(text) or negated(text):
        return None
    lines = [
        call.line
        for call in facts.calls
        if (_SPLITTERS.search(call.name) or _WITH_FOLDS.search(call.name))
        and not call.name.startswith("own.")
        and (id(call.node) not in facts.ignored or call.last.startswith("cross_val"))
    ]
    return required(lines, "cross-validation")


@kind
def early_stopping(text: str, facts: Facts) -> KindFinding | None:
    """`Use early stopping`."""
    if not re.search(r"\bearly[- ]stopp|\bstops? (?:training )?early\b", text, re.IGNORECASE) or negated(
        text
    ):
        return None
    removed = [call.line for call in facts.calls if call.last in ("remove_callback", "pop_callback")]
    if removed:
        return KindFinding(kept=None, reason="A callback is removed again.", lines=tuple(removed))
    by_name = [
        call.line
        for call in facts.calls
        if re.fullmatch(r"early_?stopping(?:_?callback)?", call.last, re.IGNORECASE)
        and facts.reaches_output(call)
    ]
    by_keyword = [
        one.line
        for one in given(facts, ("early_stopping", "early_stopping_rounds", "od_wait"), variables=False)
        if one.counts and not facts.values(one.node, one.scope) & {False, None}
    ]
    return required(by_name + by_keyword, "early stopping")


@kind
def settings(text: str, facts: Facts) -> KindFinding | None:
    """`At most 10 epochs`, `batch size of 32`, `learning rate 0.001`, `5 folds`."""
    if negated(text):
        return None
    nouns = {what: noun for what, (noun, _) in _SETTINGS.items()} | {_SEED: r"seeds?|random[_ ]states?"}
    return weakest(
        [
            _setting(facts, what, limit, _SETTINGS[what][1])
            for what, limit in limits(_TREE_DEPTH.sub("tree depth", text), nouns).items()
            if what != _SEED
        ]
    )


def _setting(facts: Facts, what: str, limit: Limit, names: set[str]) -> KindFinding:
    values = _settings(facts, names)
    broken = {value: line for value, line in values.items() if not limit.holds(value)}
    if broken:
        seen = listed(f"{value:g}" for value in broken)
        return KindFinding(
            kept=False, reason=f"The code sets {what} to {seen}.", lines=tuple(broken.values())
        )
    return required(values.values(), f"{what}: {limit}")


def _settings(facts: Facts, names: set[str]) -> dict[float, int]:
    """Constant values that the code gives to a setting, with a line each."""
    return {
        float(value): one.line
        for one in reversed(given(facts, names))
        if not facts.counted(one.name)
        for value in facts.values(one.node, one.scope)
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
