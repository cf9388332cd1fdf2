"""`tam export`: tasks and runs in the forms of other tools."""

from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import notices, print_json

app = typer.Typer(no_args_is_help=True, help="Tasks and runs in the forms of other tools.")


@app.command("mle-bench")
def mle_bench(
    run: Annotated[Path, typer.Argument(help="RUN/<task_id>/… or RUN/seed-*/<task_id>/…")],
    out: Annotated[Path, typer.Option(help="The list to write; in the run's folder or above it.")],
    subset: Annotated[str, typer.Option(help="Whose tasks are listed.")] = "lite",
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """List a run's submissions as MLE-bench's graders take them: a line of JSON per submission.

    `tam grade RUN --report mle-bench --out FILE` writes the grading report.

    Example: `tam export mle-bench runs/my-agent --out runs/submissions.jsonl`
    """
    from flows.mle_bench import list_submissions
    from interchange.mle_bench import write_submissions
    from lake.store import Lake
    from tam.settings import load_settings

    settings = load_settings(lake=lake)
    listed = list_submissions(Lake(settings.lake), run, subset, release, out)
    write_submissions(out, listed)
    if json:
        print_json({"file": out, "submissions": listed})
        return
    notices.print(f"{len(listed)} submissions listed in {out}", markup=False)
