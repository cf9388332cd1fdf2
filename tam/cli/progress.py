"""Progress bars for whoever waits: one per stage, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from flows.engine.progress import shown_by
from tam.cli.output import notices


class ProgressBars:
    """Shows a flow's stages as bars; on something that is no terminal, a line when a stage ends."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def begin(self, stage: str, total: int | None) -> None:
        self._tasks[stage] = self._bars.add_task(stage, total=total, note="")

    def advance(self, stage: str, note: str) -> None:
        self._bars.update(self._tasks[stage], advance=1, note=note)

    def end(self, stage: str) -> None:
        task = self._bars.tasks[self._bars.task_ids.index(self._tasks.pop(stage))]
        self._bars.update(task.id, total=task.completed, note="")
        self._bars.stop_task(task.id)
        if not notices.is_terminal:
            notices.print(f"{stage}: {task.completed:.0f} done in {task.elapsed or 0:.0f} s")


@contextmanager
def progress_bars() -> Iterator[None]:
    """Flows inside the block show their progress."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with (
        Bars(*columns, console=notices, disable=not notices.is_terminal) as bars,
        shown_by(ProgressBars(bars)),
    ):
        yield
