"""What a second crawl costs, and whether it finds what has changed and nothing else.

    python benchmarks/recrawl.py [--content FOLDER] [--platform NAME …] [--limit N] [--agents N]
                                 [--seed N] [--json FILE] [--write]

A copy of the content (by default the demo's invented competitions) is served on this machine and crawled
with `tam crawl` into a new lake; crawled again from another start of the sites, unchanged; then three
descriptions and two boards are changed, each in another competition, and it is crawled once more. Promised:
the second crawl takes at most a quarter of the first and adds no version to the tables of what was read, and
`tam changes` then tells those five and nothing else. `--write` puts the table into docs/crawl.md. Ends with
1 where a promise does not hold. Edit no code meanwhile: what another reader left is read again.
"""

import argparse
import contextlib
import csv
import io
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from crawl_page import markdown, put
from rich.console import Console

from demo.content import PLATFORMS
from demo.invented import write_content
from lake.store import Lake
from lake.tables import BOARD_ROWS, BOARDS, CAPTURES, COMPETITIONS, FOOTPRINTS, ROUTES

TAM = [sys.executable, "-m", "tam"]
WRITTEN = (CAPTURES, COMPETITIONS, BOARDS, BOARD_ROWS, FOOTPRINTS, ROUTES)
"""Tables of what was read. The crawl's own log gets its lines each time."""
HEAD = ("", "seconds", "of the first", "competitions", "read by agents", "versions written", "incomplete")
TEXTS, BOARDS_CHANGED, MOST_OF_FIRST = 3, 2, 0.25
_SCORE_COLUMNS = {"Score", "score", "scoreNullable"}
_ADDED = " This sentence was added later."
_PORT_STEP = 20
_PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("TAM_")}
"""The surroundings without settings: no consent, no token, no model."""


@dataclass(frozen=True)
class Crawled:
    """One crawl of all that is served."""

    competitions: int
    seconds: float
    read: int
    """Competitions that an agent read; the others were proved unchanged."""
    incomplete: tuple[str, ...]
    versions: int
    """Versions that it added to the tables of what was read."""


@dataclass(frozen=True)
class RecrawlFigures:
    first: Crawled
    second: Crawled
    third: Crawled
    told_before: int
    """Lines of `tam changes` after the second crawl."""
    wanted: tuple[str, ...]
    """The lines that the changes must give: platform/slug and what has changed."""
    told: tuple[str, ...]

    @property
    def faults(self) -> list[str]:
        """What does not hold, each in a sentence."""
        share = self.second.seconds / self.first.seconds
        said = {
            f"The second crawl took {share:.2f} of the first.": share > MOST_OF_FIRST,
            f"The second crawl read {self.second.read} unchanged competitions.": self.second.read > 0,
            f"The second crawl wrote {self.second.versions} versions.": self.second.versions > 0,
            f"Unchanged content gave {self.told_before} lines of changes.": self.told_before > 0,
            f"Changes told: {self.told}; made: {self.wanted}.": self.told != self.wanted,
        }
        return [fault for fault, holds in said.items() if holds]


@contextlib.contextmanager
def served(content: Path, port: int) -> Iterator[dict[str, str]]:
    """The sites, from a start of their own: other class names, tokens and asset addresses."""
    command = [*TAM, "replica", "serve", "--content", str(content), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None  # noqa: S101  # it is a pipe
        urls = json.loads(process.stdout.readline() or "{}")
        if not urls:
            raise SystemExit("The sites could not be served.")
        yield {name: url for name, url in urls.items() if (content / name).is_dir()}
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """The first of a row of ports that nobody listens on: each start must have the same addresses."""
    for port in range(20_000 + os.getpid() % 10_000, 60_000, _PORT_STEP):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for offset in range(len(PLATFORMS)):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port + offset))
            return port
    raise SystemExit("There is no row of free ports.")


def crawl(content: Path, port: int, lake: Path, agents: int) -> Crawled:
    """`tam crawl` of everything, as a user runs it."""
    before = _versions(lake)
    with served(content, port) as urls:
        command = [*TAM, "crawl", *urls, "--json", "--lake", str(lake), "--concurrency", str(agents)]
        for name, url in urls.items():
            command += ["--base-url", f"{name}={url}"]
        started = time.perf_counter()
        answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=_PLAIN)
        seconds = time.perf_counter() - started
    if answer.returncode not in (0, 1) or not answer.stdout.strip():
        raise SystemExit(f"tam crawl ended with {answer.returncode}.")
    outcomes = json.loads(answer.stdout)["outcomes"]
    return Crawled(
        competitions=len(outcomes),
        seconds=seconds,
        read=sum(one["driver"] != "recheck" for one in outcomes),
        incomplete=tuple(
            f"{one['platform']}/{one['competition']}: {one['reason']}"
            for one in outcomes
            if one["status"] != "complete"
        ),
        versions=_versions(lake) - before,
    )


def _versions(lake: Path) -> int:
    return sum(max(0, Lake(lake).version(table) + 1) for table in WRITTEN)


