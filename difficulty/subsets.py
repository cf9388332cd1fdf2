"""Cutting a balanced subset: modality × level cells, the same number of tasks in each."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from core.records import made_of
from schema.difficulty import Level
from schema.subset import PER_CELL, Member, MemberChange, Nearest, Rules, Subset, SubsetName, UnfilledCell
from schema.task import Modality

ORDER = (
    "tasks that must be in",
    "members of the last cut",
    "certain levels",
    "domains, then platforms, with the fewest members so far",
    "recent deadlines",
    "a draw by the seed",
)
"""What is preferred inside a cell, the strongest first."""
MOST_NEAREST = 3

Cell = tuple[Modality, Level]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task that passed screening and has a level."""

    task_id: str
    modality: Modality
    level: Level
    platform: str
    domain: str | None
    deadline: date | None = None
    uncertain: bool = False
    """The scorer does not rely on its level."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A task that cannot be taken, with what is known of its cell."""

    task_id: str
    modality: Modality | None
    level: Level | None
    reason: str


@dataclass(frozen=True, slots=True)
class Previous:
    """The members of the last cuts, which a new cut keeps where it can."""

    lite: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()


def cut_subset(
    name: SubsetName,
    candidates: Iterable[Candidate],
    rules: Rules,
    *,
    previous: Previous | None = None,
    rejected: Sequence[Rejected] = (),
    release: str | None = None,
) -> Subset:
    """The subset `name` of the candidates.

    The cells are filled in rounds, one task each in every round, by the preferences `ORDER`. The first round
    is Lite, so a larger subset contains the smaller one; members of the last cut stay while they are still
    candidates for their cell. A cell with too few is reported and stays so (docs/difficulty.md).
    """
    allowed = {one.task_id: one for one in candidates if one.task_id not in rules.exclude}
    last = previous or Previous()
    cutting = _Cutting(rules, _by_cell(allowed.values()))
    wanted = PER_CELL[name]
    rounds = wanted or max((len(cell) for cell in cutting.waiting.values()), default=0)
    for number in range(rounds):
        cutting.fill(last.lite if number == 0 and last.lite else last.own)
    members = cutting.members()
    return Subset(
        name=name,
        seed=rules.seed,
        release=release,
        scorer=rules.scorer,
        rules=rules.model_copy(update={"order": ORDER}),
        members=members,
        unfilled=tuple(_unfilled(members, wanted or 1, allowed.values(), rejected)),
        changes=tuple(_changes(last.own, members, allowed, rejected, rules)) if last.own else (),
    )


