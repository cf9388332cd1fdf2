"""Memory, run time and the device."""

import ast
import math
import re
from collections.abc import Collection, Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import SILENT, KindFinding, forbidden, kind, required
from graders.constraints.live import EXITS
from graders.constraints.named_settings import given
from graders.constraints.opaque_code import unread_arguments
from graders.constraints.wording import negated, seconds, size_in_bytes

_MEMORY_KEYWORDS = frozenset({"memory_limit", "max_memory", "ram_limit", "max_ram", "memory_limit_mb"})
_TIME_KEYWORDS = frozenset(
    {"timeout", "time_limit", "time_budget", "max_runtime_secs", "max_time", "time_left_for_this_task"}
)
_CORES = re.compile(
    r"\b(\d{1,3}|one|single|two|three|four|eight)\s+(?:cpu\s+)?(?:cores?|threads?|processors?|cpus?"
    r"|(?:worker )?process(?:es)?|workers?)\b",
    re.IGNORECASE,
)
_COUNTS = {"one": 1, "single": 1, "two": 2, "three": 3, "four": 4, "eight": 8}
_CORE_KEYWORDS = ("n_jobs", "nthread", "num_threads", "thread_count", "num_workers", "max_workers")
_CORE_SETTERS = frozenset({"set_num_threads", "threadpool_limits"})
_WAITING = frozenset(
    {"get", "post", "put", "request", "urlopen", "result", "join", "wait", "run", "check_output", "connect"}
)
"""Calls whose time-out is about one answer, not about the program."""
_CLOCKS = frozenset({"time.time", "time.monotonic", "time.perf_counter", "time.process_time"})
_CPU_ONLY = re.compile(
    r"\bcpu[- ]only\b|\bonly (?:on |the |a )*cpu\b|\bon (?:a |the )?cpu\b"
    r"|\b(?:no|without|not)\b[\w ,]{0,30}?\b(?:gpu|cuda)s?\b"
    r"|\bgpus?\b[\w ]{0,20}\b(?:not|forbidden|prohibited|disabled|banned|off[- ]limits)\b"
    r"|\bcpu\b.{0,12}\bonly\b",
    re.IGNORECASE,
)
_GPU = re.compile(r"\b(?:use|using|on|with|requires?|require)\b[\w ]{0,12}\b(?:gpu|cuda)\b", re.IGNORECASE)
_AUTOMATIC = re.compile(
    r"(?:^|\.)cuda\.(?:is_available|device_count)$|(?:^|\.)transformers\.(?:\w*Trainer|pipeline)$"
    r"|(?:^|\.)(?:pytorch_)?lightning\.(?:pytorch\.)?Trainer$|^fastai\.\w|(?:^|\.)keras\.(?:\w+\.)*(?:Model|Sequential)$"
    r"|^simpletransformers\.|^sentence_transformers\.|^(?:jax|flax)\.\w|^autogluon\."
)
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_GPU_TEXT = re.compile(r"^(?:cuda(?::\d+)?|gpu(?::\d+)?|gpu_hist|mps)$", re.IGNORECASE)


@kind
def memory(text: str, facts: Facts) -> KindFinding | None:
    """`Use at most 0.5 GB`: the code must limit itself; thrift alone cannot be seen."""
    limit = size_in_bytes(text)
    if limit is None or re.search(r"\b(?:disk|file size|download|model size|upload)\b", text, re.IGNORECASE):
        return None
    set_to = list(_memory_limits(facts))
    if not set_to:
        return required((), "a memory limit that the code sets for itself")
    over = [line for value, line in set_to if value > limit]
    if over:
        return KindFinding(kept=False, reason="The code allows itself more memory.", lines=tuple(over))
    return required([line for _, line in set_to], "a memory limit that is low enough")


def _memory_limits(facts: Facts) -> Iterator[tuple[float, int]]:
    for call in facts.calls:
        for value in _limit_values(facts, call):
            if isinstance(value, str):
                size = size_in_bytes(value)
                if size is not None:
                    yield size, call.line
            elif isinstance(value, int | float) and value > 0:
                yield float(value), call.line


def _limit_values(facts: Facts, call: Call) -> Collection[object]:
    if call.name == "resource.setrlimit" and call.node.args:
        if "RLIMIT_AS" not in ast.unparse(call.node.args[0]) and "RLIMIT_DATA" not in ast.unparse(
            call.node.args[0]
        ):
            return ()
        pair = facts.argument(call, position=1)
        parts = pair.elts if isinstance(pair, ast.Tuple) else [pair]
        return {value for part in parts for value in facts.values(part, call.scope)}
    return facts.values(facts.argument(call, *_MEMORY_KEYWORDS), call.scope)


@kind
def run_time(text: str, facts: Facts) -> KindFinding | None:
    """`Finish within 9 hours`: the code must watch the clock or set a time limit."""
    limit = seconds(text)
    about_time = re.search(
        r"\b(?:run[- ]?times?|time limit|train(?:ing)? time|finish|complete|within|minutes|hours|run for)\b",
        text,
        re.IGNORECASE,
    )
    if limit is None or not about_time:
        return None
    found = list(_time_limits(facts))
    if not found:
        return required((), "a time limit that the code sets for itself")
    over = [line for value, line in found if value > limit]
    called_off = any(value == math.inf for value, _ in found)
    if over and called_off and (len(over) < len(found) or _alarms(facts) > len(found)):
        return KindFinding(kept=None, reason="An alarm is set and called off.", lines=tuple(over))
    if over:
        return KindFinding(kept=False, reason="The code allows itself more time.", lines=tuple(over))
    return required([line for _, line in found], "a time limit that is short enough")


