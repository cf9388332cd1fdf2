"""A text that a site tells on several pages, as one capture. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from schema.capture import Capture


def joined(parts: Sequence[Capture]) -> Capture:
    """Captures of one kind as one; a page that says nothing beyond another one adds nothing."""
    kept: list[Capture] = []
    for part in parts:
        if not any(part.markdown in other.markdown for other in kept):
            kept = [other for other in kept if other.markdown not in part.markdown] + [part]
    if len(kept) == 1:
        return kept[0]
    markdown = "\n\n".join(part.markdown for part in kept)
    return replace(kept[0], markdown=markdown, raw=b"\n".join(part.raw for part in kept))
