"""What a person should look at: boards that turn incomplete, layouts that change, new tasks, jobs that fail.

Noticed from values, entered in the lake with the job, posted to the webhook that is set, and emitted as
events where Prefect runs the job. What a page says (names of teams, titles) is in none of it.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

from core.text import clipped

_MOST_SUBJECTS = 20
_LONGEST = 200
"""Characters of an id or a message that leave this machine."""


class Kind(StrEnum):
    """What an alarm is about."""

    BOARDS_INCOMPLETE = "boards-incomplete"
    """Competitions that were read completely the last time are not any more."""
    LAYOUT_CHANGED = "layout-changed"
    """Agents lose a platform's route: an LLM has to take over, or pages are no longer what they were."""
    REFUSALS_JUMPED = "refusals-jumped"
    """A platform refuses much more than the last time: a captcha, a login wall, no answer."""
    NEW_TASKS = "new-tasks"
    JOB_FAILED = "job-failed"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One thing to look at."""

    kind: Kind
    message: str
    subjects: tuple[str, ...] = ()
    """Competitions or tasks: the first ones."""
    count: int = 0
    """How many there are."""
    platform: str | None = None


def alarm(kind: Kind, what: str, subjects: Sequence[str] = (), platform: str | None = None) -> Alarm:
    """An alarm whose texts are clipped and hold no control characters; `what` follows the number."""
    message = f"{len(subjects)} {what}" if subjects else what
    shown = tuple(clipped(one, _LONGEST) for one in subjects[:_MOST_SUBJECTS])
    return Alarm(kind, clipped(message, _LONGEST), shown, len(subjects), platform)


_raised: ContextVar[list[Alarm] | None] = ContextVar("raised", default=None)


def collect() -> list[Alarm]:
    """Collect the alarms of a job that begins here; what is raised from now on is in the list."""
    collected: list[Alarm] = []
    _raised.set(collected)
    return collected


def sound(*alarms: Alarm) -> None:
    """Raise alarms of the job that runs; outside of one nobody hears them."""
    collected = _raised.get()
    if collected is not None:
        collected.extend(alarms)
