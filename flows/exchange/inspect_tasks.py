"""Exported tasks as Inspect AI runs them; the one file that imports it.

An agent works in a sandbox (Docker unless told otherwise). The scorer fetches `submission.csv` and
`best_solution.py`, keeps them below `_runs` for `tam grade`, and lets TAM's grader score and rank them.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import anyio.to_thread
from inspect_ai import Task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import bash, python
from inspect_ai.util import OutputLimitExceededError, sandbox

from core.files import below, write_atomically
from flows.exchange.inspect_export import grade_entry
from graders.report import TaskGrade
from graders.runs import CODE, SUBMISSIONS, Entry
from interchange.inspect_folders import DATA, RUNS, InspectTask, data_files, read_task
from lake.store import Lake

COMMAND_SECONDS = 3600
"""Most seconds of one command of the agent."""
MOST_MESSAGES = 200


def inspect_task(folder: Path, lake: str = "") -> Task:
    """The task in an exported folder: one sample; epochs are seeds.

    The lake that grades is `lake`, else TAM_LAKE, else where it was when the task was exported.

    Raises:
        UsageError: the folder holds no exported task.
    """
    record = read_task(folder)
    place = lake or os.environ.get("TAM_LAKE") or str(record.lake)
    data = folder.absolute() / DATA
    sample = Sample(
        id=record.task_id,
        input=record.prompt,
        metadata=_metadata(record),
        files={name: str(data / name) for name in data_files(data)},
    )
    tools = [bash(timeout=COMMAND_SECONDS), python(timeout=COMMAND_SECONDS)]
    return Task(
        dataset=MemoryDataset([sample], name=record.task_id),
        solver=react(tools=tools),
        scorer=tam_grader(str(folder.absolute()), place),
        sandbox="docker",
        message_limit=MOST_MESSAGES,
        name=record.task_id,
        metadata={**_metadata(record), "title": record.title, "url": record.url},
    )


def _metadata(record: InspectTask) -> dict[str, str | None]:
    return {
        "task_id": record.task_id,
        "platform": record.platform,
        "competition": record.competition,
        "subset": record.subset,
        "release": record.release,
        "modality": record.modality,
        "level": record.level,
        "domain": record.domain,
        "metric_id": record.metric_id,
        "direction": record.direction,
    }


_FIGURES = (
    "score",
    "valid",
    "rank_pct",
    "percentile_beaten",
    "any_medal",
    "above_median",
    "constraints_kept",
)


@scorer(metrics={name: [mean()] for name in _FIGURES})
def tam_grader(folder: str, lake: str) -> Scorer:
    """TAM's grade of the submission in the sandbox.

    A figure that nobody can give (the score of an invalid submission) is NaN, which Inspect AI leaves out.
    """
    record = read_task(Path(folder))

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 — the answers stay in the lake
        run = Path(folder).parent / RUNS / _path_part(str(state.model))
        made = below(run / f"seed-{state.epoch}", record.task_id)
        found = [await _fetched(name) for name in (SUBMISSIONS[0], CODE)]
        entry = await anyio.to_thread.run_sync(_kept, record.task_id, state.epoch, made, found)
        grade = await anyio.to_thread.run_sync(grade_entry, Lake(Path(lake)), record.release, entry)
        remarks = [grade.message, *(problem.message for problem in grade.problems)]
        remarks += [one for one in found if isinstance(one, str)]
        return Score(
            value=figures(grade),
            answer=str(made / SUBMISSIONS[0]),
            explanation="\n".join(remark for remark in remarks if remark) or None,
            metadata={"grade": asdict(grade)},
        )

    return score


async def _fetched(name: str) -> bytes | str:
    """One file of the sandbox; text says why there is none."""
    try:
        return await sandbox().read_file(name, text=False)
    except FileNotFoundError:
        return f"There is no {name}."
    except (OutputLimitExceededError, OSError) as error:
        return f"{name} cannot be brought out of the sandbox: {error}"


def _kept(task_id: str, seed: int, folder: Path, found: Sequence[bytes | str]) -> Entry:
    """Submission and code on the disk, in place of those of an earlier run."""
    paths: list[Path | None] = []
    for name, content in zip((SUBMISSIONS[0], CODE), found, strict=True):
        path = folder / name
        path.unlink(missing_ok=True)
        if isinstance(content, bytes):
            write_atomically(path, content)
        paths.append(path if isinstance(content, bytes) else None)
    submission, code = paths
    return Entry(task_id, seed, folder, submission, code)


def figures(grade: TaskGrade) -> dict[str, float]:
    """A grade as numbers, by the names of `_FIGURES`; NaN where there is none."""
    kept = [verdict.passed for verdict in grade.verdicts]
    values = (
        grade.score,
        grade.valid,
        grade.rank_pct,
        grade.percentile_beaten if grade.valid else 0,
        grade.medal is not None,
        bool(grade.above_median),
        sum(kept) / len(kept) if kept else None,
    )
    found = (float("nan") if value is None else float(value) for value in values)
    return dict(zip(_FIGURES, found, strict=True))


def _path_part(name: str) -> str:
    """A model's name as the name of a folder."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-") or "model"
