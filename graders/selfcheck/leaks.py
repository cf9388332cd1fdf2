"""Whether the public part of a prepared task gives its answers away."""

from graders.splits import Prepared, find_leaks


def find_leak(prepared: Prepared) -> str | None:
    """What shows answers, in a sentence each; None where nothing does that the record does not accept."""
    known = {(leak.kind, leak.place) for leak in prepared.record.accepted_leaks}
    found = [leak for leak in find_leaks(prepared) if (leak.kind, leak.place) not in known]
    return " ".join(leak.said for leak in found) or None
