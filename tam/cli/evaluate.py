"""`tam evaluate`: one submission against one answer file, or a batch of them."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import TamError, UsageError

if TYPE_CHECKING:
    from graders.evaluate import EvaluationCase


def evaluate(
    metric: Annotated[
        str | None, typer.Option(help="Metric id, see docs/metrics.md.", show_default=False)
    ] = None,
    params: Annotated[
        str, typer.Option(help="The metric's params as JSON, for example '{\"k\": 5}'.")
    ] = "{}",
    answers: Annotated[Path | None, typer.Option(help="Answer file.", show_default=False)] = None,
    submission: Annotated[Path | None, typer.Option(help="Submission file.", show_default=False)] = None,
    id_columns: Annotated[
        str, typer.Option(help="Columns that line rows up, comma-separated; none: by position.")
    ] = "",
    target_columns: Annotated[str, typer.Option(help="Columns that hold predictions, comma-separated.")] = "",
    batch: Annotated[
        Path | None,
        typer.Option(
            help="JSON lines with these options as keys; one line out per case.", show_default=False
        ),
    ] = None,
) -> None:
    """Score a submission: prints `{"valid": true, "score": x}`, or the reason why there is no score.

    Example: `tam evaluate --metric rmse --answers answers.csv --submission mine.csv --id-columns id
    --target-columns price`
    """
    if batch is not None:
        _evaluate_batch(batch)
        return
    if metric is None or answers is None or submission is None or not target_columns:
        raise UsageError(
            "tam evaluate needs --metric, --answers, --submission and --target-columns, or --batch."
        )
    case = _case(
        {
            "metric": metric,
            "params": _json(params, "--params"),
            "answers": answers,
            "submission": submission,
            "id_columns": _names(id_columns),
            "target_columns": _names(target_columns),
        }
    )
    from graders.evaluate import evaluate as score

    print(json.dumps(score(case).record(), ensure_ascii=False))


def _evaluate_batch(batch: Path) -> None:
    """One line out per case, in order; a case that fails by our own fault is a line too, and exit code 1."""
    from graders.evaluate import evaluate as score

    try:
        lines = [line for line in batch.read_text(encoding="utf-8").splitlines() if line.strip()]
    except OSError as error:
        raise UsageError(f"Cannot read {batch}: {error.strerror}.") from None
    cases = [_case(_json(line, f"{batch}, line {number}")) for number, line in enumerate(lines, start=1)]
    failed = 0
    for number, case in enumerate(cases, start=1):
        try:
            record = score(case).record()
        except Exception as error:  # noqa: BLE001  our fault in one case must not cost the others their lines
            failed += 1
            print(f"tam: line {number}: {type(error).__name__}: {error}", file=sys.stderr)
            message = str(error) if isinstance(error, TamError) else type(error).__name__
            record = {"valid": False, "reason": "grading_error", "message": message}
        print(json.dumps(record, ensure_ascii=False), flush=True)
    if failed:
        raise typer.Exit(1)


def _case(keys: object) -> "EvaluationCase":
    from pydantic import ValidationError

    from graders.evaluate import EvaluationCase

    try:
        return EvaluationCase.model_validate(keys)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _json(text: str, where: str) -> Any:  # noqa: ANN401  whatever JSON holds; the record checks it
    try:
        return json.loads(text)
    except ValueError as error:
        raise UsageError(f"{where}: not valid JSON ({error}).") from None


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
