"""What the replicas serve: `<platform>/<slug>/{meta.json, overview.md, data.md, leaderboard_*.csv}`.

Read lazily and again when a file changes: a folder of a hundred competitions opens at once, and a running
server shows edits. `docs/platforms.md` describes the format for those who write it.
"""

import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from core.errors import ContentError, UsageError
from demo.standings import InventedStandings, check_header, count_rows, read_standings
from schema.board import BoardKind
from schema.competition import check_slug

PLATFORMS = ("kaggle", "aicrowd", "biendata", "codabench", "evalai", "ogb")

BoardName = tuple[BoardKind, str | None]
"""Kind and track; the main board of a kind has no track."""
_ORDER = (BoardKind.PRIVATE, BoardKind.PUBLIC)


class ContentMeta(BaseModel):
    """meta.json: who the competition is, and what its site states; unknown keys are not served."""

    model_config = ConfigDict(frozen=True)

    platform: str
    slug: str
    title: str | None = None
    subtitle: str | None = None
    host: str | None = None
    prize: str | None = None
    start: datetime | None = None
    deadline: datetime | None = None
    license: str | None = None
    tags: tuple[str, ...] = Field(default=())
    metric: str | None = None
    higher_is_better: bool | None = None
    rules: str | None = None

    @field_validator("start", "deadline", mode="before")
    @classmethod
    def _iso(cls, value: object) -> object:
        """An ISO date or time; a bare date means its last minute, no zone means UTC."""
        if not isinstance(value, str):
            return value
        moment = datetime.fromisoformat(value)
        if len(value) == len("2024-01-31"):
            moment = datetime.combine(moment.date(), time(23, 59))
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ContentEntry:
    """One competition of the content."""

    folder: Path
    meta: ContentMeta

    @property
    def slug(self) -> str:
        return self.meta.slug

    @property
    def title(self) -> str:
        """As stated, else made from the slug."""
        return self.meta.title or self.slug.replace("-", " ").replace("_", " ").title()

    @property
    def number(self) -> int:
        """A stable numeric id made from the slug."""
        return zlib.crc32(self.slug.encode()) & 0x7FFF_FFFF

    @property
    def overview(self) -> str | None:
        return self._text("overview.md")

    @property
    def data(self) -> str | None:
        return self._text("data.md")

    @property
    def kinds(self) -> tuple[BoardKind, ...]:
        """The boards there are, the final one first."""
        return tuple(kind for kind in _ORDER if self.board_path(kind).is_file())

    @property
    def teams(self) -> int:
        """Rows of the final board, or of the public one where there is no other."""
        return self.count(self.kinds[0])

    @property
    def version(self) -> tuple[int, ...]:
        """Changes when a board's file does."""
        return tuple(self.board_path(kind).stat().st_mtime_ns for kind in self.kinds)

    @property
    def boards(self) -> tuple[BoardName, ...]:
        """Kind and track of every board; those without a track, which are the main ones, first."""
        folders = sorted(self.folder.glob("tracks/*/"))
        names = [(kind, folder.name) for folder in folders for kind in _ORDER]
        further = (name for name in names if self.board_path(*name).is_file())
        return (*((kind, None) for kind in self.kinds), *further)

    def board_path(self, kind: BoardKind, track: str | None = None) -> Path:
        folder = self.folder / "tracks" / track if track else self.folder
        return folder / f"leaderboard_{kind}.csv"

    def count(self, kind: BoardKind, track: str | None = None) -> int:
        """How many rows this board has: what the site claims."""
        return count_rows(self.board_path(kind, track))

    def standings(self, kind: BoardKind, track: str | None = None) -> InventedStandings:
        """The whole board of a name in `boards`."""
        return read_standings(self.board_path(kind, track), kind)

    def _text(self, name: str) -> str | None:
        path = self.folder / name
        try:
            return path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise ContentError(path, f"not UTF-8 ({error.reason})", "save it as UTF-8") from None


class Content:
    """A content folder.

    Raises:
        UsageError: `root` is no folder, or has none of the platforms' folders.
        ContentError: a competition has no board, or a file is unusable; names the file and the remedy.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        if not root.is_dir():
            raise UsageError(f"There is no content folder {root}.")
        if not any((root / platform).is_dir() for platform in PLATFORMS):
            raise UsageError(f"{root} has none of the folders {', '.join(PLATFORMS)}: see docs/platforms.md.")
        for platform in PLATFORMS:
            for entry in self.entries(platform):
                for name in entry.boards:
                    check_header(entry.board_path(*name))

    def entries(self, platform: str) -> list[ContentEntry]:
        """All competitions of a platform, by slug."""
        folder = self.root / platform
        if not folder.is_dir():
            return []
        return [
            _entry(path) for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._"
        ]

    def entry(self, platform: str, slug: str) -> ContentEntry | None:
        """The competition of this slug, if there is one; `slug` may be anything a client sent."""
        try:
            folder = self.root / platform / check_slug(slug)
        except UsageError:
            return None
        return _entry(folder) if folder.is_dir() else None


def _entry(folder: Path) -> ContentEntry:
    path = folder / "meta.json"
    modified = path.stat().st_mtime_ns if path.is_file() else 0
    entry = ContentEntry(folder, _read_meta(folder, modified))
    if not entry.kinds:
        raise ContentError(folder, "no board", "add leaderboard_private.csv or leaderboard_public.csv")
    return entry


@lru_cache(maxsize=4096)
def _read_meta(folder: Path, modified: int) -> ContentMeta:
    path = folder / "meta.json"
    named = {"platform": folder.parent.name, "slug": folder.name}
    try:
        meta = (
            ContentMeta.model_validate_json(path.read_bytes())
            if modified
            else ContentMeta.model_validate(named)
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise ContentError(path, f"{where}: {first['msg']}", "see docs/platforms.md") from None
    if (meta.platform, meta.slug) != (folder.parent.name, folder.name):
        problem = f"says {meta.platform}/{meta.slug}, its folder {folder.parent.name}/{folder.name}"
        raise ContentError(path, problem, "make the two agree")
    try:
        check_slug(meta.slug)
    except UsageError as error:
        raise ContentError(path, str(error), "rename the folder and the slug") from None
    return meta
