"""A small content folder that each test may add to, and a client of each replica over it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from demo.content import Content
from demo.quirks import parse_quirks
from demo.server import APPS
from demo.site import ReplicaSite


@pytest.fixture
def add(tmp_path: Path) -> Callable[..., Path]:
    """Write one competition; `meta` gains platform and slug, other files are given by their stems."""

    def write(platform: str = "kaggle", slug: str = "frog-calls", meta: object = None, **files: str) -> Path:
        folder = tmp_path / platform / slug
        folder.mkdir(parents=True, exist_ok=True)
        facts = {"platform": platform, "slug": slug} | (meta if isinstance(meta, dict) else {})
        (folder / "meta.json").write_text(json.dumps(facts), encoding="utf-8")
        for stem, text in files.items():
            suffix = ".csv" if stem.startswith("leaderboard") else ".md"
            (folder / f"{stem}{suffix}").write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def client(tmp_path: Path) -> Callable[..., TestClient]:
    """A client of one replica over what has been added."""

    def start(platform: str, *quirks: str) -> TestClient:
        site = ReplicaSite(platform, Content(tmp_path), parse_quirks(quirks), "http://evil.test/")
        return TestClient(APPS[platform](site), base_url="http://127.0.0.1")

    return start


@pytest.fixture
def board() -> Callable[[int], str]:
    """A board with this many rows."""

    def make(rows: int) -> str:
        return "rank,score\n" + "".join(f"{rank},{1 - rank / 1000:.5f}\n" for rank in range(1, rows + 1))

    return make
