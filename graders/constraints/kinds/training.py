"""Seeds, folds, epochs, and which rows the training sees."""

import ast
import re
from collections.abc import Iterator, Sequence

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, kind, missing, required, unclear
from graders.constraints.named_settings import Given, given
from graders.constraints.wording import Limit, Reading, listed

_SEEDERS = re.compile(
    r"(?:^|\.)(?:random\.seed|random\.Random|random\.default_rng|random\.RandomState|random\.PRNGKey|random\.key"
    r"|manual_seed|manual_seed_all|random\.set_seed|set_random_seed|seed_everything|set_seed|RandomState)$"
)
_SEED_KEYWORDS = frozenset({"seed", "random_state", "random_seed", "data_seed", "rng_seed"})
_GENERATORS = frozenset({"Random", "default_rng", "RandomState", "PRNGKey", "key"})
"""They give a source of random numbers; one that is not used seeds nothing."""
_DRAWS = re.compile(
    r"(?:^|\.)(?:(?:Stratified|Group|StratifiedGroup)?(?:KFold|ShuffleSplit)|train_test_split|shuffle|sample"
    r"|RandomForest\w+|ExtraTrees\w+|MLP(?:Classifier|Regressor)|RandomizedSearchCV)$"
)
_SOURCES = {
    "NumPy": (
        r"numpy",
        r"^numpy\.random\.|seed_everything$|keras\.utils\.set_random_seed$|transformers\.set_seed$",
    ),
    "PyTorch": (r"py ?torch|torch", r"^torch\.|seed_everything$|transformers\.set_seed$"),
    "Python": (
        r"python(?:'s)?",
        r"^random\.|seed_everything$|keras\.utils\.set_random_seed$|transformers\.set_seed$",
    ),
    "TensorFlow": (r"tensor ?flow|keras", r"^tensorflow\.|^keras\."),
}
_FOLDS = (
    r"(?:stratified |grouped? |time-ordered |k-?)?(?:-? ?folds? )?cross[- ]?validat\w*"
    r"|(?:stratified )?(?:k-|-)?folds?|time-ordered splits?|splits?"
)
_SPLITTERS = re.compile(r"(?:^|\.)(?:\w*KFold|TimeSeriesSplit)$")
_WITH_FOLDS = re.compile(
    r"(?:^|\.)(?:cross_val_\w+|cross_validate|\w+SearchCV|\w+CV|Stacking\w+|lightgbm\.cv|xgboost\.cv)$"
)
_FORMS = {
    "stratified": (r"stratif\w+", r"Stratified\w*KFold|RepeatedStratifiedKFold"),
    "grouped": (r"group\w*", r"\w*Group\w*KFold"),
    "in the order of time": (
        r"time-?\s?(?:series|ordered)|chronological\w*|in (?:the )?order of time",
        r"TimeSeriesSplit",
    ),
}
_STEPS = frozenset({"backward", "apply_gradients", "train_on_batch", "apply_updates", "partial_fit"})


