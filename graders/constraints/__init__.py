"""Whether the final code keeps the task's constraints."""

from graders.constraints.judge import Outcome, Verdict, judge, pass_rate

__all__ = ["Outcome", "Verdict", "judge", "pass_rate"]
