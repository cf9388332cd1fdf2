"""Overrides of screening: verdicts that a person has set, in a file that is reviewed like code.

    [[override]]
    task = "kaggle-tidal-heights"
    rule = "data_public"
    passed = true
    who = "Ada Example"
    date = 2026-05-17
    why = "The data is mirrored by the national archive under CC0."

Every line is needed, and nothing else is allowed. A task or a rule that does not exist is an error, and so is
a second override of the same verdict: the file says what holds, not how it came about.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from core.errors import UsageError
from schema.screening import Rule, RuleVerdict

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]


class Override(BaseModel):
    """One verdict that a person has set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    """The task's id: `<platform>-<slug>`."""
    rule: Rule
    passed: bool
    who: Words
    date: date
    why: Words

    @property
    def sentence(self) -> str:
        """Who set it, when and why."""
        return f"Set by {self.who} on {self.date}: {self.why}"


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    override: tuple[Override, ...] = Field(default=())


def read_overrides(path: Path) -> tuple[Override, ...]:
    """The overrides in a TOML file.

    Raises:
        UsageError: it cannot be read, something in it is missing, unknown or of another type, or a verdict is
            set twice.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        found = _File.model_validate(content).override
    except OSError as error:
        raise UsageError(f"Cannot read the screening overrides {path}: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"The screening overrides {path} are not TOML: {error}.") from error
    except ValidationError as error:
        told = "; ".join(f"{_place(one['loc'])}: {one['msg']}" for one in error.errors()[:5])
        raise UsageError(f"The screening overrides {path} are not in order: {told}.") from error
    seen: set[tuple[str, Rule]] = set()
    for one in found:
        if (one.task, one.rule) in seen:
            raise UsageError(f"{path} sets {one.rule} of {one.task} twice; keep the one that holds.")
        seen.add((one.task, one.rule))
    return found


def check_tasks(overrides: Sequence[Override], tasks: Collection[str], path: Path) -> None:
    """Refuse overrides of tasks that are not there.

    Raises:
        UsageError: a task in the file is none of `tasks`.
    """
    for one in overrides:
        if one.task not in tasks:
            near = get_close_matches(one.task, tasks, n=1)
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UsageError(f"{path} sets {one.rule} of {one.task!r}, which is no task of the lake.{meant}")


def overridden(verdict: RuleVerdict, overrides: Mapping[tuple[str, Rule], Override]) -> RuleVerdict:
    """The verdict as set by a person, with what the rule alone says; else as it is."""
    one = overrides.get((verdict.task_id, verdict.rule))
    if one is None:
        return verdict
    alone = "passes" if verdict.passed else "fails"
    reason = f"{one.sentence.rstrip('.')}. The rule alone {alone}: {verdict.reason}"
    return RuleVerdict(verdict.task_id, verdict.rule, one.passed, reason)


def _place(location: tuple[int | str, ...]) -> str:
    """`override 2, rule` of pydantic's `("override", 1, "rule")`."""
    parts = [f"override {part + 1}" if isinstance(part, int) else part for part in location]
    return ", ".join(part for part in parts if part != "override") or "the file"
