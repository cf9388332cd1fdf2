"""Every error that TAM raises on purpose, as one tree.

    TamError
    ├── UsageError               wrong arguments, unknown names            (exit code 2)
    │   └── UnknownTaskError         the lake has no such task
    ├── UnsafeNameError          a name from elsewhere that leads out of its folder
    ├── ContentError             a file of the replicas' content is unusable
    ├── SettingsError            a setting is missing or out of bounds
    │   └── ExtraMissingError        what a setting or command asks for is not installed
    ├── WorkersError             processes that share the work: not reached, not started, lost
    ├── SiteError                a competition site                        (scrapers)
    │   ├── PageUnreadableError      no usable answer: time-out, 5xx, dead browser     retryable
    │   ├── PageMissingError         404, or a 200 that is really a 404, or a login wall
    │   ├── PageTooLargeError        more than a page of a competition ever has
    │   ├── BoardUnreadableError     no board found, or fewer rows than the page claims   retryable
    │   ├── BrowserError             Chromium did not start, or died                   retryable
    │   ├── ReaderError              our own code stumbled over what a site shows
    │   ├── SiteBusyError            the site asks for a long break (Retry-After)
    │   ├── ApiRefusedError          the official API does not take the token, or not for this
    │   └── ConsentError             a real host that the user has not allowed, robots.txt
    ├── ModelError               the LLM endpoint: refused, malformed, over budget
    │   ├── ModelBusyError           429, 5xx, time-out                                retryable
    │   ├── ModelRefusedError        the endpoint does not take the request
    │   └── ModelAnswerError         an answer of another form than asked for
    ├── LakeError                a table, a query or a raw file
    │   ├── LakeConflictError        another writer was first                          retryable
    │   ├── LakeFullError            the disk is full
    │   ├── LakeBusyError            another optimize or repair is at work             retryable
    │   └── QueryError               SQL that is wrong or not allowed
    ├── TaskError                a task record, its mapping or its prepared data
    └── GradingError             our own fault while grading (an agent's fault is a report, not an error)

A message says what happened, where, and what to do next. `retryable` decides retries for the whole system:
`core.retry` reads it, for everyone who waits and tries again, and agents before they open a page again. A
SiteError also has a `code`: its `Reason`, for programs and the lake.
"""

from collections.abc import Iterable
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import ClassVar


class TamError(Exception):
    """Root of all errors that TAM raises on purpose."""

    retryable: ClassVar[bool] = False

    def __reduce__(self) -> tuple[object, ...]:
        """As it is, for another process: constructors that take more than a message are not called again."""
        return _as_it_was, (type(self), self.args, self.__dict__)


def _as_it_was(kind: type[TamError], args: tuple[object, ...], attributes: dict[str, object]) -> TamError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class UsageError(TamError):
    """Wrong arguments or unknown names; the command line ends with exit code 2."""


class UnknownTaskError(UsageError):
    """A task id that the lake does not have; `known` are those it has."""

    def __init__(self, task_id: str, lake: Path, known: Iterable[str]) -> None:
        self.task_id, self.lake = task_id, lake
        near = get_close_matches(task_id, list(known), n=1)
        meant = (
            f"Did you mean {near[0]}?"
            if near
            else "`tam sql 'FROM tasks'` lists them, `tam build` makes them; TAM_LAKE names another lake."
        )
        super().__init__(f"The lake {lake} has no task {task_id!r}. {meant}")


