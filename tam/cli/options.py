"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

LakeOption = Annotated[
    Path | None,
    typer.Option("--lake", help="The lake's folder; else TAM_LAKE, else ./lake.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
DirectOption = Annotated[
    bool, typer.Option("--direct", help="Run without Prefect (as TAM_PREFECT=off does).")
]
ReleaseOption = Annotated[
    str | None, typer.Option("--release", help="Read this frozen state of the lake.", show_default=False)
]
