"""The file that the program writes: its name and format. What stands in it is measured."""

import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, kind, required, unclear
from graders.constraints.wording import Reading, listed

_QUOTE = r"['\"`\u2018\u2019\u201c\u201d]?"
_FILE = rf"{_QUOTE}([\w-][\w./-]*\.(?:csv|tsv|parquet|jsonl?|txt|pkl|npy|npz|zip|h5|feather|gz)){_QUOTE}"
_WRITING = r"named|called|saved?|written|writes?|outputs?|produced?|submission file|submitted"
_FORMAT = r"(parquet|csv|jsonl?|npy|feather|excel)(?: files?)?"
_ABOUT = (
    "output submission predictions prediction file files results result name saved save written write named"
    " called format produce answers"
)
_WRITERS = re.compile(r"^(?:to_[a-z]+|save\w*|dump|write_[a-z]+|sink_\w+)$")
_ENDINGS = {
    "csv": {"csv"},
    "json": {"json"},
    "jsonl": {"jsonl"},
    "parquet": {"parquet"},
    "npy": {"npy"},
    "feather": {"feather"},
    "excel": {"xlsx", "xls"},
}


@kind
def file_name(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`The output file must be named 'submission.csv'`."""
    if reading.forbids or not reading.names(_WRITING):
        return
    match = reading.take_anywhere(_FILE)
    if match is None:
        return
    reading.idle(_ABOUT)
    wanted = match[1].rpartition("/")[2].lower()
    written = list(_written(facts))
    lines = [line for name, line in written if name == wanted]
    if lines or not written or "" in dict(written):
        yield required(lines, f"writing {wanted}")
    else:
        names = listed(dict.fromkeys(name for name, _ in written))
        yield KindFinding(False, f"The code writes {names}.", tuple(line for _, line in written))


@kind
def file_format(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`The output must be a parquet file`."""
    if reading.forbids or not reading.names(r"outputs?|submission|predictions?|results?|answers?"):
        return
    match = reading.take(_FORMAT)
    if match is None:
        return
    reading.idle(_ABOUT)
    wanted = _ENDINGS[match[1].lower()]
    written = [(name.rpartition(".")[2], line) for name, line in _written(facts)]
    lines = [line for ending, line in written if ending in wanted]
    if lines and len(lines) == len(written):
        yield required(lines, f"writing a {match[1]} file")
    elif written and not lines and all(ending for ending, _ in written):
        yield KindFinding(
            False,
            f"The code writes {listed({ending for ending, _ in written})}.",
            tuple(line for _, line in written),
        )
    else:
        yield unclear("Which of its files is the submission cannot be said.")


def _written(facts: Facts) -> Iterator[tuple[str, int]]:
    """The names of files of data that the code writes, "" for one that nobody can say."""
    for call in facts.calls:
        if not _writes(facts, call) or call.own:
            continue
        parts = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
        if call.last == "open" or call.last.startswith("write_"):
            parts += [call.node.func.value] if hasattr(call.node.func, "value") else []
        texts = {text for part in parts for text in facts.texts(part, call.scope)}
        names = [
            text.replace("\\", "/").rpartition("/")[2].lower()
            for text in texts
            if re.search(r"\.\w{2,8}$", text)
        ]
        yield from ((name, call.line) for name in names or [""])


def _writes(facts: Facts, call: Call) -> bool:
    if call.last == "open":
        mode = facts.argument(call, "mode", position=1 if call.name == "open" else 0)
        return any(
            isinstance(value, str) and set(value) & set("wax") for value in facts.values(mode, call.scope)
        )
    tables = call.last in (
        "to_csv",
        "to_parquet",
        "to_json",
        "to_feather",
        "to_excel",
        "savetxt",
        "write_csv",
        "write_parquet",
        "write_text",
        "save",
    )
    return tables or bool(_WRITERS.match(call.last) and call.last.startswith(("write_", "sink_")))