class UnsafeNameError(TamError):
    """A name from elsewhere that would lead out of the folder it is to be in."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        super().__init__(f"{name[:200]!r} cannot name a file in {folder}. Nothing was written there.")


class ContentError(TamError):
    """A file of the content that the replicas serve is unusable."""

    def __init__(self, path: Path, problem: str, remedy: str) -> None:
        self.path, self.problem, self.remedy = path, problem, remedy
        super().__init__(f"{path}: {problem}. Remedy: {remedy}.")


class SettingsError(TamError):
    """A setting is missing or out of bounds."""


class ExtraMissingError(SettingsError):
    """Something was asked for whose packages are not installed."""

    def __init__(self, what: str, extra: str) -> None:
        self.what, self.extra = what, extra
        super().__init__(f"{what} needs packages that are not installed: pip install 'tam[{extra}]'")


class WorkersError(TamError):
    """Processes that share the work cannot be reached or started, or were lost while at work."""


class Reason(StrEnum):
    """Why a page, a board or a whole competition could not be read."""

    NO_ANSWER = "no-answer"
    """Nothing, or not all of it, within the time limit."""
    NO_CONNECTION = "no-connection"
    """Nobody listens there, or the connection broke."""
    SERVER_ERROR = "server-error"
    BUSY = "busy"
    """429 or 503, or a page that says so."""
    REFUSED = "refused"
    """401, 403 and other statuses from 400 on."""
    NOT_FOUND = "not-found"
    SOFT_NOT_FOUND = "soft-not-found"
    """Status 200 on a page that says that there is none."""
    LOGIN_WALL = "login-wall"
    CAPTCHA = "captcha"
    MOVED_AWAY = "moved-away"
    """The tab ended on another site."""
    OTHER_COMPETITION = "other-competition"
    """The page is of another competition, or does not say of which."""
    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"
    """It came, but is not what it should be: a crash page, a reader that stumbled."""
    NOT_FINISHED = "not-finished"
    """The agent ended first: at its limit of steps, seconds, tokens or money."""
    NO_BOARD = "no-board"
    SHORT_BOARD = "short-board"
    """Fewer rows, or more, than the site claims."""
    BROWSER_FAILED = "browser-failed"
    NOT_ALLOWED = "not-allowed"
    """The user has not consented, or robots.txt forbids it."""
    DISK_FULL = "disk-full"
    NOT_STORED = "not-stored"
    """Read, but the lake could not take it."""


class SiteError(TamError):
    """A competition site could not be read."""

    code: Reason = Reason.UNREADABLE


class PageUnreadableError(SiteError):
    """A page gave no usable answer: time-out, server error, dead browser."""

    retryable = True

    def __init__(self, url: str, reason: str, code: Reason = Reason.UNREADABLE) -> None:
        self.url, self.reason, self.code = url, reason, code
        super().__init__(f"Cannot read {url}: {reason}")


class PageMissingError(SiteError):
    """The site has no such page, whatever status it answered with, or shows it to nobody without a login."""

    def __init__(self, url: str, reason: str, code: Reason = Reason.NOT_FOUND) -> None:
        self.url, self.reason, self.code = url, reason, code
        super().__init__(f"No such page: {url} ({reason}). Check the competition's slug and the base URL.")


class PageTooLargeError(SiteError):
    """A page is larger than any page of a competition; reading it would stop everything else."""

    code = Reason.TOO_LARGE

    def __init__(self, url: str, what: str, limit: int) -> None:
        self.url, self.limit = url, limit
        super().__init__(f"Cannot read {url}: {what} is larger than {limit:,}, which is the limit.")


class BoardUnreadableError(SiteError):
    """No leaderboard was found, or fewer rows than the page claims."""

    retryable = True

    def __init__(self, url: str, reason: str, code: Reason = Reason.NO_BOARD) -> None:
        self.url, self.reason, self.code = url, reason, code
        super().__init__(f"Cannot read the leaderboard at {url}: {reason}")


class BrowserError(SiteError):
    """Chromium did not start, or died."""

    retryable = True
    code = Reason.BROWSER_FAILED

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The browser failed: {reason}. `tam doctor` checks the installation.")


class ReaderError(SiteError):
    """TAM's own code stumbled over what a site shows; trying again would not help."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(f"A fault of TAM itself: {problem}. Please report it; TAM_LOG=ERROR shows where.")


class SiteBusyError(SiteError):
    """The site asks not to be asked for longer than a reading can wait."""

    code = Reason.BUSY

    def __init__(self, host: str, until: datetime) -> None:
        self.host, self.until = host, until
        super().__init__(
            f"{host} asks for a break until {until:%H:%M:%S} UTC (Retry-After). Crawl again after that: "
            f"what has been read is kept."
        )


class ApiRefusedError(SiteError):
    """The official API refuses: the token is wrong, or the competition's rules were not accepted with it."""

    code = Reason.REFUSED

    def __init__(self, url: str, status: int) -> None:
        self.url, self.status = url, status
        remedy = (
            "the token is not accepted: check TAM_KAGGLE_USERNAME and TAM_KAGGLE_KEY"
            if status == HTTPStatus.UNAUTHORIZED
            else "accept the competition's rules on its page with the token's account"
        )
        super().__init__(f"The official API refuses {url} (status {status}): {remedy}.")


class ConsentError(SiteError):
    """A real host that the user has not allowed, or that robots.txt closes."""

    code = Reason.NOT_ALLOWED

    def __init__(self, platform: str, reason: str) -> None:
        self.platform, self.reason = platform, reason
        super().__init__(f"{platform} is not read: {reason}")


class ModelError(TamError):
    """The LLM endpoint refused, answered nonsense or went over budget."""


class ModelBusyError(ModelError):
    """The LLM endpoint is busy or unreachable for now."""

    retryable = True


class ModelRefusedError(ModelError):
    """The LLM endpoint does not take the request; `status` is its HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        self.status = status
        super().__init__(message)


class ModelAnswerError(ModelError):
    """The model answered, but not in the form asked for; the answer was paid for all the same."""

    def __init__(
        self, message: str, *, text: str = "", faults: str = "", tokens_in: int = 0, tokens_out: int = 0
    ) -> None:
        self.text, self.faults = text, faults
        """The answer as it came, and what is wrong with it."""
        self.tokens_in, self.tokens_out = tokens_in, tokens_out
        super().__init__(message)


class LakeError(TamError):
    """A table, a query or a raw file of the lake."""


class LakeConflictError(LakeError):
    """Another writer was first, more often than we retried."""

    retryable = True

    def __init__(self, table: str, attempts: int) -> None:
        self.table, self.attempts = table, attempts
        super().__init__(f"Table {table}: {attempts} attempts to write met another writer. Try again.")


class LakeFullError(LakeError):
    """The disk of the lake is full; what was written before is whole."""

    def __init__(self, place: Path) -> None:
        self.place = place
        super().__init__(f"The disk of {place} is full. Make room, then run the same command again.")


class LakeBusyError(LakeError):
    """Another process merges, deletes or mends files of the lake."""

    retryable = True

    def __init__(self, place: Path) -> None:
        self.place = place
        super().__init__(
            f"Another `tam lake optimize` or `tam lake repair` is at work on {place}. Wait for its end."
        )


class QueryError(LakeError):
    """SQL that is wrong, takes too much, or does more than read the lake."""

    def __init__(self, message: str, position: int | None = None) -> None:
        self.position = position
        """0-based character of the query where the fault was seen, if known."""
        super().__init__(message)


class TaskError(TamError):
    """A task record, its mapping or its prepared data."""


class GradingError(TamError):
    """Our own fault while grading; an agent's fault is a report with a reason code."""