def _by_cell(candidates: Iterable[Candidate]) -> dict[Cell, list[Candidate]]:
    cells: dict[Cell, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        cells[candidate.modality, candidate.level].append(candidate)
    return cells


@dataclass
class _Cutting:
    """A cut under way."""

    rules: Rules
    waiting: dict[Cell, list[Candidate]]
    taken: dict[Cell, list[Member]] = field(default_factory=lambda: defaultdict(list))
    domains: Counter[str | None] = field(default_factory=Counter)
    platforms: Counter[str] = field(default_factory=Counter)

    def fill(self, last: frozenset[str]) -> None:
        """One round: the best candidate of every cell that has one left."""
        for modality in Modality:
            for level in Level:
                if waiting := self.waiting.get((modality, level)):
                    best = min(waiting, key=lambda candidate: self._preference(candidate, last))
                    self._take(best, last)

    def _preference(self, one: Candidate, last: frozenset[str]) -> tuple[object, ...]:
        return (
            one.task_id not in self.rules.include,
            one.task_id not in last,
            one.uncertain,
            self.domains[one.domain],
            self.platforms[one.platform],
            -(one.deadline or date.min).toordinal(),
            _draw(self.rules.seed, one.task_id),
        )

    def _take(self, one: Candidate, last: frozenset[str]) -> None:
        cell = one.modality, one.level
        self.waiting[cell].remove(one)
        place = len(self.taken[cell]) + 1
        self.taken[cell].append(
            made_of(Member, one, reason=self._reason(one, place, place + len(self.waiting[cell]), last))
        )
        self.domains[one.domain] += 1
        self.platforms[one.platform] += 1

    def _reason(self, one: Candidate, place: int, of: int, last: frozenset[str]) -> str:
        where = f"{place} of {of} {one.level} {one.modality} tasks"
        if one.task_id in self.rules.include:
            return f"{where}: must be in"
        if one.task_id in last:
            return f"{where}: kept from the last cut"
        said = [f"{_times(self.domains[one.domain])} with domain {one.domain or 'unknown'}"]
        said.append(f"{_times(self.platforms[one.platform])} from {one.platform}")
        if one.uncertain:
            said.append("its level is uncertain")
        return f"{where}: {', '.join(said)}"

    def members(self) -> tuple[Member, ...]:
        """All members, by cell and in the order of their taking."""
        return tuple(
            member for modality in Modality for level in Level for member in self.taken[modality, level]
        )


def _times(count: int) -> str:
    return "the first" if count == 0 else f"number {count + 1}"


def _draw(seed: int, task_id: str) -> str:
    return hashlib.sha256(f"{seed}:{task_id}".encode()).hexdigest()


def _unfilled(
    members: Sequence[Member], wanted: int, candidates: Iterable[Candidate], rejected: Sequence[Rejected]
) -> Iterable[UnfilledCell]:
    counts = Counter((member.modality, member.level) for member in members)
    chosen = {member.task_id for member in members}
    for modality in Modality:
        for level in Level:
            if (found := counts[modality, level]) < wanted:
                near = _nearest(
                    modality, level, [one for one in candidates if one.task_id not in chosen], rejected
                )
                yield UnfilledCell(
                    modality=modality, level=level, wanted=wanted, found=found, nearest=tuple(near)
                )


def _nearest(
    modality: Modality, level: Level, spare: Sequence[Candidate], rejected: Sequence[Rejected]
) -> list[Nearest]:
    """The tasks of the cell that screening rejected; then tasks of the modality that have another level."""
    here = [one for one in rejected if one.modality is modality and one.level is level]
    near = [
        Nearest(task_id=one.task_id, reason=one.reason) for one in sorted(here, key=lambda one: one.task_id)
    ]
    others = sorted(
        (one for one in spare if one.modality is modality and one.level is not level),
        key=lambda one: (not one.uncertain, _distance(one.level, level), one.task_id),
    )
    near += [
        Nearest(task_id=one.task_id, reason=f"is {one.level}{', but uncertain' if one.uncertain else ''}")
        for one in others
    ]
    return near[:MOST_NEAREST]


def _distance(one: Level, other: Level) -> int:
    levels = list(Level)
    return abs(levels.index(one) - levels.index(other))


def _changes(
    last: frozenset[str],
    members: Sequence[Member],
    candidates: Mapping[str, Candidate],
    rejected: Sequence[Rejected],
    rules: Rules,
) -> Iterable[MemberChange]:
    now = {member.task_id: member for member in members}
    for task_id in sorted(last - now.keys()):
        yield MemberChange(
            task_id=task_id, joined=False, reason=_why_gone(task_id, candidates, rejected, rules)
        )
    for task_id in sorted(now.keys() - last):
        yield MemberChange(task_id=task_id, joined=True, reason=now[task_id].reason)


def _why_gone(
    task_id: str, candidates: Mapping[str, Candidate], rejected: Sequence[Rejected], rules: Rules
) -> str:
    if task_id in rules.exclude:
        return "must not be in"
    if task_id in candidates:
        one = candidates[task_id]
        return f"is now {one.level} {one.modality}, a cell that others fill"
    return next((one.reason for one in rejected if one.task_id == task_id), "is no task of the lake any more")
