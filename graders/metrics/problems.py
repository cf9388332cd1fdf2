"""What keeps a submission from a score: raised by parsers and metrics, caught by `graders.evaluate`.

Messages reach the agent's side: they hold counts and column names of the submission, never a value of the
answers.
"""

from graders.submission.problems import GradeReason


class InvalidPredictionError(Exception):
    """The predictions cannot be scored: an agent's fault, reported with a reason code."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason, self.message = GradeReason(reason), message
        super().__init__(f"{reason}: {message}")


class UndefinedScoreError(Exception):
    """The metric has no value for these data: one class for an AUC, a constant vector for a correlation."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)
