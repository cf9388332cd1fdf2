"""Public and private parts of a data set: a seeded, repeatable split of the official training data."""

from graders.splits.prepared import Prepared, SplitRecord, load_prepared
from graders.splits.preparing import prepare
from graders.splits.spec import SplitSpec

__all__ = ["Prepared", "SplitRecord", "SplitSpec", "load_prepared", "prepare"]
