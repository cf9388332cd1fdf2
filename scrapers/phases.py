"""Which board of a competition with phases and splits is the final one, which the public one. Pure.

Sites that have phases name them freely. The words in a name tell earlier phases from final ones; where they
do not, the last phase is the final one. The last board of a kind is its main one, the others are tracks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from schema.board import BoardKind

_EARLIER = re.compile(
    r"\b(?:dev\w*|train\w*|valid\w*|val|public|practice|warm[- ]?up|feedback|trial|sample|mini|initial)\b"
    r"|开发|验证",
    re.IGNORECASE,
)
_FINAL = re.compile(r"\b(?:final|test(?:ing)?|private|evaluation|challenge|post)\b|最终|决赛", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """Where a board belongs."""

    kind: BoardKind
    track: str | None
    """None: the main board of its kind."""


def placed(names: Sequence[tuple[str, str]]) -> list[BoardPlace]:
    """The place of every board, for names of phase and split in the site's order; a split may be "".

    Of several splits of one phase the first is the main one; of several phases of one kind, the last.
    """
    kinds = [_kind(phase, split, last=phase == names[-1][0]) for phase, split in names]
    main = {kind: _main(names, kinds, kind) for kind in set(kinds)}
    return [
        BoardPlace(kind, None if index == main[kind] else _track(names, index, main[kind]))
        for index, kind in enumerate(kinds)
    ]


def _kind(phase: str, split: str, *, last: bool) -> BoardKind:
    for text in (phase, split):
        if bool(_EARLIER.search(text)) != bool(_FINAL.search(text)):
            return BoardKind.PUBLIC if _EARLIER.search(text) else BoardKind.PRIVATE
    return BoardKind.PRIVATE if last else BoardKind.PUBLIC


def _main(names: Sequence[tuple[str, str]], kinds: Sequence[BoardKind], kind: BoardKind) -> int:
    phase = [name for (name, _), own in zip(names, kinds, strict=True) if own is kind][-1]
    return next(index for index, (name, _) in enumerate(names) if name == phase and kinds[index] is kind)


def _track(names: Sequence[tuple[str, str]], index: int, main: int) -> str:
    phase, split = names[index]
    if phase == names[main][0] and split:
        return split
    return f"{phase}: {split}" if split else phase
