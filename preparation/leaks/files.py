"""Files of the test part whose path, time or copies tell the target."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, shown
from preparation.leaks.skill import telling

_ANSWERS = re.compile(
    r"(?:^|[_\-. ])"
    r"(?:y|labels?|targets?|answers?|solutions?|masks?|annotations?|annos?|gt|ground_?truth|truth)"
    r"(?:$|[_\-. ]|\d)",
    re.IGNORECASE,
)
_OPAQUE = frozenset({".npy", ".npz", ".pkl", ".pickle", ".h5", ".hdf5", ".mat", ".joblib", ".feather", ".pt"})
_SMALL = 32
"""Files of fewer bytes are alike by chance."""


def telling_names(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Folders, name parts or suffixes of a row's files that predict a target."""
    if parts.links is None:
        return
    train, test = ([_first(files) for files in links.files] for links in parts.links)
    views = _path_views(train, test)
    for view, cells in views.items():
        told = parts.best(cells, tried=len(views), names=True)
        if told is not None and told.is_leak(threshold):
            example = next((name for name in test if name), "")
            said = told.sentence(f"{view} of the test part's files ({example} is one)")
            yield Leak(kind=LeakKind.FILE_NAME, file=example, figure=round(told.skill, 6), said=said)
            return


def _first(files: tuple[str, ...]) -> str:
    return min(files, default="")


def _path_views(train: list[str], test: list[str]) -> dict[str, tuple[list[str], list[str]]]:
    read: dict[str, Callable[[PurePosixPath], str]] = {
        "folder": lambda path: path.parent.as_posix().removeprefix("public"),
        "name": lambda path: path.stem,
        "suffix": lambda path: path.suffix,
    }
    return {
        view: ([look(PurePosixPath(name)) for name in train], [look(PurePosixPath(name)) for name in test])
        for view, look in read.items()
    }


def answer_files(parts: Parts) -> Iterator[Leak]:
    """Files called labels, masks or the like: of test rows, or such that cannot be looked into."""
    if parts.links is not None:
        asked = {name for files in parts.links[1].files for name in files if _says_answer(name)}
        folders = sorted({PurePosixPath(name).parent.as_posix() for name in asked})
        if asked:
            said = (
                f"{len(asked):,} files of the test part lie in {shown(folders)} or are called like answers."
            )
            yield Leak(kind=LeakKind.ANSWER_FILE, file=min(asked), figure=len(asked), said=said)
            return
    for name in parts.public_files:
        path = PurePosixPath(name)
        if path.suffix.lower() in _OPAQUE and _ANSWERS.search(path.stem):
            said = f"{name} is called like answers and cannot be looked into."
            yield Leak(kind=LeakKind.ANSWER_FILE, file=name, figure=1, said=said)


def _says_answer(name: str) -> bool:
    path = PurePosixPath(name)
    return any(_ANSWERS.search(part) for part in (*path.parts[1:-1], path.stem))


def telling_times(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Times of change of the test part's files that predict a target."""
    if parts.links is None:
        return
    train, test = ([_time(parts, _first(files)) for files in links.files] for links in parts.links)
    if len({*train, *test}) < 2:
        return
    for truth in parts.truths:
        skill = telling(truth, train, test, tried=1, pooled=parts.pooled)
        if skill is not None and skill >= threshold:
            example = next(_first(files) for files in parts.links[1].files if files)
            said = f"The times of the test part's files predict {truth.name!r} with a skill of {skill:.3f}."
            yield Leak(kind=LeakKind.FILE_TIME, file=example, figure=round(skill, 6), said=said)
            return


def _time(parts: Parts, name: str) -> str:
    return str((parts.folder / name).stat().st_mtime_ns // 1_000_000) if name else ""


def duplicate_files(parts: Parts) -> Iterator[Leak]:
    """Files of test rows that lie a second time in the public part, byte for byte."""
    if parts.links is None:
        return
    by_content: defaultdict[str, set[str]] = defaultdict(set)
    for name in parts.public_files:
        digest = parts.record.files.get(name)
        if digest is not None and (parts.folder / name).stat().st_size >= _SMALL:
            by_content[digest].add(name)
    mine = {name for files in parts.links[1].files for name in files}
    copies = {}
    for name in sorted(mine):
        others = by_content.get(parts.record.files.get(name, ""), set()) - mine
        if others:
            copies[name] = min(others)
    if copies:
        name, other = next(iter(copies.items()))
        said = (
            f"{len(copies):,} files of the test part lie elsewhere in the public part too: {name} is {other}."
        )
        yield Leak(kind=LeakKind.DUPLICATE_FILE, file=name, figure=len(copies), said=said)
