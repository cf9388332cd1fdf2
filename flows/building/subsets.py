"""Cutting a subset from the lake and publishing it as a folder."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from core.errors import TaskError, UsageError
from core.files import below, write_atomically
from core.records import made_of
from difficulty.formula import SCORER as FORMULA
from difficulty.subsets import Candidate, Previous, Rejected, cut_subset
from flows.building.sources import pages_by_competition
from lake.rows import DifficultyRow, SubsetRow, TaskRow
from lake.store import Lake
from lake.tables import DIFFICULTIES, SCREENINGS, SUBSETS, TASKS
from lake.views import quoted
from mapping.catalogue import published_task
from mapping.published import to_published
from schema.difficulty import Level
from schema.page import description
from schema.subset import Rules, Subset, SubsetName
from schema.task import Modality, Task

PUBLISHED = "published"
"""Modalities and levels of the paper's list, for the tasks on it; what is known of its Lite comes first."""
_MANIFEST = "subset.json"
_FILES = ("task.json", "description.md")
_LAST = """
SELECT task_id FROM subsets_history
WHERE subset = {subset} AND seed = {seed} AND scorer = {scorer}
QUALIFY rank() OVER (ORDER BY written_at DESC, batch DESC) = 1
"""


@dataclass(frozen=True, slots=True)
class SubsetRequest:
    """Which subset to cut, and how."""

    name: SubsetName
    seed: int
    out: Path
    scorer: str = FORMULA
    """Whose levels count: the formula's, the calibrated scorer's, or the paper's own."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    afresh: bool = False
    """Do not keep the members of the last cut."""


def build_subset(lake: Lake, request: SubsetRequest) -> Subset:
    """Cut the subset, enter it in the lake and write `subset.json` and one folder per task to `request.out`.

    Candidates are the tasks that pass every screening rule and have a modality and a level.

    Raises:
        TaskError: the lake has no such task.
        UsageError: a task that must be in is no candidate, or is to be left out as well.
    """
    difficulties = {row.task_id: row for row in lake.read(DIFFICULTIES, scorer=request.scorer)}
    candidates, rejected = _candidates(lake, request.scorer, difficulties)
    if not candidates:
        raise TaskError(
            f"The lake {lake.root} has no task that passed screening and has a level by the "
            f"{request.scorer} scorer. Run `tam crawl` and `tam build` first; "
            '`tam sql "FROM screenings WHERE NOT passed"` shows why tasks were rejected.'
        )
    rules = _rules(request, candidates, rejected)
    release = lake.release.name if lake.release else None
    subset = cut_subset(
        request.name,
        candidates.values(),
        rules,
        previous=None if request.afresh else _previous(lake, request),
        rejected=rejected,
        release=release,
    )
    _publish(lake, subset, request.out)
    Lake(lake.root).append_changed(SUBSETS, _rows(subset, difficulties))
    return subset


def _candidates(
    lake: Lake, scorer: str, difficulties: Mapping[str, DifficultyRow]
) -> tuple[dict[str, Candidate], list[Rejected]]:
    failed: dict[str, list[str]] = {}
    for row in sorted(lake.read(SCREENINGS), key=lambda row: row.rule):
        if not row.passed:
            failed.setdefault(row.task_id, []).append(f"{row.rule}: {row.reason}")
    candidates, rejected = {}, []
    for task in lake.read(TASKS):
        modality, level = _cell(task, difficulties.get(task.task_id), scorer)
        reasons = failed.get(task.task_id, [])
        if modality is None:
            reasons = [*reasons, "its modality is not known"]
        if level is None:
            reasons = [*reasons, f"it has no level by the {scorer} scorer"]
        if modality is None or level is None or reasons:
            rejected.append(Rejected(task.task_id, modality, level, "; ".join(reasons)))
            continue
        found = difficulties.get(task.task_id)
        candidates[task.task_id] = Candidate(
            task_id=task.task_id,
            modality=modality,
            level=level,
            platform=task.platform,
            domain=task.domain,
            deadline=None if task.deadline is None else task.deadline.date(),
            uncertain=bool(found and found.uncertain),
        )
    return candidates, rejected


def _cell(task: TaskRow, found: DifficultyRow | None, scorer: str) -> tuple[Modality | None, Level | None]:
    if scorer == PUBLISHED:
        published = published_task(task.competition)
        return (None, None) if published is None else (published.modality, published.level)
    modality = None if task.modality is None else Modality(task.modality)
    return modality, None if found is None or found.level is None else Level(found.level)


def _rules(
    request: SubsetRequest, candidates: Mapping[str, Candidate], rejected: Iterable[Rejected]
) -> Rules:
    if both := set(request.include) & set(request.exclude):
        raise UsageError(f"{', '.join(sorted(both))}: to be in and to be left out at once.")
    reasons = {one.task_id: one.reason for one in rejected}
    for task_id in request.include:
        if task_id not in candidates:
            raise UsageError(f"{task_id} cannot be in: {reasons.get(task_id, 'the lake has no such task')}.")
    include = request.include
    if request.scorer == PUBLISHED:
        include += tuple(sorted(task_id for task_id, one in candidates.items() if _in_lite(task_id, one)))
    return Rules(seed=request.seed, scorer=request.scorer, include=include, exclude=request.exclude)


def _in_lite(task_id: str, one: Candidate) -> bool:
    published = published_task(task_id.removeprefix(f"{one.platform}-"))
    return published is not None and published.lite


def _previous(lake: Lake, request: SubsetRequest) -> Previous:
    """The last cuts with this seed and scorer, whatever release they were made from."""
    now = Lake(lake.root)

    def last(name: SubsetName) -> frozenset[str]:
        query = _LAST.format(subset=quoted(name), seed=request.seed, scorer=quoted(request.scorer))
        return frozenset(now.sql(query).column("task_id").to_pylist())

    own = last(request.name)
    return Previous(lite=own if request.name is SubsetName.LITE else last(SubsetName.LITE), own=own)


def _publish(lake: Lake, subset: Subset, out: Path) -> None:
    """Write the folders first and the manifest last: a manifest never names a folder that is not there."""
    tasks: dict[str, TaskRow] = {row.task_id: row for row in lake.read(TASKS)}
    pages = pages_by_competition(lake)
    for member in subset.members:
        row = tasks[member.task_id]
        task = Task.model_validate_json(row.json)
        folder = below(out, member.task_id)
        record = json.dumps(to_published(task), ensure_ascii=False, indent=2)
        write_atomically(folder / "task.json", record + "\n")
        text = description(pages.get((row.platform, row.competition), ()))
        write_atomically(folder / "description.md", text)
    gone = _published_before(out) - {member.task_id for member in subset.members}
    write_atomically(out / _MANIFEST, subset.model_dump_json(indent=2) + "\n")
    for task_id in gone:
        _remove(below(out, task_id))


def _published_before(out: Path) -> set[str]:
    """The tasks of the manifest that is there already."""
    try:
        before = Subset.model_validate_json((out / _MANIFEST).read_bytes())
    except (OSError, ValidationError):
        return set()
    return {member.task_id for member in before.members if Path(member.task_id).name == member.task_id}


def _remove(folder: Path) -> None:
    """Take our two files away; a folder that holds anything else stays."""
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def _rows(subset: Subset, difficulties: Mapping[str, DifficultyRow]) -> list[SubsetRow]:
    return [
        made_of(
            SubsetRow,
            member,
            subset,
            subset=subset.name,
            score=None if (found := difficulties.get(member.task_id)) is None else found.score,
        )
        for member in subset.members
    ]
