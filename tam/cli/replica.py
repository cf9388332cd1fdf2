"""`tam replica`: local replicas of the competition sites."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Local replicas of the competition sites.", no_args_is_help=True)


@app.callback()
def replica() -> None:
    """Local replicas of the competition sites, to develop and test against."""


@app.command()
def serve(
    content: Annotated[
        Path,
        typer.Option(exists=True, file_okay=False, help="Folder of <platform>/<slug>/ (docs/platforms.md)."),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65500, help="First of the ports, one per site; 0: free ones.")
    ] = 8930,
    quirk: Annotated[
        list[str] | None, typer.Option(help="Turn on a quirk of the real sites. Repeatable.")
    ] = None,
) -> None:
    """Serve a content folder as replicas of competition sites on 127.0.0.1, until interrupted.

    They are Kaggle, AIcrowd, Biendata, Codabench, EvalAI and OGB. When all answer, one JSON line with their
    addresses is printed.

    Example: `tam replica serve --content my-competitions --port 8930`
    """
    from demo.quirks import parse_quirks
    from demo.server import serve_forever

    serve_forever(content, port, parse_quirks(quirk or ()))
