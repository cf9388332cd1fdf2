"""`tam export`: subsets for other people's tools."""

from pathlib import Path
from typing import Annotated

import typer

from tam.cli.options import JsonOption, LakeOption, ReleaseOption
from tam.cli.output import console, print_json

app = typer.Typer(help="Write subsets for other people's tools.", no_args_is_help=True)

SubsetArgument = Annotated[str, typer.Argument(help="A subset that `tam build-subset` has cut.")]
OutOption = Annotated[Path, typer.Option("--out", help="A new folder.", file_okay=False)]


@app.command("huggingface")
def huggingface(
    subset: SubsetArgument,
    out: OutOption,
    release: ReleaseOption = None,
    lake: LakeOption = None,
    json: JsonOption = False,
) -> None:
    """Write a subset as a Hugging Face data set: one row per task, and a data card.

    Example: `tam export huggingface lite --out lite-hf`
    """
    from flows.subset_content import subset_content
    from interchange.huggingface import write_huggingface
    from tam.cli.sql import open_lake

    content = subset_content(open_lake(lake, release), subset)
    path = write_huggingface(content, out)
    if json:
        print_json({"subset": subset, "folder": str(out), "file": str(path), "tasks": len(content.tasks)})
        return
    console.print(
        f"{out}: {len(content.tasks)} tasks. `datasets.load_dataset` reads the folder.", markup=False
    )
