"""Raw bytes as files named by their content: `raw/ab/<sha256>.gz`."""

import gzip
import hashlib
import re
import zlib
from pathlib import Path

from core.errors import LakeError
from core.files import write_atomically

_SHA256 = re.compile(r"[0-9a-f]{64}")


def put_raw(folder: Path, content: bytes) -> str:
    """Keep `content` and return its sha256; bytes that are there are not written again."""
    sha256 = hashlib.sha256(content).hexdigest()
    path = raw_file(folder, sha256)
    if not path.exists():
        write_atomically(path, gzip.compress(content, 6, mtime=0))
    return sha256


def get_raw(folder: Path, sha256: str) -> bytes:
    """The bytes with this hash.

    Raises:
        LakeError: there are none, or the file was damaged.
    """
    path = raw_file(folder, sha256)
    try:
        content = gzip.decompress(path.read_bytes())
    except FileNotFoundError as error:
        raise LakeError(f"The lake has no raw bytes {sha256}.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise LakeError(f"{path} is damaged: {error}. Read its page again.") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise LakeError(f"{path} is damaged: its bytes have another hash. Read its page again.")
    return content


def is_sha256(text: str) -> bool:
    """Whether this can be a hash at all."""
    return _SHA256.fullmatch(text) is not None


def raw_file(folder: Path, sha256: str) -> Path:
    """Where the bytes with this hash lie; LakeError where it is no hash."""
    if not _SHA256.fullmatch(sha256):
        raise LakeError(f"{sha256!r} is not a sha256.")
    return folder / sha256[:2] / f"{sha256}.gz"
