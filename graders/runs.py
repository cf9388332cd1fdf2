"""Where the submissions of a run lie: a folder per task, folders per seed, or a list in a JSONL file."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from core.errors import UsageError
from core.files import below

SUBMISSIONS = ("submission.csv", "submission.parquet", "submission.json", "submission.jsonl")
_OTHER_SUBMISSIONS = ("submission.csv.gz", "submission.tsv", "submission.txt")
CODE = "best_solution.py"
_SEED = re.compile(r"seed-(\d{1,9})")
_LARGEST_LIST = 64 << 20


@dataclass(frozen=True, slots=True)
class RunListing:
    """What a list says of a submission, as it stands there."""

    competition_id: str
    submission_path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a run has for one task and seed. The paths come from the run: data until they are checked."""

    task_id: str
    seed: int
    inside: Path
    """The folder that the files must not lead out of."""
    submission: Path | None
    """None: nothing was made."""
    code: Path | None
    listed: RunListing | None = None
    """None: the run is a folder, or its list does not name this task."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    competition_id: str
    submission_path: str | None = None
    code_path: str | None = None
    seed: int | None = None
    """None: 0, or the next one where a competition is listed again, as MLE-bench lists further attempts."""


def find_entries(run: Path, task_ids: Collection[str]) -> tuple[Entry, ...]:
    """One entry per seed and task of the subset, made or not, by seed and in the order of `task_ids`.

    Raises:
        UsageError: there is no such run, it holds nothing of the subset, or the list cannot be read.
    """
    if run.is_file():
        return _from_list(run, task_ids)
    if not run.is_dir():
        raise UsageError(f"There is no run at {run}: a folder or a JSONL file is expected.")
    seeds = {int(match[1]): path for path in sorted(run.iterdir()) if (match := _SEED.fullmatch(path.name))}
    folders: Mapping[int, Path] = seeds or {0: run}
    entries = [
        _in_folder(task_id, seed, run, below(folder, task_id))
        for seed, folder in sorted(folders.items())
        for task_id in task_ids
    ]
    _require_some(run, entries, task_ids)
    return tuple(entries)


def _in_folder(task_id: str, seed: int, run: Path, folder: Path) -> Entry:
    names = (*SUBMISSIONS, *_OTHER_SUBMISSIONS)
    # A broken or hostile link is something that was made, so it is looked at without following it.
    made = next((folder / name for name in names if _is_there(folder / name)), None)
    code = folder / CODE
    return Entry(task_id, seed, run, made, code if _is_there(code) else None)


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except OSError:
        return False
    return True


def _from_list(file: Path, task_ids: Collection[str]) -> tuple[Entry, ...]:
    found: dict[tuple[int, str], Entry] = {}
    attempts: Counter[str] = Counter()
    for number, line in _lines(file).items():
        try:
            record = _Line.model_validate_json(line)
        except ValidationError as error:
            problem = error.errors()[0]
            raise UsageError(f"{file}, line {number}: {problem['loc']} {problem['msg']}.") from None
        task_id = _task_of(record.competition_id, task_ids)
        if task_id is None:
            continue
        seed = record.seed
        while seed is None:
            attempt = attempts[task_id]
            attempts[task_id] += 1
            seed = None if (attempt, task_id) in found else attempt
        if (seed, task_id) in found:
            raise UsageError(f"{file}, line {number}: {record.competition_id!r} is listed twice for a seed.")
        found[seed, task_id] = _listed(record, task_id, seed, file.parent)
    _require_some(file, found.values(), task_ids)
    seeds = sorted({seed for seed, _ in found})
    return tuple(
        found.get((seed, task_id), Entry(task_id, seed, file.parent, None, None))
        for seed in seeds
        for task_id in task_ids
    )


def _lines(file: Path) -> dict[int, str]:
    """The lines that say something, by their numbers."""
    if file.stat().st_size > _LARGEST_LIST:
        raise UsageError(f"{file} is too large for a list of submissions.")
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text.") from None
    return {number: line for number, line in enumerate(lines, start=1) if _says_something(line)}


def _says_something(line: str) -> bool:
    """Whether a line of a list is neither blank nor, as in MLE-bench's lists, a comment."""
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//"))


def _listed(record: _Line, task_id: str, seed: int, folder: Path) -> Entry:
    listed = RunListing(record.competition_id, record.submission_path or "")
    if not record.submission_path or "\0" in record.submission_path:
        return Entry(task_id, seed, folder, None, None, listed)
    submission = folder / record.submission_path
    if not _is_there(submission) and _is_there(Path(record.submission_path)):
        submission = Path(record.submission_path)  # MLE-bench's lists count from where they were made
    code = folder / record.code_path if record.code_path else submission.parent / CODE
    made = submission if _is_there(submission) else None
    return Entry(task_id, seed, folder, made, code if _is_there(code) else None, listed)


def _task_of(name: str, task_ids: Collection[str]) -> str | None:
    """The task with this id, or the only one made from a competition with this slug."""
    if name in task_ids:
        return name
    by_slug = [task_id for task_id in task_ids if task_id.partition("-")[2] == name]
    return by_slug[0] if len(by_slug) == 1 else None


def _require_some(run: Path, entries: Iterable[Entry], task_ids: Collection[str]) -> None:
    if not any(entry.submission or entry.code for entry in entries):
        shown = ", ".join(list(task_ids)[:3])
        raise UsageError(f"{run} holds nothing for any task of the subset ({shown}, …).")
