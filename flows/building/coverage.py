"""What the tasks of the lake cover: modality x domain x level, and the cells that have too few."""

from collections import Counter
from dataclasses import dataclass

from difficulty.formula import SCORER
from flows.building.build import screened
from lake.store import Lake
from lake.tables import DIFFICULTIES, TASKS
from schema.difficulty import Level
from schema.task import Domain, Modality


@dataclass(frozen=True, slots=True)
class Cell:
    """How many tasks have one modality, domain and level."""

    modality: Modality
    domain: Domain | None
    """None: the domain is not known."""
    level: Level
    tasks: int


@dataclass(frozen=True, slots=True)
class ThinCell:
    """A cell with fewer tasks than wanted; without a domain, one of the grid that subsets are cut from."""

    modality: Modality
    level: Level | None
    domain: Domain | None
    tasks: int
    wanted: int

    @property
    def name(self) -> str:
        """`tabular hard`, `tabular finance`, or `tabular finance hard`."""
        return " ".join(part for part in (self.modality, self.domain, self.level) if part)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the tasks cover."""

    tasks: int
    """Tasks that were counted."""
    cells: tuple[Cell, ...]
    """All cells, empty ones too."""
    thin: tuple[ThinCell, ...]
    """Modality x level with fewer tasks than wanted, then modality x domain without any."""
    unlabelled: tuple[str, ...]
    """Tasks that are in no cell: modality or level is not known."""

    def at(self, modality: Modality, level: Level) -> int:
        """Tasks of a modality at a level, whatever their domain."""
        return sum(cell.tasks for cell in self.cells if cell.modality is modality and cell.level is level)

    def within(self, modality: Modality, domain: Domain | None) -> tuple[int, ...]:
        """Tasks of a modality in a domain, by level; None: whose domain is not known."""
        return tuple(cell.tasks for cell in self.cells if cell.modality is modality and cell.domain is domain)


def coverage(lake: Lake, *, wanted: int, rejected: bool = False) -> Coverage:
    """Count the tasks that pass the screening, with `rejected` also the others; levels are the formula's."""
    kept = set(screened(lake)[0])
    levels = {row.task_id: row.level for row in lake.read(DIFFICULTIES, scorer=SCORER)}
    tasks = [row for row in lake.read(TASKS) if rejected or row.task_id in kept]
    labels = {row.task_id: (row.modality, row.domain, levels.get(row.task_id)) for row in tasks}
    return count(labels, wanted)


def count(labels: dict[str, tuple[str | None, str | None, str | None]], wanted: int) -> Coverage:
    """Coverage of tasks by their labels: modality, domain, level. Pure."""
    counted = Counter(labels.values())
    cells = tuple(
        Cell(modality, domain, level, counted[modality, domain, level])
        for modality in Modality
        for domain in (*Domain, None)
        for level in Level
    )
    unlabelled = tuple(
        sorted(task_id for task_id, (modality, _, level) in labels.items() if not modality or not level)
    )
    whole = Coverage(len(labels), cells, (), unlabelled)
    return Coverage(len(labels), cells, (*_thin_levels(whole, wanted), *_empty_domains(whole)), unlabelled)


def _thin_levels(whole: Coverage, wanted: int) -> list[ThinCell]:
    found = (
        ThinCell(modality, level, None, whole.at(modality, level), wanted)
        for modality in Modality
        for level in Level
    )
    return [cell for cell in found if cell.tasks < wanted]


def _empty_domains(whole: Coverage) -> list[ThinCell]:
    return [
        ThinCell(modality, None, domain, 0, 1)
        for modality in Modality
        for domain in Domain
        if not any(whole.within(modality, domain))
    ]
