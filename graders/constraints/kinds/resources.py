"""Run time, threads and the device, as far as the program limits itself."""

import ast
import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import SILENT, KindFinding, forbidden, kind, missing, required, unclear
from graders.constraints.named_settings import given
from graders.constraints.opaque_code import unread_arguments
from graders.constraints.wording import Limit, Reading, listed

_UNITS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "h": 3600}
_TIME_KEYWORDS = ("time_limit", "time_budget", "max_runtime_secs", "time_left_for_this_task")
_THREADS = (
    "n_jobs",
    "nthread",
    "num_threads",
    "thread_count",
    "max_workers",
    "num_cpus",
    "processes",
    "max_concurrency",
)
_SETTERS = frozenset({"set_num_threads", "threadpool_limits"})
_TAKES_ALL = re.compile(
    r"(?:^|\.)(?:LGBM\w+|XGB(?:Classifier|Regressor|Ranker)|CatBoost(?:Classifier|Regressor)?|lightgbm\.train|xgboost\.train|Pool|ProcessPoolExecutor|TabularPredictor|HistGradientBoosting\w+)$"
)
"""What takes all cores unless it is told otherwise."""
_CPU_ONLY = r"(?:on )?(?:a |the )?cpu(?: only)?|only (?:on )?(?:the |a )?cpu"
_GPU = r"(?:a |any |the )?(?:gpu|cuda)s?(?: acceleration)?"
_AUTOMATIC = re.compile(
    r"(?:^|\.)cuda\.(?:is_available|device_count)$|(?:^|\.)transformers\.(?:\w*Trainer|pipeline)$"
    r"|(?:^|\.)(?:pytorch_)?lightning\.(?:pytorch\.)?Trainer$|^fastai\.\w|(?:^|\.)keras\.(?:\w+\.)*(?:Model|Sequential)$"
    r"|^simpletransformers\.|^sentence_transformers\.|^(?:jax|flax)\.\w|^autogluon\.|^ultralytics\.|^spacy\."
)
_GPU_TEXT = re.compile(r"^(?:cuda(?::\d+)?|gpu(?::\d+)?|gpu_hist|mps)$", re.IGNORECASE)