@kind
def seed(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Set the random seed to 42`, `set the seeds of both NumPy and PyTorch`."""
    if reading.forbids or not reading.take(
        r"(?:fixed |global |random |number )*(?:seeds?|states?|random_state)(?: generators?)?"
    ):
        return
    reading.idle(
        "throughout wherever chance same random reproducibility ensure reproducible results generators"
        " generator everywhere all sources"
    )
    if reading.names("folds?|split|splits|cross-validation|validation"):
        return
    limit = reading.limit()
    found = _seeds(facts)
    drawn = sorted({one.line for one in found if not _is_known(facts, one)} | set(_unseeded(facts)))
    asked = {name: code for name, (words, code) in _SOURCES.items() if reading.take(words)}
    if asked:
        reading.idle("both and")
    values = {value: one for one in found for value in facts.values(one.node, one.scope)}
    fixed = {
        value: one for value, one in values.items() if isinstance(value, int) and not isinstance(value, bool)
    }
    good = [one.line for value, one in fixed.items() if one.counts and (limit is None or limit.holds(value))]
    others = {value: one.line for value, one in fixed.items() if limit is not None and not limit.holds(value)}
    what = "a fixed seed" if limit is None else f"seed {limit}"
    if not found:
        yield missing(facts, "a fixed seed")
    elif others and not good:
        yield KindFinding(False, f"The code uses seed {listed(map(str, others))}.", tuple(others.values()))
    elif others or drawn:
        yield unclear("Another seed is used too, or chance that nobody seeds.", [*others.values(), *drawn])
    elif all(
        any(re.search(code, call.name) for call in facts.calls if _SEEDERS.search(call.name))
        for code in asked.values()
    ):
        yield required(good, what)
    else:
        yield unclear(f"Not each of {listed(asked)} is seeded.")


def _seeds(facts: Facts) -> list[Given]:
    found = [one for one in given(facts, _SEED_KEYWORDS) if facts.values(one.node, one.scope) != {None}]
    for call in facts.calls:
        if _SEEDERS.search(call.name) and not call.own:
            value = facts.argument(call, "seed", "a", "random_state", "seed_value", position=0)
            counts = call.last not in _GENERATORS or facts.counts(call.node)
            found.append(Given(value or call.node, call.scope, call.line, counts))
    return found


def _is_known(facts: Facts, one: Given) -> bool:
    """A constant, or a generator that is itself made with a seed."""
    made = [value for value, _, _ in facts.bound.get(getattr(one.node, "id", ""), ())]
    generators = [
        isinstance(value, ast.Call) and bool(_SEEDERS.search(facts.name_of(value.func))) for value in made
    ]
    known = facts.values(one.node, one.scope)
    return (bool(known) and None not in known) or (bool(generators) and all(generators))


def _unseeded(facts: Facts) -> Iterator[int]:
    """Lines that draw without a seed of their own, where no call seeds everything."""
    everything = re.compile(r"^numpy\.random\.seed$|seed_everything$|set_seed$|set_random_seed$")
    if any(everything.search(call.name) for call in facts.calls):
        return
    for call in facts.calls:
        if not _DRAWS.search(call.name) or call.own:
            continue
        own = facts.argument(call, *_SEED_KEYWORDS)
        shuffles = facts.values(facts.argument(call, "shuffle"), call.scope) == {True}
        still = call.last.endswith("KFold") and not shuffles
        if call.name.startswith(("numpy.random", "torch")) or still:
            continue
        if own is None or facts.values(own, call.scope) == {None}:
            yield call.line


@kind
def folds(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Use 5-fold stratified cross-validation`, `validate with 4 time-ordered splits`."""
    if (
        reading.forbids
        or reading.names("seeds?|seeded")
        or not reading.names(r"cross[- ]?validat\w*|\d*-?folds?|time-ordered splits?|(?:time|k)\S* splits")
    ):
        return
    forms = {name: code for name, (words, code) in _FORMS.items() if reading.take(words)}
    while reading.take(_FOLDS):
        pass
    reading.idle(
        "choose validate validation evaluate evaluation estimate performance - k perform select split splits"
    )
    shuffled = bool(reading.take(r"shuffl\w+"))
    calls = [call for call in facts.calls if _validates(call)]
    lines = [
        call.line for call in calls if id(call.node) not in facts.ignored or call.last.startswith("cross_val")
    ]
    limit = reading.limit() if reading.limited else None
    if not calls:
        yield (
            missing(facts, "cross-validation")
            if not _splits_by_hand(facts)
            else required((), "cross-validation")
        )
        return
    numbers = [value for call in calls for value in _count(facts, call)]
    if limit is not None:
        if not all(isinstance(value, int) for value in numbers) or not numbers:
            yield unclear("The number of folds is not written in the code.", lines)
        elif not all(limit.holds(float(value)) for value in numbers):  # type: ignore[arg-type]
            seen = listed(dict.fromkeys(map(str, numbers)))
            yield KindFinding(False, f"The code makes {seen} folds.", tuple(lines))
        else:
            yield required(lines, f"{limit} folds")
    yield from (_formed(calls, name, code) for name, code in forms.items())
    if shuffled:
        yield required(
            [
                call.line
                for call in calls
                if facts.values(facts.argument(call, "shuffle"), call.scope) == {True}
            ],
            "shuffled folds",
        )
    if limit is None and not forms:
        yield required(lines, "cross-validation")


def _formed(calls: Sequence[Call], name: str, code: str) -> KindFinding:
    made = [call for call in calls if _SPLITTERS.search(call.name)]
    right = [call.line for call in made if re.fullmatch(code, call.last)]
    if made and not right:
        return KindFinding(False, f"The folds are not {name}.", tuple(call.line for call in made))
    return required(right if len(right) == len(made) else (), f"folds {name}")


def _validates(call: Call) -> bool:
    return not call.own and bool(_SPLITTERS.search(call.name) or _WITH_FOLDS.search(call.name))


def _splits_by_hand(facts: Facts) -> bool:
    return any(call.last in ("array_split", "split", "permutation") and not call.own for call in facts.calls)


def _count(facts: Facts, call: Call) -> list[object]:
    """How many folds the call makes; nothing where a splitter of its own says it."""
    value = facts.argument(
        call, "n_splits", "cv", "nfold", position=0 if _SPLITTERS.search(call.name) else None
    )
    if value is None:
        return [5] if call.last.endswith(("KFold", "TimeSeriesSplit")) else []
    known = facts.values(value, call.scope)
    if not known and not _SPLITTERS.search(call.name) and not isinstance(value, ast.Constant):
        return []  # a splitter, which counts for itself
    return [*known] or [None]


@kind
def epochs(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Train for at most 10 epochs`: by an argument, or by a loop around steps of training."""
    if not reading.limited or not reading.take(r"epochs?"):
        return
    limit = reading.limit()
    if limit is None:
        return
    numbers = given(facts, {"epochs", "num_epochs", "n_epochs", "max_epochs", "num_train_epochs", "nb_epoch"})
    found = [(value, one.line) for one in numbers for value in facts.values(one.node, one.scope) or {None}]
    loops = list(_training_loops(facts))
    found += [(value, line) for value, line, _ in loops]
    if any(not isinstance(value, int | float) for value, _ in found):
        yield unclear("The number of epochs is not written in the code.")
        return
    over = [(value, line) for value, line in found if not limit.holds(float(value))]  # type: ignore[arg-type]
    if over and _may_end_early(limit, [ends for *_, ends in loops]):
        yield KindFinding(
            False,
            f"The code trains for {listed(str(v) for v, _ in over)} epochs.",
            tuple(line for _, line in over),
        )
    elif over or (any(ends for *_, ends in loops) and limit.low > 0):
        yield unclear("How many epochs run is decided while it trains.")
    else:
        yield required([line for _, line in found], f"epochs: {limit}")


def _may_end_early(limit: Limit, ends: list[bool]) -> bool:
    """What is too many even where training can stop before, or where it cannot stop."""
    return not any(ends) or limit.high == limit.low


def _training_loops(facts: Facts) -> Iterator[tuple[object, int, bool]]:
    """(rounds, line, whether it can end early) of loops over epochs that take steps of training."""
    for site in facts.sites:
        node = site.node
        if (
            not isinstance(node, ast.For)
            or not isinstance(node.target, ast.Name)
            or "epoch" not in node.target.id.lower()
        ):
            continue
        inside = [part for statement in node.body for part in ast.walk(statement)]
        called = {
            part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            for part in inside
            if isinstance(part, ast.Call)
        }
        ranges = [
            part
            for part in ast.walk(node.iter)
            if isinstance(part, ast.Call) and getattr(part.func, "id", "") in ("range", "trange")
        ]
        if called & _STEPS or facts.calls_any_of(called, _STEPS):
            counts = (
                facts.values(ranges[0].args[-1], site.scope)
                if ranges and len(ranges[0].args) == 1
                else frozenset()
            )
            ends = any(isinstance(part, ast.Break | ast.Return) for part in inside)
            yield from ((value, node.lineno, ends) for value in counts or {None})


_SIZED = re.compile(
    r"^(?:Resize|RandomResizedCrop|CenterCrop|resize|thumbnail|Resizing|smart_resize|imresize)$"
)
_SIZE_KEYWORDS = ("size", "img_size", "image_size", "imgsz", "target_size", "dsize", "height", "width")


@kind
def picture_size(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Resize the images to 224 x 224`: all sizes that calls of libraries are given."""
    size = re.search(r"(\d+)\s*(?:x|×|by)\s*(\d+)", reading.text)
    if reading.forbids or size is None or not reading.names(r"resiz\w+|scal\w+|images?|pictures?|photos?"):
        return
    reading.take_anywhere(r"\W*(?:x|×|by)\W*(?=\W|$)|\d+\s?[x×]\s?\d+")
    reading.limit()
    reading.idle(
        "resize resized rescale scale image images picture pictures photo input inputs size pixels px all x"
    )
    wanted = {int(size[1]), int(size[2])}
    seen = [
        (call, _numbers(facts, call)) for call in facts.calls if _SIZED.search(call.last) and not call.own
    ]
    known = [(call, values) for call, values in seen if values]
    lines = [call.line for call, _ in known]
    if not known or len(known) < len(seen):
        yield required((), f"pictures of {size[0]}")
    elif all(values == wanted for _, values in known):
        yield required([call.line for call, _ in known if facts.counts(call.node)], f"pictures of {size[0]}")
    elif not any(values == wanted for _, values in known):
        yield KindFinding(False, f"The code makes other sizes than {size[0]}.", tuple(lines))
    else:
        yield unclear(f"Not all pictures are of {size[0]}.", lines)


def _numbers(facts: Facts, call: Call) -> set[int]:
    """Whole numbers from 8 up among the arguments, also in pairs and through names."""
    found = set[int]()
    parts = [*call.node.args, *(one.value for one in call.node.keywords if one.arg in _SIZE_KEYWORDS)]
    for part in parts:
        bound = facts.bound.get(part.id, ()) if isinstance(part, ast.Name) else ()
        for one in [part, *(value for value, _, _ in bound)]:
            whole = one.elts if isinstance(one, ast.Tuple | ast.List) else [one]
            values = [value for each in whole for value in facts.values(each, call.scope)]
            found |= {
                value
                for value in values
                if isinstance(value, int) and not isinstance(value, bool) and value >= 8
            }
    return found
