"""Grades as the lake stores them, and which of them a new call takes over.

A grade is the same work while submission, code, prepared data, board, direction, constraints, judges and the
code of the graders are the same to the byte.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from pydantic import TypeAdapter, ValidationError

from core.records import made_of
from flows.engine.counters import count, count_fault, refuse
from flows.grading.tasks import GradeRequest, SubsetTask
from graders.constraints import JudgeChoice, JudgeOutcome
from graders.constraints.llm import LlmJudge
from graders.report import TaskGrade
from graders.runs import Entry
from graders.submission import GradeReason, checksum
from lake.rows import GradeRow, VerdictRow
from lake.store import Lake
from lake.tables import GRADES


def grade_row(request: GradeRequest, graded: SubsetTask, grade: TaskGrade, made_from: str | None) -> GradeRow:
    """One submission's row."""
    return made_of(
        GradeRow,
        grade,
        request,
        graded.member,
        run=request.name,
        message=grade.message or None,
        metric_id=graded.task.prepared.record.metric_id,
        board_id=graded.board.board_id,
        notes=tuple(f"{problem.code}: {problem.message}" for problem in grade.problems),
        made_from=made_from,
        json=stored_grade(grade),
    )


def verdict_rows(request: GradeRequest, grade: TaskGrade) -> list[VerdictRow]:
    """One row per constraint."""
    return [
        made_of(
            VerdictRow,
            verdict,
            grade,
            request,
            run=request.name,
            constraint_index=verdict.index,
            constraint_text=verdict.text,
            evidence="\n".join(verdict.evidence) or None,
        )
        for verdict in grade.verdicts
    ]


_GRADE = TypeAdapter(TaskGrade)
_NO_GRADERS = frozenset({"aggregate", "labelled", "__pycache__"})
"""Folders whose code sums up or measures: no grade depends on it."""


class GradedBefore:
    """The stored grades of one run, each with what it was made from."""

    def __init__(self, rows: Sequence[GradeRow]) -> None:
        self._rows = {(row.seed, row.task_id): row for row in rows}

    def find(self, entry: Entry, made_from: str | None) -> TaskGrade | None:
        """The grade of the same work; None: it is to be graded."""
        row = self._rows.get((entry.seed, entry.task_id))
        if row is None or made_from is None or row.made_from != made_from or row.json is None:
            return None
        try:
            grade: TaskGrade = _GRADE.validate_json(row.json)
        except ValidationError:
            return None  # written by another version of the record
        return None if _is_fault(grade) or _model_was_silent(grade) else grade


def _is_fault(grade: TaskGrade) -> bool:
    return grade.reason == GradeReason.GRADER_FAULT


def graded_before(lake: Lake, run: str) -> GradedBefore:
    """What the lake holds of a run."""
    return GradedBefore(lake.read(GRADES, run=run))


def made_from(
    graded: SubsetTask, entry: Entry, llm: LlmJudge | None, choice: JudgeChoice = "both"
) -> str | None:
    """Hash of everything that the entry's grade depends on; None where the files cannot be hashed."""
    files = [
        None if path is None else checksum(path, inside=entry.inside) or ""
        for path in (entry.submission, entry.code)
    ]
    if "" in files:
        return None
    task = graded.task
    parts = {
        "graders": graders_hash(),
        "task": [task.task_id, task.direction, task.prepared.record.model_dump_json(), task.constraints],
        "board": [
            graded.board.sha256,
            task.board.decimals,
            task.board.unscored,
            _hash(task.board.scores.tobytes()),
        ],
        "judge": None if llm is None else [choice, *llm.identity],
        "files": files,
    }
    return _hash(json.dumps(parts, sort_keys=True).encode())


def stored_grade(grade: TaskGrade) -> str:
    """The whole grade as JSON, for its row."""
    return _GRADE.dump_json(grade).decode()


@cache
def graders_hash() -> str:
    """Hash of the graders' own code and prompts: another version may grade otherwise."""
    digest = hashlib.sha256()
    for name, file in sorted(_sources(resources.files("graders"), "").items()):
        digest.update(f"{name}\0{_hash(file.read_bytes())}\n".encode())
    return digest.hexdigest()


def _sources(folder: Traversable, prefix: str) -> Mapping[str, Traversable]:
    found: dict[str, Traversable] = {}
    for file in folder.iterdir():
        if file.is_dir() and file.name not in _NO_GRADERS:
            found |= _sources(file, f"{prefix}{file.name}/")
        elif file.name.endswith((".py", ".md")):
            found[prefix + file.name] = file
    return found


def _model_was_silent(grade: TaskGrade) -> bool:
    """A model was asked and could not tell, be it for a busy endpoint: it is asked again."""
    return any(one.judge == "llm" and one.outcome is JudgeOutcome.CANNOT_TELL for one in grade.verdicts)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def count_grade(grade: TaskGrade) -> None:
    """One submission that was graded now."""
    count("submissions", label="valid" if grade.valid else "invalid")
    if _is_fault(grade):
        count_fault(str(grade.reason))
    elif grade.reason is not None:
        refuse(grade.reason)
    count("constraints", sum(verdict.passed for verdict in grade.verdicts), label="kept")
    count("constraints", sum(not verdict.passed for verdict in grade.verdicts), label="broken")
    count("tokens_in", sum(verdict.tokens_in for verdict in grade.verdicts))
    count("tokens_out", sum(verdict.tokens_out for verdict in grade.verdicts))
