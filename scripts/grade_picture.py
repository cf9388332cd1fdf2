"""Draw docs/grade.svg, what `tam grade` prints of the demo's two runs: grade_picture.py DEMO_FOLDER."""

import asyncio
import re
import sys
from pathlib import Path

from rich.console import Console

from core.settings import load_settings
from flows.grading.grade import grade
from flows.grading.tasks import GradeRequest
from tam.cli.figures import figures_table
from tam.cli.grade import tasks_table

folder = Path(sys.argv[1])
settings = load_settings(lake=folder / "lake")
runs = [folder / "runs" / name for name in ("sample-good", "sample-faulty")]
reports = [asyncio.run(grade(settings, GradeRequest(run=run, name=run.name, subset="lite"))) for run in runs]
console = Console(record=True, width=102, highlight=False, file=sys.stderr)
for report in reports:
    console.print(tasks_table(report))
console.print(figures_table(reports))
picture = console.export_svg(title="tam grade runs/sample-good, runs/sample-faulty", font_aspect_ratio=0.61)
picture = re.sub(
    r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL
)  # a picture loads nothing from elsewhere
picture = re.sub(r"<!--.*?-->", "", picture)
Path(__file__).parents[1].joinpath("docs", "grade.svg").write_text(picture)
