"""Whether the final code keeps the task's constraints."""

from graders.constraints.judge import JudgeChoice, JudgeOutcome, Verdict, judge, pass_rate

__all__ = ["JudgeChoice", "JudgeOutcome", "Verdict", "judge", "pass_rate"]
