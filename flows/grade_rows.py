"""What grading gives, as rows of the lake."""

from flows.graded import Graded, GradeRequest
from flows.graded_before import stored_grade
from graders.report import TaskGrade
from lake.rows import GradeRow, VerdictRow


def grade_row(request: GradeRequest, graded: Graded, grade: TaskGrade, made_from: str | None) -> GradeRow:
    """One submission's row."""
    return GradeRow(
        run=request.name,
        seed=grade.seed,
        subset=request.subset,
        release=request.release,
        task_id=grade.task_id,
        modality=graded.member.modality,
        level=graded.member.level,
        made=grade.made,
        valid=grade.valid,
        reason=grade.reason,
        message=grade.message or None,
        metric_id=graded.task.prepared.record.metric_id,
        score=grade.score,
        rank=grade.rank,
        participants=grade.participants,
        rank_pct=grade.rank_pct,
        percentile_beaten=grade.percentile_beaten,
        medal=grade.medal,
        above_median=grade.above_median,
        board_id=graded.board.board_id,
        submission_sha256=grade.submission_sha256,
        notes=tuple(f"{problem.code}: {problem.message}" for problem in grade.problems),
        reasonable=grade.reasonable,
        made_from=made_from,
        json=stored_grade(grade),
    )


def verdict_rows(request: GradeRequest, grade: TaskGrade) -> list[VerdictRow]:
    """One row per constraint."""
    return [
        VerdictRow(
            run=request.name,
            seed=grade.seed,
            task_id=grade.task_id,
            constraint_index=verdict.index,
            constraint_text=verdict.text,
            passed=verdict.passed,
            reason=verdict.reason,
            evidence="\n".join(verdict.evidence) or None,
            judge=verdict.judge,
            model=verdict.model,
            prompt_id=verdict.prompt_id,
            tokens_in=verdict.tokens_in,
            tokens_out=verdict.tokens_out,
            release=request.release,
        )
        for verdict in grade.verdicts
    ]
