"""Side tables, texts and containers that say what the answers are, under whatever name and key."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from preparation.leaks.containers import Content, contents
from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, picked
from preparation.leaks.skill import Truth
from preparation.leaks.views import Told, best_alone, best_told

_MATCHED = 0.5
"""The share of the test part's cells that a key column must have to be about them."""
_KEYS = 20
"""Different cells that a column must have to be joined by; fewer are told by their values."""
_PROBED = 200
"""Keys by which a column is looked at before all are counted."""
_HOPS = 2
_MOST_FILES = 500
_MOST_TABLES = 40
_LINES_RIGHT = 0.9
_REACH = 200
"""Letters behind an id in which its answer is looked for."""
_WORD = re.compile(r"[\w.\-]+")
_MEASURE = re.compile(r"\s*[-+]?\d*\.\d+([eE][-+]?\d+)?\s*")
Cells = tuple[list[str], list[str]]
"""A cell for every row that is looked at, of the training and of the test part; blank where there is none."""


def _digest(name: str) -> Callable[[str], str]:
    return lambda cell: hashlib.new(name, cell.encode(), usedforsecurity=False).hexdigest()


def _last_number(cell: str) -> str:
    found = re.findall(r"\d+", cell)
    return found[-1].lstrip("0") or "0" if found else ""


_SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "": str.strip,
    "in small letters": lambda cell: cell.strip().lower(),
    "without prefix": lambda cell: re.split(r"[_\-:/ ]", cell.strip().lower())[-1],
    "file stem": lambda cell: PurePosixPath(cell.strip()).name.split(".")[0],
    "number": _last_number,
    **{name: _digest(name) for name in ("md5", "sha1", "sha256")},
    "reversed": lambda cell: cell[::-1],
}
"""Ways in which another table can write the same key; of hashes the key is the test part's alone."""
_ONE_WAY = frozenset({"md5", "sha1", "sha256", "reversed"})


@dataclass(frozen=True, slots=True)
class _Source:
    """Columns that stand for the rows of the parts, and how they were reached."""

    columns: Mapping[str, Cells]
    via: str
    used: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Side:
    """One table beside the parts."""

    where: str
    cells: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class _Probe:
    """Some of the keys that a source's column asks for in one spelling; all of them would fill the memory."""

    source: _Source
    column: str
    way: str
    some: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Match:
    """A column of a table that has rows for a source's column, as one or the other spells it."""

    way: str
    key: str


