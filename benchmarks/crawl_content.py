"""Small invented competitions whose every text and team bears its slug: content for benchmarks/crawl.py.

    python benchmarks/crawl_content.py FOLDER PLATFORM COUNT ROWS

It prints the slugs as JSON.
"""

import csv
import json
import sys
from pathlib import Path

OVERVIEW = """## Description

The recordings of {slug} were made at one place over a year. Tell the calls of {slug} apart.

| file | holds |
|---|---|
| train.csv | {rows} labelled recordings of {slug} |

## Evaluation

Submissions of {slug} are evaluated on the area under the ROC curve.

## Timeline

All deadlines of {slug} are at 11:59 PM UTC.
"""


def write(folder: Path, platform: str, slug: str, rows: int) -> None:
    """One competition in the content format."""
    place = folder / platform / slug
    place.mkdir(parents=True, exist_ok=True)
    meta = {"platform": platform, "slug": slug, "title": f"The calls of {slug}", "deadline": "2024-05-01"}
    (place / "meta.json").write_text(json.dumps(meta))
    (place / "overview.md").write_text(OVERVIEW.format(slug=slug, rows=rows))
    for kind, offset in (("private", 0.0), ("public", 0.00005)):
        with (place / f"leaderboard_{kind}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("Rank", "TeamName", "Score"))
            writer.writerows(
                (n, f"{slug} team {n}", f"{0.99 - n / 10_000 + offset:.5f}") for n in range(1, rows + 1)
            )


def main() -> None:
    folder, platform, count, rows = sys.argv[1:]
    slugs = [f"{platform}-species-{number}" for number in range(int(count))]
    for slug in slugs:
        write(Path(folder), platform, slug, int(rows))
    print(json.dumps(slugs))


if __name__ == "__main__":
    main()
