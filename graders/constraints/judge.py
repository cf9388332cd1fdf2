"""The static judge: a verdict per constraint, from evidence in the syntax tree. Nothing is executed.

Comments, docstrings and texts that address the judge are no evidence: only calls, imports and arguments in
code that can run are.
"""

import ast
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from graders.constraints.facts import Facts
from graders.constraints.kinds import KindFinding, kinds, unclear, weakest
from graders.constraints.measured import Read, measured
from graders.constraints.wording import Reading, clauses, listed

LARGEST_CODE = 500_000
"""Characters of code that are judged."""
LARGEST_CLAUSE = 1_000
"""Characters of a sentence that is read; longer ones could keep a pattern busy."""
_SHOWN = 5


JudgeChoice: TypeAlias = Literal["static", "llm", "both"]
"""Who judges: the static judge, a model, or a model where the static judge cannot tell."""


class JudgeOutcome(StrEnum):
    """What a judge says of one constraint."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    CANNOT_TELL = "cannot tell"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one constraint, why, and which lines show it."""

    index: int
    """Place of the constraint in the task, from 0."""
    text: str
    outcome: JudgeOutcome
    reason: str
    evidence: tuple[str, ...] = ()
    """Lines of the code as `12: random.seed(42)`."""
    judge: str = "static"
    model: str | None = None
    prompt_id: str | None = None
    """Hash of the prompt and the form of the answer, where a model judged."""
    tokens_in: int = 0
    tokens_out: int = 0
    """This constraint's share of the tokens of its batch."""

    @property
    def passed(self) -> bool:
        """No evidence is no."""
        return self.outcome is JudgeOutcome.PASS

    @property
    def decided(self) -> bool:
        """The judge could tell."""
        return self.outcome is not JudgeOutcome.CANNOT_TELL


def judge(
    code: str | None,
    constraints: Sequence[str],
    submission: Read = lambda: None,
) -> tuple[Verdict, ...]:
    """Judge the final code (None: there is none) against every constraint.

    What is demanded of the submission's content is measured on `submission`, which is read only then; without
    it nothing is said of that.
    """
    facts = _read(code)
    return tuple(_verdict(index, text, facts, submission) for index, text in enumerate(constraints))


def pass_rate(verdicts: Sequence[Verdict]) -> float | None:
    """Passed / all; None without constraints."""
    return sum(verdict.passed for verdict in verdicts) / len(verdicts) if verdicts else None


def _read(code: str | None) -> Facts | str:
    """The facts of the code, or why there are none."""
    if code is None or not code.strip():
        return "There is no code to judge."
    if len(code) > LARGEST_CODE:
        return f"The code is longer than {LARGEST_CODE:,} characters."
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the judged code's own style
            tree = ast.parse(code)
        return Facts(tree, code)
    except SyntaxError as error:
        return f"The code cannot be parsed: {error.msg} (line {error.lineno})."
    except (ValueError, RecursionError, MemoryError):
        return "The code cannot be parsed."


def _verdict(index: int, text: str, facts: Facts | str, submission: Read) -> Verdict:
    try:
        finding = weakest([_clause(clause, facts, submission) for clause in clauses(text)])
    except RecursionError:
        return Verdict(index, text, JudgeOutcome.CANNOT_TELL, "The code is nested too deeply to be judged.")
    if finding is None:
        return Verdict(index, text, JudgeOutcome.CANNOT_TELL, "The constraint says nothing.")
    evidence: tuple[str, ...] = ()
    if isinstance(facts, Facts):
        if finding.kept and not all(map(facts.sure, finding.lines)):
            finding = unclear(f"{finding.reason} But nothing shows that all of it runs.", finding.lines)
        evidence = tuple(facts.quote(line) for line in finding.lines[:_SHOWN])
    return Verdict(index, text, _outcome(finding), finding.reason, evidence)


def _clause(text: str, facts: Facts | str, submission: Read) -> KindFinding:
    """What is seen of one clause; a word that nobody understood could change its sense."""
    if len(text) > LARGEST_CLAUSE:
        return unclear(f"A sentence of {len(text):,} characters asks for more than can be read here.")
    reading = Reading(text)
    found = [*measured(reading, submission)]
    if isinstance(facts, Facts):
        found = found or [finding for kind in kinds() for finding in kind(reading, facts)]
    elif not found:
        return unclear(facts)
    finding = weakest(found)
    if finding is None:
        return unclear("The static judge does not know this kind of constraint.")
    left = reading.left()
    if reading.free:
        return unclear(f"The constraint leaves a way out. {finding.reason}", finding.lines)
    if left and finding.kept is not None and not (finding.absent and not reading.forbids):
        return unclear(f"Nothing here understands {listed(map(repr, left))}. {finding.reason}", finding.lines)
    return finding


def _outcome(finding: KindFinding) -> JudgeOutcome:
    if finding.kept is None:
        return JudgeOutcome.CANNOT_TELL
    return JudgeOutcome.PASS if finding.kept else JudgeOutcome.FAIL