def told(lake: Path) -> tuple[str, ...]:
    """The lines of `tam changes`."""
    answer = subprocess.run(
        [*TAM, "changes", "--json", "--lake", str(lake)], stdout=subprocess.PIPE, text=True, check=True
    )
    found = json.loads(answer.stdout)
    return tuple(sorted(f"{one['platform']}/{one['competition']} {one['what']}" for one in found))


def alter(content: Path, seed: int) -> tuple[str, ...]:
    """Change three descriptions and two boards, each of another competition; the lines to be told."""
    chance = random.Random(seed)  # noqa: S311  # it chooses what to change
    folders = sorted(content.glob("*/*/"))
    texts = chance.sample([one for one in folders if _prose(one / "overview.md")], TEXTS)
    boards = chance.sample([one for one in folders if one not in texts], BOARDS_CHANGED)
    lines = []
    for folder in texts:
        add_sentence(folder / "overview.md", chance)
        lines.append(f"{_name(folder)} description")
    for folder in boards:
        path = chance.choice(sorted(folder.glob("leaderboard_*.csv")))
        change_score(path, chance)
        lines.append(f"{_name(folder)} {path.stem.removeprefix('leaderboard_')} board")
    return tuple(sorted(lines))


def _name(folder: Path) -> str:
    return f"{folder.parent.name}/{folder.name}"


def _prose(path: Path) -> list[int]:
    """Lines of a text that end a sentence, so that one may follow; outside of blocks of code."""
    if not path.is_file():
        return []
    found, code = [], False
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines()):
        code ^= line.startswith("```")
        if not code and line[:1].isalpha() and line.endswith("."):
            found.append(number)
    return found


def add_sentence(path: Path, chance: random.Random) -> None:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    lines[chance.choice(_prose(path))] += _ADDED
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def change_score(path: Path, chance: random.Random) -> None:
    """Another last digit of one score, anywhere on the board."""
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    column = next(number for number, name in enumerate(rows[0]) if name in _SCORE_COLUMNS)
    row = chance.choice([one for one in rows[1:] if one[column][-1:].isdigit()])
    row[column] = row[column][:-1] + str((int(row[column][-1]) + 1) % 10)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def measure(content: Path, folder: Path, agents: int, seed: int) -> RecrawlFigures:
    """Three crawls of `content`, which is changed before the third, with a lake in `folder`."""
    port, lake = free_port(), folder / "lake"
    first = crawl(content, port, lake, agents)
    second = crawl(content, port, lake, agents)
    before = told(lake)
    wanted = alter(content, seed)
    third = crawl(content, port, lake, agents)
    return RecrawlFigures(first, second, third, len(before), wanted, told(lake))


def copied(given: Path | None, folder: Path, platforms: Sequence[str], limit: int | None) -> Path:
    """The content to crawl, of which anything may be changed."""
    source = given or write_content(folder / "invented")
    for name in platforms or PLATFORMS:
        for one in sorted((source / name).glob("*/"))[:limit]:
            shutil.copytree(one, folder / "content" / name / one.name)
    return folder / "content"


def lines(figures: RecrawlFigures) -> list[tuple[str, ...]]:
    """The table's rows: one for each crawl."""
    crawls = {
        "first crawl": figures.first,
        "second, unchanged": figures.second,
        f"third, {TEXTS} texts and {BOARDS_CHANGED} boards changed": figures.third,
    }
    return [
        (
            name,
            f"{one.seconds:.1f}",
            f"{one.seconds / figures.first.seconds:.2f}",
            *map(str, (one.competitions, one.read, one.versions, len(one.incomplete))),
        )
        for name, one in crawls.items()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--content", type=Path, help="default: the demo's invented competitions")
    parser.add_argument("--platform", action="append", default=[], choices=PLATFORMS)
    parser.add_argument("--limit", type=int, help="most competitions per platform")
    parser.add_argument("--agents", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="chooses what is changed")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--write", action="store_true", help="put the table into docs/crawl.md")
    given = parser.parse_args()
    console = Console(width=110)
    with tempfile.TemporaryDirectory(prefix="recrawl-") as name:
        folder = Path(name)
        content = copied(given.content, folder, given.platform, given.limit)
        figures = measure(content, folder, given.agents, given.seed)
    text = markdown(HEAD, lines(figures)) + f"\n{len(figures.told)} lines of `tam changes`, for 5 changes.\n"
    console.print(text, markup=False)
    for one in (figures.first, figures.third):
        for reason in one.incomplete:
            console.print(f"incomplete: {reason}", markup=False)
    for line in figures.told:
        console.print(f"changed: {line}", markup=False)
    for fault in figures.faults:
        console.print(f"[red]Missed:[/red] {fault}")
    if given.write:
        put("recrawl", text)
    if given.json:
        given.json.write_text(json.dumps({**asdict(figures), "faults": figures.faults}, indent=1) + "\n")
    return int(bool(figures.faults))


if __name__ == "__main__":
    sys.exit(main())
