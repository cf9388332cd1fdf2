"""Medals by the size of the board, after Kaggle's progression system."""

from enum import StrEnum


class Medal(StrEnum):
    """The best medal that a rank earns; there is only ever one."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"


_SMALL, _MIDDLE, _LARGE = 100, 250, 1000


def medal_cuts(participants: int) -> dict[Medal, int]:
    """The last rank that earns each medal; shares are floored, at least 1 (grading semantics, "Medals").

    Source: https://www.kaggle.com/progression. Whole numbers throughout: no rounding error.
    """
    if participants < _SMALL:
        cuts = (participants * 10 // 100, participants * 20 // 100, participants * 40 // 100)
    elif participants < _MIDDLE:
        cuts = (10, participants * 20 // 100, participants * 40 // 100)
    elif participants < _LARGE:
        cuts = (10 + participants * 2 // 1000, 50, 100)
    else:
        cuts = (10 + participants * 2 // 1000, participants * 5 // 100, participants * 10 // 100)
    return {medal: max(1, cut) for medal, cut in zip(Medal, cuts, strict=True)}


def medal_of(rank: int, participants: int) -> Medal | None:
    """The medal of a rank. A score equal to the cut has the cut's rank or a better one, so it earns it."""
    if participants < 1:
        return None
    return next((medal for medal, cut in medal_cuts(participants).items() if rank <= cut), None)
