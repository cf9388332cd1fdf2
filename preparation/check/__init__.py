"""Does a prepared task measure what it should? Perfect answers, the sample submission and noise are tried.

mle-bench's invariants and a few more: a task that fails one would rank agents by something else than their
work. What cannot be decided is said to be not checked, with the reason, never passed in silence.
"""
