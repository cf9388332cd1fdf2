"""A lake in an object store: `s3://bucket/prefix`. The store holds it; a local folder mirrors what is read.

Everything in a lake that is ever read is written once under its name: commits, Parquet files, raw bytes,
releases. So a copy is never out of date, and a file that is here need not be fetched again. Queries run over
the mirror, with neither network nor keys (decision 0013).
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import platformdirs
import pyarrow as pa

from core.errors import LakeError, UsageError
from core.files import write_atomically
from lake import delta
from lake.commits import LOG
from lake.place import MARKER, MIRROR, SCHEME, check_marker, marker_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyarrow.fs import FileInfo, S3FileSystem

Result = TypeVar("Result")

_LOG = f"{LOG}/"
_HTTP = "http://"
_CONNECT_SECONDS = 10
_ATTEMPTS = 3


class ObjectStorage:
    """A lake under an object store's prefix, and its mirror.

    Keys, region and address come from the usual variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
    AWS_SESSION_TOKEN, AWS_REGION, and AWS_ENDPOINT_URL for a store that is not Amazon's.
    """

    def __init__(self, url: str, root: Path | None = None) -> None:
        """Nothing is asked of the store yet.

        Raises:
            UsageError: the URL names no bucket.
        """
        self._below = url.removeprefix(SCHEME).strip("/")
        if not self._below:
            raise UsageError(f"{url} names no bucket. Write s3://BUCKET/PREFIX.")
        self.url = f"{SCHEME}{self._below}"
        self.root = root or _mirror_of(self.url)
        self._marked = False

    def check(self) -> None:
        """Refuse a prefix that holds something else, or a lake of a newer TAM.

        Raises:
            LakeError: it does, or the store cannot be reached.
        """
        if not (self.root / MIRROR).exists():
            write_atomically(self.root / MIRROR, self.url + "\n")
        if not self.exists and self._infos("", recursive=False):
            raise LakeError(
                f"{self.url} is not empty and not a lake (it has no {MARKER}). Name another prefix."
            )

    @property
    def exists(self) -> bool:
        """Whether a lake was ever written there."""
        if not self._marked and self._is_file(MARKER):
            check_marker(self._read(MARKER).decode(errors="replace"), self.url)
            self._marked = True
        return self._marked

    def mark(self) -> None:
        """Make it a lake, if it is none yet."""
        if not self.exists:
            self._write(MARKER, marker_text().encode())
            self._marked = True

    def append(self, table: str, rows: pa.Table, partition_by: "Sequence[str]") -> int:
        """Commit rows in the store itself; raises as `lake.delta.append` does."""
        return delta.append_at(f"{self.url}/tables/{table}", rows, partition_by, self._options)

    def refresh(self, table: str) -> None:
        """Mirror the commits of a table that are new, the oldest first: a reader never sees a gap."""
        log = f"tables/{table}/{_LOG}"
        infos = self._infos(log, recursive=False)
        self._fetch_all(sorted(log + one.base_name for one in infos if one.base_name[:-5].isdecimal()))

    def fetch(self, files: Iterable[str | Path]) -> None:
        """Mirror these files below `root`, those that are not here; what the store lacks stays away."""
        self._fetch_all(Path(file).relative_to(self.root).as_posix() for file in files)

    def fetch_folder(self, name: str) -> None:
        """Mirror all files of a folder."""
        self._fetch_all(f"{name}/{one.base_name}" for one in self._infos(f"{name}/", recursive=False))

    def renew(self, file: Path) -> None:
        """Fetch a file again, whatever is here: what the store holds is to be looked at."""
        file.unlink(missing_ok=True)
        self.fetch([file])

    def has(self, file: Path) -> bool:
        """Whether the store has a file; it is not looked at."""
        return self._is_file(file.relative_to(self.root).as_posix())

    def keep(self, file: Path) -> None:
        """Put a file that was just written below `root` into the store."""
        name = file.relative_to(self.root).as_posix()
        if not self._is_file(name):
            self._write(name, file.read_bytes())

    def list_files(self, write: str, hashes: Mapping[str, str]) -> None:
        """Nothing: an object store has checksums of its own."""

    def claim(self, release: str) -> None:
        """Take a release's name, for good: of two who ask at once, one gets it.

        Raises:
            UsageError: it is taken.
        """
        if self._is_file(f"releases/{release}.json") or not delta.claim_at(
            f"{self.url}/releases/.names/{release}", self._options
        ):
            raise UsageError(
                f"The name {release!r} is taken, by a release or by a `tam release create` that did not end. "
                "Releases never change: take another name."
            )

    @cached_property
    def _store(self) -> "S3FileSystem":
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

        options = self._options
        endpoint = options.get("AWS_ENDPOINT_URL", "")
        return S3FileSystem(
            access_key=options.get("AWS_ACCESS_KEY_ID"),
            secret_key=options.get("AWS_SECRET_ACCESS_KEY"),
            session_token=options.get("AWS_SESSION_TOKEN"),
            region=options.get("AWS_REGION"),
            endpoint_override=endpoint.partition("://")[2].rstrip("/") or None,
            scheme="http" if endpoint.startswith(_HTTP) else "https",
            connect_timeout=_CONNECT_SECONDS,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
        )

    @cached_property
    def _options(self) -> Mapping[str, str]:
        """As delta-rs takes them."""
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL")
        found = {name: os.environ[name] for name in names if os.environ.get(name)}
        region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        if region:
            found["AWS_REGION"] = region
        if found.get("AWS_ENDPOINT_URL", "").startswith(_HTTP):
            found["AWS_ALLOW_HTTP"] = "true"
        return found

    def _fetch_all(self, names: Iterable[str]) -> None:
        for name in names:
            path = self.root / name
            if not path.exists() and self._is_file(name):
                write_atomically(path, self._read(name))

    def _infos(self, name: str, *, recursive: bool) -> "list[FileInfo]":
        from pyarrow.fs import FileSelector

        place = f"{self._below}/{name}".rstrip("/")
        selector = FileSelector(place, recursive=recursive, allow_not_found=True)
        return self._asked(lambda: self._store.get_file_info(selector))

    def _is_file(self, name: str) -> bool:
        return bool(self._asked(lambda: self._store.get_file_info(f"{self._below}/{name}")).is_file)

    def _read(self, name: str) -> bytes:
        def read() -> bytes:
            with self._store.open_input_file(f"{self._below}/{name}") as file:
                return bytes(file.read())

        return self._asked(read)

    def _write(self, name: str, content: bytes) -> None:
        place = f"{self._below}/{name}"

        def write() -> None:  # by its name, PyArrow would compress what is compressed already
            with self._store.open_output_stream(place, compression=None) as file:
                file.write(content)

        self._asked(write)

    def _asked(self, work: "Callable[[], Result]") -> "Result":
        try:
            return work()
        except OSError as error:
            raise LakeError(
                f"The object store does not answer for {self.url}: {error}. Check AWS_ENDPOINT_URL, "
                "AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that the bucket exists."
            ) from error


def _mirror_of(url: str) -> Path:
    """Where this user's mirror of that lake lies."""
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    name = hashlib.sha256(f"{endpoint}\n{url}".encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("tam") / "lakes" / name
