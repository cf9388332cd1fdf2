"""`tam export`: tasks and runs in the forms of other tools."""

from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, notices, print_json

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
    from core.settings import load_settings
    from flows.exchange.mle_bench import list_submissions
    from interchange.mle_bench import write_submissions
    from lake.store import Lake

    settings = load_settings(lake=lake)
    listed = list_submissions(Lake(settings.lake), run, subset, release, out)
    write_submissions(out, listed)
    if json:
        print_json({"file": out, "submissions": listed})
        return
    notices.print(f"{len(listed)} submissions listed in {out}")


@app.command("huggingface")
def huggingface(
    subset: Annotated[str, typer.Argument(help="A subset that `tam build-subset` has cut.")],
    out: Annotated[Path, typer.Option("--out", help="A new folder.", file_okay=False)],
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Write a subset as a Hugging Face data set: one row per task, and a data card.

    Example: `tam export huggingface lite --out lite-hf`
    """
    from flows.exchange.subset_content import subset_content
    from interchange.huggingface import write_huggingface
    from tam.cli.sql import open_lake

    content = subset_content(open_lake(lake, release), subset)
    path = write_huggingface(content, out)
    if json:
        print_json({"subset": subset, "folder": out, "file": path, "tasks": len(content.tasks)})
        return
    said = f"{out}: {len(content.tasks)} tasks; `datasets.load_dataset` reads the folder."
    console.print(said)


@app.command("inspect")
def inspect(
    subset: Annotated[str, typer.Argument(help="lite, medium or full.")],
    out: Annotated[Path, typer.Option(help="The folder to write to.")],
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Write a subset as tasks for Inspect AI: a folder per task, with its data and without its answers.

    There, `inspect eval . --model MODEL` runs them all (extra `inspect`); the scorer is TAM's grader.

    Example: `tam export inspect lite --out lite-inspect`
    """
    from core.settings import load_settings
    from flows.exchange.inspect_export import export_inspect
    from lake.store import Lake

    folders = []
    with notices.status("exporting") as status:
        for folder in export_inspect(Lake(load_settings(lake=lake).lake), subset, release, out):
            folders.append(folder)
            status.update(f"{len(folders)} exported, {folder.name} the last")
    if json:
        print_json({"folder": out, "tasks": [folder.name for folder in folders]})
        return
    notices.print(f"{len(folders)} tasks. Run them: cd {out} && inspect eval . --model MODEL")
