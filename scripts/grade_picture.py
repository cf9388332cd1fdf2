"""Draw docs/grade.svg, what `tam grade` prints of the demo's faulty run: grade_picture.py DEMO_FOLDER."""

import asyncio
import re
import sys
from pathlib import Path

from rich.console import Console

from flows.grade import grade
from flows.graded import GradeRequest
from tam.cli.grade import tasks_table
from tam.settings import load_settings

folder = Path(sys.argv[1])
run = folder / "runs" / "sample-faulty"
request = GradeRequest(run=run, name=run.name, subset="lite")
report = asyncio.run(grade(load_settings(lake=folder / "lake"), request))
console = Console(record=True, width=102, highlight=False, file=sys.stderr)
console.print(tasks_table(report))
picture = console.export_svg(title="tam grade runs/sample-faulty", font_aspect_ratio=0.61)
picture = re.sub(
    r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL
)  # a picture loads nothing from elsewhere
picture = re.sub(r"<!--.*?-->", "", picture)
Path(__file__).parents[1].joinpath("docs", "grade.svg").write_text(picture)
