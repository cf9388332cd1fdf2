"""Whether the final code keeps the task's constraints."""

from graders.constraints.judge import JudgeOutcome, Verdict, judge, pass_rate

__all__ = ["JudgeOutcome", "Verdict", "judge", "pass_rate"]