@kind
def run_time(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`The search must end after at most 45 minutes`: by a limit that the call is given."""
    if (
        not reading.limited
        or reading.forbids
        or not reading.names("train|training|fit|fitting|search|tuning")
    ):
        return
    unit = reading.take("(" + "|".join(_UNITS) + ")s?")
    limit = reading.limit() if unit else None
    if unit is None or limit is None:
        return
    factor = _UNITS[unit[1].lower()]
    in_seconds = Limit(limit.low * factor, limit.high * factor, limit.open)
    search = reading.take(r"(?:hyper-?parameter )?(?:search|tuning|optimi[sz]ation)")
    reading.idle(
        "take takes taking end ends stop stopped stops after finish finished within last longer time limit"
    )
    keywords = _TIME_KEYWORDS + (("timeout",) if search else ())
    found = [one for one in given(facts, keywords) if one.counts]
    values = [value for one in found for value in facts.values(one.node, one.scope) or {None}]
    if not found or not all(isinstance(value, int | float) for value in values):
        yield unclear("No limit of time that the program sets itself.")
        return
    over = [
        value for value in values if isinstance(value, int | float) and not in_seconds.holds(float(value))
    ]
    lines = tuple(one.line for one in found)
    if over:
        yield KindFinding(False, f"The code allows itself {listed(f'{value:g} s' for value in over)}.", lines)
    else:
        yield required(lines, f"a limit of {in_seconds.high:g} s")


@kind
def whole_run(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`At most 8 GB of memory`, `finish within 9 hours`: by limits that the operating system enforces."""
    if not reading.limited or reading.forbids or reading.names("train|fit|search|tuning|gpu|disk|model size"):
        return
    unit = reading.take("([KMGT])(?:i?B)?|(" + "|".join(_UNITS) + ")s?")
    limit = reading.limit() if unit else None
    if unit is None or limit is None:
        return
    reading.idle(
        "within memory ram main limited limit cap keep stay need run time runs cpu take takes finish end ends"
    )
    if unit[1]:
        most, what = limit.high * 1024 ** ("KMGT".index(unit[1].upper()) + 1), "memory"
        found = _os_limits(facts, "RLIMIT_AS", "RLIMIT_DATA")
    else:
        most, what = limit.high * _UNITS[unit[2].lower()], "time"
        found = _os_limits(facts, "RLIMIT_CPU") if reading.names("cpu") else {}
        alarms = [call for call in facts.calls if call.name == "signal.alarm"]
        found |= {call.line: facts.values(facts.argument(call, position=0), call.scope) for call in alarms}
    numbers = [value for values in found.values() for value in values or {None}]
    if (
        not numbers
        or limit.low > 0
        or not all(isinstance(value, int | float) and value > 0 for value in numbers)
    ):
        yield unclear(f"The program sets itself no limit of {what}, or calls it off.", found)
    elif any(value > most for value in numbers if isinstance(value, int | float)):
        yield KindFinding(False, f"The program allows itself more {what}.", tuple(found))
    else:
        yield required(found, f"a limit of {what} that the operating system enforces")


def _os_limits(facts: Facts, *names: str) -> dict[int, frozenset[object]]:
    """The soft limits that are set, with their lines."""
    found = {}
    for call in facts.calls:
        which = call.node.args[0] if call.name == "resource.setrlimit" and len(call.node.args) > 1 else None
        if which is not None and facts.name_of(which).rpartition(".")[2] in names:
            pair = call.node.args[1]
            soft = pair.elts[0] if isinstance(pair, ast.Tuple) and pair.elts else pair
            found[call.line] = facts.values(soft, call.scope)
    return found


@kind
def cores(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`At most two CPU cores`, `a single thread`."""
    if not reading.limited or not reading.take(
        r"(?:cpu |worker )?(?:cores?|threads?|processors?|cpus?|processes|workers?)"
    ):
        return
    limit = reading.limit()
    reading.idle("cpu worker")
    if limit is None:
        return
    values = dict(_threads(facts))
    over = [line for line, value in values.items() if isinstance(value, int) and not 0 < value <= limit.high]
    greedy = [
        call.line
        for call in facts.calls
        if _TAKES_ALL.search(call.name) and not call.own and not _limits_itself(facts, call)
    ]
    if (over and limit.low <= 1) or (over and limit.low == limit.high):
        yield KindFinding(False, "The code allows itself more cores.", tuple(over))
    elif (
        None in values.values()
        or (greedy and not _affinity(facts))
        or limit.low not in (limit.high, float("-inf"))
    ):
        yield unclear("Something here takes as many cores as it finds.", greedy)
    else:
        yield required(values, f"{limit} cores")


def _limits_itself(facts: Facts, call: Call) -> bool:
    if any(one.last in _SETTERS for one in facts.calls) or any(
        keyword.arg is None for keyword in call.node.keywords
    ):
        return True
    by_params = call.last == "train" and bool(given(facts, _THREADS))
    return (
        by_params
        or facts.argument(call, *_THREADS) is not None
        or (call.last == "Pool" and bool(call.node.args))
    )


def _affinity(facts: Facts) -> list[tuple[int, int]]:
    """`os.sched_setaffinity(0, {0, 1})`, by which the system keeps everything on those cores."""
    found = []
    for call in facts.calls:
        match call.node.args:
            case [_, ast.Set(elts=chosen)] if call.name == "os.sched_setaffinity":
                found.append((call.line, len(chosen)))
            case [_, ast.Call(args=[ast.Call(func=ast.Name(id="range"), args=[end])])]:
                values = facts.values(end, call.scope) if call.name == "os.sched_setaffinity" else ()
                found += [(call.line, value) for value in values if isinstance(value, int)]
    return found


def _threads(facts: Facts) -> Iterator[tuple[int, object]]:
    yield from _affinity(facts)
    for one in given(facts, _THREADS):
        known = facts.values(one.node, one.scope)
        yield from ((one.line, value) for value in known or {None})
    for call in facts.calls:
        if call.last in _SETTERS or call.name == "multiprocessing.Pool":
            yield from (
                (call.line, value)
                for value in facts.values(facts.argument(call, position=0), call.scope) or {None}
            )


@kind
def device(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`CPU only`, `no GPU`, `train on a GPU`."""
    if (reading.forbids and reading.take(_GPU)) or (
        not reading.forbids and reading.names(r"only|on (?:a |the )?cpu") and reading.take(_CPU_ONLY)
    ):
        reading.idle("cpu only run runs on available without")
        hidden = [*unread_arguments(facts), *_takes_gpu_itself(facts)]
        yield forbidden(_gpu_lines(facts), "use of a GPU", facts, also_hidden=hidden)
    elif not reading.forbids and reading.take(_GPU):
        reading.idle("run on available")
        lines = [*_gpu_lines(facts)]
        by_itself = any(_AUTOMATIC.search(call.name) or _gpu_argument(call) for call in facts.calls)
        yield required(lines, "use of a GPU") if lines or by_itself else missing(facts, "use of a GPU")


def _gpu_argument(call: Call) -> bool:
    return any(
        keyword.arg in ("device", "accelerator", "task_type", "tree_method") for keyword in call.node.keywords
    )


def _gpu_lines(facts: Facts) -> Iterator[int]:
    for call in facts.calls:
        if call.last in SILENT:
            continue
        numbered = facts.values(facts.argument(call, "device"), call.scope) & {0, 1}
        if (
            call.last == "cuda"
            or numbered
            or any(_GPU_TEXT.match(text) for text in facts.texts(call.node, call.scope))
        ):
            yield call.line
    for name, bindings in facts.bound.items():
        for value, scope, line in bindings if facts.loaded(name) else ():
            if any(_GPU_TEXT.match(text) for text in facts.texts(value, scope)):
                yield line


def _takes_gpu_itself(facts: Facts) -> list[tuple[str, int]]:
    """Calls that use a GPU where there is one, unless the code hides it or says CPU."""
    if any(_hides_gpu(facts, call) for call in facts.calls) or _hidden_by_environment(facts):
        return []
    return [(f"{call.last}()", call.line) for call in facts.calls if _AUTOMATIC.search(call.name)]


def _hides_gpu(facts: Facts, call: Call) -> bool:
    on_cpu = facts.values(facts.argument(call, "accelerator", "device", "use_cpu", "no_cuda"), call.scope)
    return bool(on_cpu) and on_cpu <= {"cpu", True, -1}


def _hidden_by_environment(facts: Facts) -> bool:
    for site in facts.sites:
        match site.node:
            case ast.Assign(
                targets=[ast.Subscript(slice=ast.Constant(value="CUDA_VISIBLE_DEVICES"))], value=value
            ):
                return facts.values(value, site.scope) <= {"", "-1"}
    return False