def side_files(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Files beside the parts that have the target's column, or tell it of the test part's rows in any way."""
    linked = {name for links in parts.links or () for files in links.files for name in files}
    names = [name for name in parts.public_files if name not in linked][:_MOST_FILES]
    found = [(name, content) for name in names for content in contents(parts.folder / name, name)]
    hidden = {*parts.hidden, *parts.record.target_columns}
    told, sides = set[str](), list[tuple[str, _Side]]()
    for name, content in found:
        asked = hidden.intersection(content.table.names if content.table else ())
        if asked and name not in told:
            told.add(name)
            said = f"{content.where} has the answers' column {min(asked)!r}."
            yield Leak(kind=LeakKind.ANSWER_COLUMN, file=name, column=min(asked), figure=1, said=said)
        elif content.table is not None and len(sides) < _MOST_TABLES:
            cells = {column: content.table.texts(column) for column in content.table.names}
            sides.append((name, _Side(content.where, cells)))
    for name, leak in _joined(parts, sides, threshold):
        if name not in told:
            told.add(name)
            yield leak
    for name, content in found:
        if name in told:
            continue
        by_place = _by_place(parts, name, content, threshold)
        if plain := by_place or _lines(parts, name, content, threshold):
            told.add(name)
            yield plain


def _joined(parts: Parts, sides: Sequence[tuple[str, _Side]], threshold: float) -> Iterator[tuple[str, Leak]]:
    """Tables joined by any column they share with the parts, or with a table so joined."""
    names = [name for name in (*parts.record.id_columns, *parts.features) if name in parts.train.names]
    own = {
        name: (picked(parts.train, name, parts.train_rows), picked(parts.test, name, parts.test_rows))
        for name in names
    }
    sources = [_Source(own, "", frozenset())]
    for _ in range(_HOPS):
        reached = list[_Source]()
        probes = [probe for source in sources for probe in _probes(source)]
        for name, side in sides:
            matches = _matches(probes, side)
            for source in sources:
                for column in source.columns:
                    match = matches.get((id(source), column))
                    if match is None:
                        continue
                    joined, by = _join(source, column, side, match)
                    reached.append(joined)
                    if leak := _telling(parts, name, side.where, joined, by, threshold):
                        yield name, leak
                        break
        sources = reached


def _measures(cells: Sequence[str]) -> bool:
    """Whether a column has numbers with fractions; many tables have equal ones by chance."""
    looked_at = cells[:_PROBED]
    return sum(_MEASURE.fullmatch(cell) is not None for cell in looked_at) >= len(looked_at) / 2


def _ways(cells: Sequence[str]) -> Iterator[str]:
    """The spellings that a column can be joined in; the digits of measures name nothing."""
    yield from [""] if _measures(cells) else _SPELLINGS


def _asked(source: _Source, column: str, way: str) -> set[str]:
    """The keys of the test part in one spelling."""
    return set(map(_SPELLINGS[way], source.columns[column][1])) - {""}


def _probes(source: _Source) -> Iterator[_Probe]:
    for column, (_, test) in source.columns.items():
        if len(set(test)) < _KEYS or (source.via and _measures(test)):
            continue
        for way in _ways(test):
            asked = sorted(_asked(source, column, way))
            if len(asked) >= _KEYS:
                yield _Probe(source, column, way, frozenset(asked[:: -(-len(asked) // _PROBED)]))


def _matches(probes: Sequence[_Probe], side: _Side) -> dict[tuple[int, str], _Match]:
    """For each source (by its `id`) and column the first spelling, and of it the first key, that has them."""
    by_spelling: defaultdict[str, list[_Probe]] = defaultdict(list)
    for probe in probes:
        if side.where not in probe.source.used:
            by_spelling[_theirs(probe.way)].append(probe)
    ways, keys = list(_SPELLINGS), list(side.cells)
    found: dict[tuple[int, str], _Match] = {}

    def place(match: _Match) -> tuple[int, int]:
        return ways.index(match.way), keys.index(match.key)

    for key, cells in side.cells.items():
        if len(set(cells)) < _KEYS:
            continue
        for spelling in by_spelling.keys() & set(_ways(cells)):
            there = set(map(_SPELLINGS[spelling], cells))
            for probe in by_spelling[spelling]:
                known, match = found.get((id(probe.source), probe.column)), _Match(probe.way, key)
                if (known is None or place(match) < place(known)) and _has(there, probe):
                    found[id(probe.source), probe.column] = match
    return found


def _theirs(way: str) -> str:
    """How a table spells the keys that we ask for in some spelling: a hash is not hashed again."""
    return "" if way in _ONE_WAY else way


def _has(there: set[str], probe: _Probe) -> bool:
    """Whether enough of the keys are there; where few of some are, all are not counted."""
    if len(there & probe.some) < _MATCHED / 2 * len(probe.some):
        return False
    asked = _asked(probe.source, probe.column, probe.way)
    return len(there & asked) >= _MATCHED * len(asked)


def _join(source: _Source, column: str, side: _Side, match: _Match) -> tuple[_Source, str]:
    """A table's columns laid beside the rows of a source."""
    ours, theirs = _SPELLINGS[match.way], _SPELLINGS[_theirs(match.way)]
    spelled = [list(map(ours, part)) for part in source.columns[column]]
    asked = {*spelled[0], *spelled[1]} - {""}
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, cell in enumerate(side.cells[match.key]):
        if (key := theirs(cell)) in asked:
            rows[key].append(row)
    columns = dict(_columns(side, match.key, [[rows.get(key, []) for key in part] for part in spelled]))
    way = f" ({match.way} of {column!r})" if match.way else ""
    via = f"{source.via}{match.key!r}{way}"
    return _Source(columns, f"{via}, then ", source.used | {side.where}), via


def _columns(side: _Side, key: str, places: Sequence[Sequence[list[int]]]) -> Iterator[tuple[str, Cells]]:
    train, test = places
    if any(len(rows) > 1 for rows in (*train, *test)):
        yield "number of rows", ([str(len(rows)) for rows in train], [str(len(rows)) for rows in test])
    for name, cells in side.cells.items():
        if name == key:
            continue
        first = [[cells[rows[0]] if rows else "" for rows in part] for part in places]
        last = [[cells[rows[-1]] if rows else "" for rows in part] for part in places]
        yield name, (first[0], first[1])
        if last != first:
            yield f"{name} (last row)", (last[0], last[1])


def _telling(parts: Parts, name: str, where: str, source: _Source, by: str, threshold: float) -> Leak | None:
    for column, cells in source.columns.items():
        told = _best(parts, cells, len(source.columns))
        if told is not None and told.is_leak(threshold):
            plain = column.removesuffix(" (last row)")
            said = told.sentence(f"column {plain!r} of {where}, joined by {by},")
            return Leak(
                kind=LeakKind.ANSWER_COLUMN, file=name, column=plain, figure=round(told.skill, 6), said=said
            )
    return None


def _best(parts: Parts, cells: Cells, tried: int) -> Told | None:
    """What a joined column tells of the rows it has; a table of test rows alone may repeat the answers."""
    train, test = (np.flatnonzero([bool(cell) for cell in part]) for part in cells)
    if len(test) < _MATCHED * len(cells[1]):
        return None
    truths = tuple(
        Truth(
            truth.name,
            truth.kind,
            tuple(truth.train[row] for row in train),
            tuple(truth.test[row] for row in test),
            truth.units,
        )
        for truth in parts.truths
    )
    told = [cells[1][row] for row in test]
    if len(train) < len(cells[0]) / 2:
        return best_alone(truths, told, tried=tried)
    return best_told(truths, [cells[0][row] for row in train], told, tried=tried, pooled=False)


def _by_place(parts: Parts, name: str, content: Content, threshold: float) -> Leak | None:
    """A column or lines without ids, as many as there are rows, in the order of the rows or of their ids."""
    for column, cells in _bare_columns(content).items():
        for order, found in _placed(parts, cells):
            told = _best(parts, found, 4 * _MOST_TABLES)
            if told is not None and told.is_leak(threshold):
                place = f"column {column!r} of {content.where}" if column else f"lines of {content.where}"
                said = told.sentence(f"{place}, in the order of {order},")
                return Leak(
                    kind=LeakKind.ANSWER_FILE,
                    file=name,
                    column=column or None,
                    figure=round(told.skill, 6),
                    said=said,
                )
    return None


def _bare_columns(content: Content) -> dict[str, list[str]]:
    columns = {}
    if content.table is not None:
        columns = {name: content.table.texts(name) for name in content.table.names}
    if content.text:
        columns[""] = content.text.splitlines()
    return columns


def _placed(parts: Parts, cells: list[str]) -> Iterator[tuple[str, Cells]]:
    """The cells laid beside the rows, in every order that their number allows."""
    column = parts.record.id_columns[0]
    train, test = parts.train.texts(column), parts.test.texts(column)
    everything = [*train, *test]
    orders: dict[str, tuple[list[str], bool]] = {
        "the test part": (test, False),
        "its ids": (sorted(test), False),
        "its ids as numbers": (sorted(test, key=_as_number), False),
        "all ids": (sorted(everything), True),
        "all ids as numbers": (sorted(everything, key=_as_number), True),
    }
    for order, (ids, both) in orders.items():
        if len(ids) == len(cells) and len(set(ids)) == len(ids):
            by_id = dict(zip(ids, cells, strict=True))
            known = [by_id[train[row]] if both else "" for row in parts.train_rows]
            yield order, (known, [by_id[test[row]] for row in parts.test_rows])


def _as_number(cell: str) -> tuple[float, str]:
    number = _last_number(cell)
    return (float(number) if number else -1.0), cell


def _lines(parts: Parts, name: str, content: Content, threshold: float) -> Leak | None:
    """A text that has, one beside the other, an id of the test part and its answer, in whatever words."""
    column = parts.record.id_columns[0]
    train, test = picked(parts.train, column, parts.train_rows), picked(parts.test, column, parts.test_rows)
    beside = _beside(content.text, {*train, *test}) if content.text else {}
    if len(beside.keys() & set(test)) < _MATCHED * len(test):
        return None
    for truth in parts.truths:
        right = _right(beside, dict(zip(test, truth.test, strict=True)))
        if right >= _LINES_RIGHT:
            said = (
                f"{content.where} names the right {truth.name!r} beside {right:.0%} of the test part's ids."
            )
            return Leak(kind=LeakKind.ANSWER_FILE, file=name, figure=round(right, 6), said=said)
    for place in range(2):
        cells = tuple([beside[one][place] if one in beside else "" for one in ids] for ids in (train, test))
        told = _best(parts, (cells[0], cells[1]), _MOST_TABLES)
        if told is not None and told.is_leak(threshold):
            said = told.sentence(f"text beside the ids in {content.where}")
            return Leak(kind=LeakKind.ANSWER_FILE, file=name, figure=round(told.skill, 6), said=said)
    return None


def _right(beside: Mapping[str, tuple[str, str]], answers: Mapping[str, str]) -> float:
    """The share of ids whose line, or whose text up to the next id, has the right answer and no other."""
    values = {answer.strip() for answer in answers.values()}
    if len(values) < 2:
        return 0.0
    right = sum(
        any(_values_in(text, values) == {answer.strip()} for text in beside.get(one, ()))
        for one, answer in answers.items()
    )
    return right / len(answers)


def _beside(text: str, ids: set[str]) -> dict[str, tuple[str, str]]:
    """The words of the line around each id, and those between it and the next id."""
    spelled = {spell(one): one for one in ids for spell in (str.strip, str.lower, str)}
    places = [(match, _id_in(match[0], spelled)) for match in _WORD.finditer(text)]
    known = [(match, spelled[one]) for match, one in places if one]
    ends = [*(match.start() for match, _ in known), len(text)][1:]
    found = dict[str, tuple[str, str]]()
    for (match, one), end in zip(known, ends, strict=True):
        behind = text[match.end() : min(end, match.end() + _REACH)]
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _REACH)
        line = text[start : match.start()] + behind.split("\n", 1)[0]
        found.setdefault(one, (" ".join(_WORD.findall(line)), " ".join(_WORD.findall(behind))))
    return found


def _id_in(word: str, answers: Mapping[str, str]) -> str:
    for one in (word, word.rsplit(".", 1)[0], word.strip(".-")):
        if one in answers:
            return one
    return ""


def _values_in(text: str, values: set[str]) -> set[str]:
    return {word if word in values else word.strip(".-") for word in text.split()} & values
