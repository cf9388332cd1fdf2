"""What TAM logs, and how: lines for people or JSON for programs, each with the ids of what it is about."""

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from core.errors import SettingsError
from core.text import plain

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
FORMATS = ("text", "json")

_ids: ContextVar[Mapping[str, str]] = ContextVar("ids", default={})  # noqa: B039  # replaced, never changed


@contextmanager
def ids(**named: str | None) -> Iterator[None]:
    """Lines logged inside the block bear these ids (job, flow, platform, competition, task); None is none."""
    token = _ids.set({**_ids.get(), **{name: value for name, value in named.items() if value}})
    try:
        yield
    finally:
        _ids.reset(token)


class LineFormatter(logging.Formatter):
    """`LEVEL logger: message [job=… platform=…]`, without control characters."""

    def format(self, record: logging.LogRecord) -> str:
        """As for people, on one line unless there is a traceback."""
        named = " ".join(f"{name}={value}" for name, value in _ids.get().items())
        message = record.getMessage().replace("\n", "\\n")
        line = f"{record.levelname} {record.name}: {message}{f' [{named}]' if named else ''}"
        return plain("\n".join([line, *_trouble(self, record)]))


class JsonFormatter(logging.Formatter):
    """A JSON object per line: `time`, `level`, `logger`, `message`, the ids, and `error` with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """As for programs; everything outside of ASCII is escaped."""
        trouble = "\n".join(_trouble(self, record))
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **_ids.get(),
            **({"error": trouble} if trouble else {}),
        }
        return json.dumps(entry)


def _trouble(formatter: logging.Formatter, record: logging.LogRecord) -> Iterator[str]:
    if record.exc_info:
        yield formatter.formatException(record.exc_info)


def set_up(level: str | None = None, form: str | None = None) -> None:
    """Log to standard error, for the whole process; what is None is read from TAM_LOG and TAM_LOG_FORMAT.

    Raises:
        SettingsError: there is no such level or format.
    """
    level = (level or os.environ.get("TAM_LOG") or "ERROR").upper()
    form = (form or os.environ.get("TAM_LOG_FORMAT") or "text").lower()
    if level not in LEVELS:
        raise SettingsError(f"TAM_LOG={level}: there are {', '.join(LEVELS)}.")
    if form not in FORMATS:
        raise SettingsError(f"TAM_LOG_FORMAT={form}: there are {', '.join(FORMATS)}.")
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else LineFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    quiet()


def wanted() -> bool:
    """Whether the user has asked for logs by TAM_LOG or TAM_LOG_FORMAT."""
    return bool({"TAM_LOG", "TAM_LOG_FORMAT"} & set(os.environ))


def quiet() -> None:
    """Keep libraries from logging the addresses that they call: some hold a secret."""
    for name in ("httpx", "httpcore", "urllib3"):
        logging.getLogger(name).setLevel(logging.WARNING)
