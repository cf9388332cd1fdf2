"""Text of strangers, made harmless for terminals and logs."""

import re

DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Code points that turn the direction of writing."""
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0))}
_CONTROLS |= {code: f"\\u{code:04x}" for code in (0x2028, 0x2029, *DIRECTIONS)}


def plain(text: str) -> str:
    """Text with its control characters spelt out: none moves a cursor, sets a colour or turns the direction.

    Line breaks stay. Text of pages can hold all of them.
    """
    return text.translate(_CONTROLS)


def without_secrets(url: str) -> str:
    """An address without what stands before its last `@`, after `?` or `#`: any of that may be a secret."""
    scheme, mark, rest = url.rpartition("://") if url.count("://") == 1 else ("", "", url)
    return scheme + mark + re.split(r"[?#]", rest.rpartition("@")[2])[0]


def clipped(text: str, most: int) -> str:
    """Text on one line of at most `most` characters, with its control characters spelt out."""
    line = " ".join(plain(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
