"""Content folders and crawls, for tests of whole flows on real parts."""

import asyncio
import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.settings import load_settings
from demo.server import ReplicaServer
from flows.crawling.crawl import CrawlReport, CrawlRequest, crawl

ROWS = 130
OVERVIEW = """
## Description
Tell the calls of {name} apart in short audio recordings.

## Evaluation
Submissions are evaluated on the area under the ROC curve. The file has a header:

```
id,probability
1,0.5
```
"""


def write_competition(content: Path, platform: str, slug: str, *, rows: int = ROWS) -> None:
    """One small competition whose texts and teams bear its slug."""
    folder = content / platform / slug
    folder.mkdir(parents=True, exist_ok=True)
    meta = {"platform": platform, "slug": slug, "title": f"The {slug}", "deadline": "2024-05-01"}
    (folder / "meta.json").write_text(json.dumps(meta))
    (folder / "overview.md").write_text(OVERVIEW.format(name=slug))
    for kind, offset in (("private", 0.0), ("public", 0.001)):
        with (folder / f"leaderboard_{kind}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("Rank", "TeamName", "Score"))
            writer.writerows(
                (n, f"{slug} team {n}", f"{0.99 - n / 1000 + offset:.5f}") for n in range(1, rows + 1)
            )


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight small competitions on three platforms."""
    root = tmp_path_factory.mktemp("content")
    for platform, slugs in {
        "kaggle": ("frogs", "owls", "bats", "whales"),
        "aicrowd": ("crickets", "cicadas"),
        "biendata": ("geese", "cranes"),
    }.items():
        for slug in slugs:
            write_competition(root, platform, slug)
    return root


@pytest.fixture(scope="session")
def sites(content: Path) -> Iterator[dict[str, str]]:
    """Addresses of the replicas of those competitions."""
    with ReplicaServer(content) as replica:
        yield replica.urls


def crawl_into(lake: Path, **request: object) -> CrawlReport:
    """Crawl directly, without Prefect."""
    return asyncio.run(crawl(load_settings(lake=lake), CrawlRequest.model_validate(request)))


@pytest.fixture(scope="session")
def crawled(sites: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CrawlReport]:
    """A lake with those competitions, and what the crawl reported."""
    lake = tmp_path_factory.mktemp("lakes") / "lake"
    return lake, crawl_into(lake, base_urls=sites)
