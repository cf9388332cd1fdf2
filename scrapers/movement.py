"""Whether a board moved while its pages were read: a team came in, and rows went to the next page. Pure."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from core.errors import BoardUnreadableError, Reason
from schema.board import BoardRow


def check_unmoved(url: str, pages: Sequence[Sequence[BoardRow]], claims: AbstractSet[int | None]) -> None:
    """Refuse pages that belong to different states of one board.

    Args:
        url: of the board.
        pages: rows of successive pages, each beginning where the one before ends.
        claims: the numbers of rows that the site stated meanwhile; None where it stated none.

    Raises:
        BoardUnreadableError: the number changed, or a page begins with the row that ended the one before, at
            another rank.
    """
    stated = {claim for claim in claims if claim is not None}
    shifted = any(
        before and after and before[-1].rank != after[0].rank and _said(before[-1]) == _said(after[0])
        for before, after in pairwise(pages)
    )
    if shifted or len(stated) > 1:
        raise BoardUnreadableError(url, "it changed while it was read", Reason.SHORT_BOARD)


def _said(row: BoardRow) -> tuple[object, ...]:
    return row.team, row.score_text, row.entries, row.last_submission
