"""Public and private parts of a data set: split, searched for leaks, checked; repeatable from a seed."""
