"""Draws which folder imports which, and counts what makes code hard to own.

    python scripts/structure.py                 # prints the figures
    python scripts/structure.py --write         # and draws docs/architecture.svg

The figures: imports that run up or round in a circle, entries of `flows/`, calls that copy four or more
fields of equal names by hand (`x=a.x`), names of public classes that are used twice, lines of each folder.
Ends with 1 where one of them is more than allowed.
"""

import argparse
import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLOORS: tuple[tuple[str, ...], ...] = (
    ("tam",),
    ("flows.deployments",),
    ("flows.exchange", "flows.reporting"),
    ("flows.grading", "flows.preparing"),
    ("flows.building",),
    ("flows.crawling",),
    ("flows.jobs",),
    ("flows.engine",),
    ("scrapers", "mapping", "preparation", "difficulty", "lake", "report", "interchange", "demo"),
    ("graders",),
    ("schema",),
    ("core",),
)
"""From the roof to the ground, as import-linter holds it. `demo` stands apart: `tam` alone starts it."""
OTHERS = ("benchmarks", "scripts")
MOST_COPIES, MOST_FLOWS, COPIED = 12, 12, 4
_WIDTH, _ROW, _BOX, _WIDEST = 1180, 74, 40, 420
_ASIDE = (-150, 150)
"""Rooms that are alone on their floor stand left and right in turn, so that arrows can be told apart."""
Trees = dict[Path, ast.Module]


def trees() -> Trees:
    """Every file that is no test, parsed."""
    folders = {floor.partition(".")[0] for floors in FLOORS for floor in floors} | {*OTHERS}
    files = (file for name in sorted(folders) for file in sorted((ROOT / name).rglob("*.py")))
    return {file.relative_to(ROOT): ast.parse(file.read_text("utf-8")) for file in files}


def room_of(module: str) -> str | None:
    """The box of the picture that a module is in."""
    names = (name for floor in FLOORS for name in floor)
    return next((name for name in names if module == name or module.startswith(f"{name}.")), None)


def arrows(found: Trees) -> Counter[tuple[str, str]]:
    """Imports from room to room, and how many."""
    counted: Counter[tuple[str, str]] = Counter()
    for file, tree in found.items():
        here = room_of(".".join(file.with_suffix("").parts))
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            for there in map(room_of, names):
                if here and there and here != there:
                    counted[here, there] += 1
    return counted


def floor_of(room: str) -> int:
    """0 is the roof."""
    return next(number for number, floor in enumerate(FLOORS) if room in floor)


def climbing(counted: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """Arrows to a higher floor, or to a neighbour; without any, nothing runs in a circle."""
    return sorted(pair for pair in counted if floor_of(pair[0]) >= floor_of(pair[1]))


def copies(found: Trees) -> Iterator[tuple[str, str, int]]:
    """Calls that copy fields by hand: place, what is called, how many fields."""
    for file, tree in found.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                same = [
                    k for k in node.keywords if isinstance(k.value, ast.Attribute) and k.value.attr == k.arg
                ]
                if len(same) >= COPIED:
                    yield f"{file}:{node.lineno}", ast.unparse(node.func), len(same)


def twice(found: Trees) -> dict[str, list[str]]:
    """Public classes of one name, and where they are."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for file, tree in found.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file))
    return {name: files for name, files in sorted(places.items()) if len(files) > 1}


def picture(counted: Counter[tuple[str, str]]) -> str:
    """The floors as SVG; arrows that climb are red."""
    place: dict[str, tuple[float, float, float]] = {}
    boxes, lines = [], []
    for number, floor in enumerate(FLOORS):
        width = (_WIDTH - 40) / len(floor)
        for index, room in enumerate(floor):
            box = min(width - 14, _WIDEST)
            x, y = 20 + (index + 0.5) * width + _ASIDE[number % 2] * (len(floor) == 1), 16 + number * _ROW
            place[room] = (x, y, box)
            boxes.append(
                f'<rect x="{x - box / 2:.0f}" y="{y}" width="{box:.0f}" height="{_BOX}" rx="6"/>'
                f'<text x="{x:.0f}" y="{y + 25}">{room}</text>'
            )
    for (here, there), times in sorted(counted.items()):
        (x, y, _), (to, below, wide) = place[here], place[there]
        end = to + max(-wide / 2.4, min(wide / 2.4, (x - to) / 3))
        kind = "up" if floor_of(here) >= floor_of(there) else "down"
        lines.append(
            f'<path class="{kind}" stroke-width="{min(4.0, 0.6 + times / 25):.1f}" '
            f'd="M{x:.0f} {y + _BOX} C{x:.0f} {y + _BOX + 30}, {end:.0f} {below - 30}, {end:.0f} {below}"/>'
        )
    style = (
        "rect{fill:#eef2f8;stroke:#33415c}text{font:600 14px system-ui,sans-serif;text-anchor:middle}"
        "path{fill:none;marker-end:url(#m)}.down{stroke:#33415c;opacity:.4}.up{stroke:#c1121f}"
    )
    marker = (
        '<defs><marker id="m" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="5" markerHeight="5" '
        'orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0 10 5 0 10z"/></marker></defs>'
    )
    height = 16 + len(FLOORS) * _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="Folders of TAM by floors; every import runs down">\n<style>{style}</style>{marker}\n'
        f'<rect x="0" y="0" width="{_WIDTH}" height="{height}" style="fill:#fff;stroke:none"/>\n'
        + "\n".join([*lines, *boxes])
        + "\n</svg>\n"
    )


def main() -> int:
    """Print the figures; 1 where one is more than allowed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="draw docs/architecture.svg")
    found = trees()
    counted = arrows(found)
    if parser.parse_args().write:
        (ROOT / "docs/architecture.svg").write_text(picture(counted), "utf-8")
    up, copied, doubles = climbing(counted), list(copies(found)), twice(found)
    entries = [
        one
        for one in (ROOT / "flows").iterdir()
        if one.name not in {"__init__.py", "py.typed", "__pycache__"}
    ]
    print(f"imports between {sum(map(len, FLOORS))} rooms: {counted.total()}, up or sideways: {up or 'none'}")
    print(f"entries of flows/: {len(entries)}")
    print(f"calls that copy {COPIED} or more fields: {len(copied)}")
    for where, what, fields in copied:
        print(f"  {fields:3d} {what:20} {where}")
    print(f"public class names used twice: {doubles or 'none'}")
    lines = Counter[str]()
    for file in found:
        lines[file.parts[0]] += len((ROOT / file).read_text("utf-8").splitlines())
    print("lines: " + ", ".join(f"{name} {count:,}" for name, count in sorted(lines.items())))
    print(f"lines in all: {lines.total():,}")
    return int(bool(up or doubles or len(copied) > MOST_COPIES or len(entries) > MOST_FLOWS))


if __name__ == "__main__":
    sys.exit(main())
