"""Cutting a balanced subset: modality × level cells, the same number of tasks in each."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schema.difficulty import Level
from schema.subset import PER_CELL, Member, Subset, SubsetName, UnfilledCell
from schema.task import Modality


@dataclass(frozen=True, slots=True)
class Candidate:
    """A task that passed screening and has a level."""

    task_id: str
    modality: Modality
    level: Level
    platform: str
    domain: str | None


def cut_subset(
    name: SubsetName, candidates: Iterable[Candidate], *, seed: int, scorer: str, release: str | None = None
) -> Subset:
    """The subset `name` of the candidates.

    Inside a cell the candidates are ordered by a hash of seed and task id, so that a larger subset contains
    the smaller one, and one more candidate changes at most its own cell. Platforms take turns: of two
    candidates, the one whose platform has fewer members in its cell so far comes first. A cell with too
    few candidates is reported as unfilled, never filled from another one (method, section 6).
    """
    wanted = PER_CELL[name]
    cells: dict[tuple[Modality, Level], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        cells[candidate.modality, candidate.level].append(candidate)
    members: list[Member] = []
    unfilled: list[UnfilledCell] = []
    for modality in Modality:
        for level in Level:
            ordered = _in_turns(cells[modality, level], seed)
            chosen = ordered[:wanted]
            members += [_member(candidate, place, len(ordered)) for place, candidate in enumerate(chosen, 1)]
            least = wanted or 1
            if len(chosen) < least:
                unfilled.append(UnfilledCell(modality=modality, level=level, wanted=least, found=len(chosen)))
    return Subset(
        name=name, seed=seed, release=release, scorer=scorer, members=tuple(members), unfilled=tuple(unfilled)
    )


def _in_turns(candidates: Sequence[Candidate], seed: int) -> list[Candidate]:
    """All candidates of a cell, by hash, platforms taking turns."""
    by_hash = sorted(candidates, key=lambda candidate: _draw(seed, candidate.task_id))
    seen: dict[str, int] = defaultdict(int)
    turns = []
    for candidate in by_hash:
        turns.append(seen[candidate.platform])
        seen[candidate.platform] += 1
    return [candidate for _, candidate in sorted(zip(turns, by_hash, strict=True), key=lambda pair: pair[0])]


def _draw(seed: int, task_id: str) -> str:
    return hashlib.sha256(f"{seed}:{task_id}".encode()).hexdigest()


def _member(candidate: Candidate, place: int, of: int) -> Member:
    return Member(
        task_id=candidate.task_id,
        modality=candidate.modality,
        level=candidate.level,
        platform=candidate.platform,
        domain=candidate.domain,
        reason=f"drawn as {place} of {of} {candidate.level} {candidate.modality} tasks",
    )