def _alarms(facts: Facts) -> int:
    return sum(call.name == "signal.alarm" for call in facts.calls)


def _time_limits(facts: Facts) -> Iterator[tuple[float, int]]:
    for call in facts.calls:
        limit = None if call.last in _WAITING else facts.argument(call, *_TIME_KEYWORDS)
        if call.name == "signal.alarm":
            limit = facts.argument(call, position=0)
        for value in facts.values(limit, call.scope):
            if isinstance(value, int | float) and not isinstance(value, bool):
                yield float(value) or math.inf, call.line  # an alarm in 0 seconds is none
    for site in facts.sites:
        test = _ending_test(site.node)
        if isinstance(test, ast.Compare) and _reads_clock(facts, test.left):
            for value in facts.values(test.comparators[0], site.scope):
                if isinstance(value, int | float):
                    yield float(value), test.lineno


def _ending_test(node: ast.AST) -> ast.expr | None:
    """The test of a loop, or of an `if` that ends something."""
    if isinstance(node, ast.While):
        return node.test
    endings = ast.Break | ast.Return | ast.Raise
    if isinstance(node, ast.If) and any(
        isinstance(part, endings) or (isinstance(part, ast.Call) and ast.unparse(part.func) in EXITS)
        for statement in node.body
        for part in ast.walk(statement)
    ):
        return node.test
    return None


def _reads_clock(facts: Facts, node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) and facts.name_of(part.func) in _CLOCKS for part in ast.walk(node))


@kind
def device(text: str, facts: Facts) -> KindFinding | None:
    """`CPU only`, `no GPU`, `train on the GPU`."""
    if _CPU_ONLY.search(text) and not re.search(r"\bcpu\s*(?:/|and|or)\s*gpu", text, re.IGNORECASE):
        hidden = [*unread_arguments(facts), *_takes_gpu_itself(facts)]
        return forbidden(_gpu_lines(facts), "use of a GPU", facts, also_hidden=hidden)
    if _GPU.search(text) and not negated(text):
        return required(_gpu_lines(facts), "use of a GPU")
    return None


def _gpu_lines(facts: Facts) -> Iterator[int]:
    for call in facts.calls:
        if call.last in SILENT:
            continue
        if call.last == "cuda" or any(_GPU_TEXT.match(text) for text in facts.texts(call.node, call.scope)):
            yield call.line
    for name, bindings in facts.bound.items():
        if not facts.loaded(name):
            continue
        for value, scope, line in bindings:
            if any(_GPU_TEXT.match(text) for text in facts.texts(value, scope)):
                yield line


def _takes_gpu_itself(facts: Facts) -> list[tuple[str, int]]:
    """Calls that use a GPU where there is one, unless the code hides it or says CPU."""
    if any(_hides_gpu(facts, call) for call in facts.calls) or _hidden_by_environment(facts):
        return []
    return [
        (f"{call.last}()", call.line)
        for call in facts.calls
        if _AUTOMATIC.search(call.name) and not call.name.startswith("own.")
    ]


def _hides_gpu(facts: Facts, call: Call) -> bool:
    on_cpu = facts.values(facts.argument(call, "accelerator", "device", "use_cpu", "no_cuda"), call.scope)
    if on_cpu and on_cpu <= {"cpu", True, -1}:
        return True
    if call.last == "set_visible_devices":
        return ast.unparse(call.node.args[0]) == "[]" if call.node.args else False
    values = [facts.values(one, call.scope) for one in call.node.args]
    return call.last in ("setdefault", "putenv", "update") and values[:1] == [frozenset({_VISIBLE})]


def _hidden_by_environment(facts: Facts) -> bool:
    for site in facts.sites:
        match site.node:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=key))], value=value):
                if key == _VISIBLE and facts.values(value, site.scope) <= {"", "-1"}:
                    return True
            case ast.Assign():
                pass
    return False


@kind
def cores(text: str, facts: Facts) -> KindFinding | None:
    """`At most two CPU cores`."""
    match = _CORES.search(text)
    if match is None:
        return None
    limit = _COUNTS.get(match[1].lower()) or int(match[1])
    found = list(_core_limits(facts))
    over = [line for value, line in found if not 0 < value <= limit]
    if over:
        return KindFinding(kept=False, reason="The code allows itself more cores.", lines=tuple(over))
    return required([line for _, line in found], f"at most {limit} cores")


def _core_limits(facts: Facts) -> Iterator[tuple[float, int]]:
    for one in given(facts, _CORE_KEYWORDS, variables=False):
        for value in facts.values(one.node, one.scope):
            if isinstance(value, int) and not isinstance(value, bool):
                yield value, one.line
    for call in facts.calls:
        limits: list[ast.expr | None] = []
        if call.last in _CORE_SETTERS:
            limits.append(facts.argument(call, position=0))
        if call.name == "os.sched_setaffinity":
            limits += _affinity(facts, facts.argument(call, position=1))
        for limit in limits:
            for value in facts.values(limit, call.scope):
                if isinstance(value, int) and not isinstance(value, bool):
                    yield value, call.line


def _affinity(facts: Facts, chosen: ast.expr | None) -> list[ast.expr]:
    """What says how many processors `{0, 1}` or `set(range(2))` are."""
    if isinstance(chosen, ast.Set | ast.List | ast.Tuple):
        return [ast.Constant(len(chosen.elts))]
    if isinstance(chosen, ast.Call) and len(chosen.args) == 1:
        if facts.name_of(chosen.func) == "range":
            return [chosen.args[0]]
        return _affinity(facts, chosen.args[0])
    return []
