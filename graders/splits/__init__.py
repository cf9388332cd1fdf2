"""Public and private parts of a data set: a seeded, repeatable split of the official training data."""

from graders.splits.leaks import Leak, LeakError, LeakKind, find_leaks
from graders.splits.prepared import Prepared, SplitRecord, load_prepared
from graders.splits.preparing import prepare
from graders.splits.spec import LEAK_SKILL, TEST_SHARE, SplitSpec, Strategy

__all__ = [
    "LEAK_SKILL",
    "TEST_SHARE",
    "Leak",
    "LeakError",
    "LeakKind",
    "Prepared",
    "SplitRecord",
    "SplitSpec",
    "Strategy",
    "find_leaks",
    "load_prepared",
    "prepare",
]
