"""Whether a grid is a leaderboard, and which of its columns is what: by headings and by cells. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from schema.board import parse_score
from schema.metric import Direction
from scrapers.boards import Columns, columns_of, parse_rank, without_dates
from scrapers.column_words import ENTRANT_WORDS, METRIC_WORDS, SOURCE_WORDS, column_named, plain_heading

Cells = Sequence[Sequence[str]]
ACCEPTED = 5.0
"""Points from which a grid is taken for a leaderboard."""
_SAMPLE = 200
_MOSTLY = 0.6
_FEW_PAIRS = 4
"""Neighbours of which none may be out of order; of more, one may: a reader's own row is pinned below."""
_MISSING = frozenset(
    {"", "-", "–", "—", "n/a", "na", "nan", "none", "null", "#", "*", "inf", "-inf", "tbd", "dnf"}
)
_RANK_TEXT = re.compile(
    r"\W*(?:\d{1,6}(?:st|nd|rd|th|er|ère|e|º|ª|\.|位|名|위)?|第\d{1,6}名?|t-?\d{1,5})\W*", re.IGNORECASE
)
_PLAIN_SCORE = re.compile(
    r"(?:final |total |best |overall |public |private )?score|points?|得分|分数|最高分|总分|成绩"
    r"|スコア|得点|punkte|punktzahl"
    r"|note|puntuaci[oó]n|puntos|балл\w*|점수",
    re.IGNORECASE,
)
_UP, _DOWN = re.compile(r"[↑▲⬆⇑]|higher (?:is )?better"), re.compile(r"[↓▼⬇⇓]|lower (?:is )?better")
_NEARLY, _CLEARLY, _FEW_ROWS = 0.02, 3.0, 4
"""Pairs that may be out of order in the score's column; how many times more the next one must have."""
_MOST_FOREIGN, _HEADED = 2.0, 2.0
_MEDALS = frozenset("🥇🥈🥉🏆🏅👑⭐")
_AGO = re.compile(
    r"\d+\s*(?:s|m|h|d|w|mo|y|sec|min|hours?|days?|weeks?|months?|years?)\b(?:\s+ago)?", re.IGNORECASE
)
_DATE = re.compile(
    r"\d{1,4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,4}|\b\d{1,2}\s+\w{3,9}\.?,?\s+\d{4}\b"
    r"|\b\w{3,9}\.?\s+\d{1,2},\s+\d{4}\b|\d{1,2}:\d\d"
)
_COMMA = re.compile(r"([-+\u2212]?\d{1,3}(?:[. \u00a0\u202f']?\d{3})*),(\d+)(\s*%?)")
_SURE_COMMA = re.compile(r"[-+\u2212]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))\s*%?")
"""A comma that cannot part thousands."""
_POINT = re.compile(r"[-+]?\d*\.\d+")
_FOREIGN = re.compile(
    r"type|dtype|description|column|feature|field|variable|prize|award|amount|reward|start|end|begin\w*"
    r"|deadline|event"
    r"|phase|milestone|stage|prediction|target|label|file(?: ?name)?|size|download|mean|std|min|max"
    r"|median|count|unit|values?"
    r"|example|range|weight|question|answer|split|samples|images|train(?:ing)?|parameter|default|format"
    r"|typ|beschreibung|spalte|merkmal|preis|beginn|ende|frist|datei|größe|colonne|fichier|taille|début"
    r"|fin|échéance"
    r"|columna|descripci[oó]n|archivo|tamaño|inicio|fin|plazo|字段|类型|说明|描述|奖金|奖项|开始|结束|文件|大小|字段名|列名|含义"
    r"|列|型|説明|賞金|開始|終了|ファイル|サイズ",
    re.IGNORECASE,
)
"""Headings of other tables: data dictionaries, prizes, schedules, files, sample submissions."""


@dataclass(frozen=True, slots=True)
class BoardVerdict:
    """What a grid is taken for."""

    columns: Columns
    points: float
    """At least `ACCEPTED` for a leaderboard."""
    doubt: str | None = None
    """Why another column could be the score; None: nothing speaks for it."""
    direction: Direction | None = None
    """By the order of the scores, or an arrow in the heading; None: neither tells."""


def judge(headers: Sequence[str], cells: Cells, *, named: bool, other: bool) -> BoardVerdict:
    """The columns of a grid and how much speaks for a leaderboard.

    Args:
        headers: of the columns, "" where there is none.
        cells: the printed texts, row by row.
        named: whether the page calls it a leaderboard: heading, tab or address.
        other: whether its heading says that it is something else.
    """
    sample = cells[:_SAMPLE]
    columns, doubt, order = assign(headers, sample)
    if columns.score is None or (columns.team is None and columns.rank is None):
        return BoardVerdict(columns, 0.0)
    headed = _by_headings(headers, columns)
    titled = columns.team is not None and column_named(_at(headers, columns.team)) == "team"
    points = headed + _by_cells(columns, sample, named=named, titled=titled)
    points += 2.0 * named - (3.0 if other and not named and headed < ACCEPTED else 1.0 if other else 0.0)
    foreign = sum(1 for header in headers if _FOREIGN.fullmatch(plain_heading(header)))
    direction = _direction(_at(headers, columns.score), order)
    points -= min(2.0 * foreign, _MOST_FOREIGN) if named and headed >= _HEADED else 2.0 * foreign
    return BoardVerdict(columns, points, doubt, direction)


def _direction(title: str, order: "Order | None") -> Direction | None:
    """Where the score's heading has an arrow, or all scores are in the order of the ranks or rows."""
    arrows = (bool(_UP.search(title)), bool(_DOWN.search(title)))
    if arrows[0] != arrows[1]:
        return Direction.MAXIMIZE if arrows[0] else Direction.MINIMIZE
    if order is None or order.disorder > 0 or order.pairs < _FEW_PAIRS:
        return None
    return Direction.MAXIMIZE if order.falling else Direction.MINIMIZE


def _by_headings(headers: Sequence[str], columns: Columns) -> float:
    points = 0.0
    for name, worth in (("rank", 2.0), ("team", 2.0), ("score", 2.0), ("entries", 1.0), ("last", 0.5)):
        index = getattr(columns, name)
        if index is not None and index < len(headers) and column_named(headers[index]) == name:
            points += worth
    if columns.score is not None and METRIC_WORDS.fullmatch(_at(headers, columns.score)):
        points += 1.0
    if columns.team is not None and ENTRANT_WORDS.fullmatch(_at(headers, columns.team)):
        points += 1.0
    if columns.team is not None and _at(headers, columns.team).casefold() in {
        "name",
        "group",
        "nom",
        "nombre",
        "名称",
    }:
        points -= 1.0
    entrant = columns.team is not None and ENTRANT_WORDS.fullmatch(plain_heading(_at(headers, columns.team)))
    if entrant and any(SOURCE_WORDS.fullmatch(plain_heading(header)) for header in headers):
        points += 1.5
    return points


def _by_cells(columns: Columns, cells: Cells, *, named: bool, titled: bool) -> float:
    """Ranks that count up from the top, scores in order, teams that differ or are `titled` teams."""
    points = 0.0
    if columns.rank is not None and counts_up([_at(row, columns.rank) for row in cells]):
        points += 1.5
    scores = [
        score
        for text in plain_numbers([_at(row, columns.score) for row in cells])
        if (score := parse_score(text)) is not None
    ]
    if len(set(scores)) >= 3 and in_order(scores):
        points += 1.5
    elif len(scores) >= 10 and len(set(scores)) >= 3 and not named:
        points -= 1.0
    teams = [_at(row, columns.team) for row in cells if _at(row, columns.team)]
    if columns.team is not None and len(set(teams)) * 2 < len(teams) and not titled:
        points -= 2.0
    return points


def counts_up(texts: Sequence[str]) -> bool:
    """Whether the printed ranks never fall and begin at a small number or go on by ones."""
    ranks = [number for text in texts if (number := parse_rank(text)) is not None and number > 0]
    if not ranks or len(ranks) * 2 < len(texts) - 10:
        return False
    steps = [after - before for before, after in pairwise(ranks)]
    return all(step >= 0 for step in steps) and (max(steps, default=1) <= max(3, len(ranks)))


def in_order(scores: Sequence[float]) -> bool:
    """Whether nearly all neighbours are in one order, rising or falling."""
    pairs = list(pairwise(scores))
    falls, rises = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    stray = 0.05 * len(pairs) if len(pairs) < _FEW_PAIRS else max(1.0, 0.05 * len(pairs))
    return min(falls, rises) <= stray


@dataclass(frozen=True, slots=True)
class Order:
    """How a column of numbers lies beside the ranks."""

    disorder: float
    """Share of pairs of rows that are in the other order than the column's own."""
    falling: bool
    pairs: int


def order_of(places: Sequence[int | None], scores: Sequence[float | None]) -> Order | None:
    """The order of scores beside the places of their rows; None where no two differ."""
    known = [(p, s) for p, s in zip(places, scores, strict=True) if p is not None and s is not None]
    place, score = np.array(known, dtype=float).reshape(-1, 2).T
    with np.errstate(invalid="ignore"):  # two infinite scores, which are equal
        order = np.sign(np.subtract.outer(place, place)) * np.sign(np.subtract.outer(score, score))
    rising, falling = (int(np.count_nonzero(order == sign)) // 2 for sign in (1, -1))
    pairs = rising + falling
    return Order(min(rising, falling) / pairs, falling > rising, pairs) if pairs else None


def _places(cells: Cells, rank: int | None) -> list[int | None]:
    """The printed ranks, where they count up; else the places of the rows."""
    texts = [_at(row, rank) for row in cells]
    if rank is not None and counts_up(texts):
        return [number if (number := parse_rank(text)) else None for text in texts]
    return list(range(len(cells)))


def _scores(cells: Cells, at: int) -> list[float | None]:
    return [parse_score(text) for text in plain_numbers([_at(row, at) for row in cells])]


def assign(headers: Sequence[str], cells: Cells) -> tuple[Columns, str | None, Order | None]:
    """Which column is what: as named where its cells agree, else by its cells alone.

    With a doubt about the score's column, if there is one, and the order that its cells are in.
    """
    width = max([len(headers), *(len(row) for row in cells[:20])], default=0)
    columns = columns_of(headers)
    if columns.rank is not None and not _is_rank(cells, columns.rank):
        columns = replace(columns, rank=None)
    if columns.rank is None:
        columns = replace(columns, rank=_unnamed_rank(headers, cells, columns, width))
    if columns.team is None:
        columns = replace(columns, team=_entrant(headers, cells, columns, width))
    chosen = _score_column(headers, cells, columns, width)
    return replace(columns, score=chosen.column, further=chosen.further), chosen.doubt, chosen.order


@dataclass(frozen=True, slots=True)
class _Chosen:
    column: int | None = None
    further: tuple[int, ...] = ()
    doubt: str | None = None
    order: Order | None = None


def _score_column(headers: Sequence[str], cells: Cells, columns: Columns, width: int) -> _Chosen:
    """The column of numbers that the rows are ordered by: with the fewest pairs out of the ranks' order.

    Equal ones are told by their names: plainly the score, a score or a metric, a number with decimals, any
    number; then the first. Where the ranks are printed and agree with none of several, there is a doubt.
    """
    taken = {columns.rank, columns.team, columns.entries, columns.last}
    numbers = [
        at
        for at in range(width)
        if at not in taken
        and _is_score(cells, at)
        and not _FOREIGN.fullmatch(plain_heading(_at(headers, at)))
    ]
    names = {at: plain_heading(_at(headers, at)) for at in numbers}
    named = [at for at in numbers if column_named(names[at]) == "score" or METRIC_WORDS.fullmatch(names[at])]
    plain = [at for at in named if _PLAIN_SCORE.fullmatch(names[at])]
    unnamed = [at for at in numbers if column_named(names[at]) is None]
    decimals = [at for at in unnamed if any("." in _at(row, at) or "," in _at(row, at) for row in cells)]
    groups = [group for group in (plain, named, decimals, unnamed) if group]
    if not groups:
        return _Chosen()
    rated = list(dict.fromkeys(at for group in (plain, named, decimals) for at in group)) or unnamed
    places = _places(cells, columns.rank)
    found = {at: order_of(places, _scores(cells, at)) for at in rated}
    disorder = {at: 1.0 if order is None else order.disorder for at, order in found.items()}
    ranked = columns.rank is not None and places != list(range(len(cells))) and len(cells) >= _FEW_ROWS
    if ranked:
        best = min(rated, key=lambda at: (disorder[at], rated.index(at)))
        if plain and disorder[plain[0]] <= _NEARLY:
            best = plain[0]
    else:
        best = next((at for at in groups[0] if disorder[at] <= _NEARLY), groups[0][0])
    further = tuple(at for at in rated if at != best and at in {*named, *decimals})
    doubt = _unclear(best, disorder) if ranked and len(rated) > 1 else None
    return _Chosen(best, further, doubt, found[best])


def _unclear(best: int, disorder: Mapping[int, float]) -> str | None:
    """A doubt where no column, or more than one not quite, agrees with the printed ranks."""
    others = [share for at, share in disorder.items() if at != best]
    if disorder[best] > _NEARLY:
        return "no column of numbers is in the order of the printed ranks, so none is the score for sure"
    if disorder[best] > 0 and min(others) < _CLEARLY * disorder[best]:
        return "several columns of numbers are nearly in the order of the ranks: none is the score for sure"
    return None


def _claimed(columns: Columns) -> set[int | None]:
    return {columns.rank, columns.team, columns.score, columns.entries, columns.last}


def _unnamed_rank(headers: Sequence[str], cells: Cells, columns: Columns, width: int) -> int | None:
    """The first column, where it has no name and counts up from one."""
    for at in range(min(width, 3)):
        texts = [_at(row, at) for row in cells]
        free = at not in _claimed(columns) and not plain_heading(_at(headers, at))
        if (
            free
            and all(_is_rank_text(text) for text in texts if text)
            and _first_is_one(texts)
            and counts_up(texts)
        ):
            return at
    return None


def _is_rank_text(text: str) -> bool:
    """A rank, with a date below it or not, or the date alone, as of rows that are out of the contest."""
    rest = without_dates(text).strip(" \n-–—*†‡")
    return bool(_RANK_TEXT.fullmatch(rest)) or (not rest and bool(text.strip()))


def _first_is_one(texts: Sequence[str]) -> bool:
    numbers = [number for text in texts if (number := parse_rank(text))]
    return bool(numbers) and (numbers[0] == 1 or len(numbers) > 1)


def _entrant(headers: Sequence[str], cells: Cells, columns: Columns, width: int) -> int | None:
    """The column of methods or models, else the first free one of texts that differ."""
    free = [
        at for at in range(width) if at not in _claimed(columns) and column_named(_at(headers, at)) is None
    ]
    named = [at for at in free if ENTRANT_WORDS.fullmatch(plain_heading(_at(headers, at)))]
    texts = [
        at
        for at in free
        if not METRIC_WORDS.fullmatch(plain_heading(_at(headers, at))) and _is_name(cells, at)
    ]
    return next(iter((*named, *texts)), None)


def _at(row: Sequence[str], index: int | None) -> str:
    return row[index] if index is not None and index < len(row) else ""


def _share(texts: Sequence[str], good: int) -> bool:
    return bool(texts) and good >= _MOSTLY * len(texts)


def _is_rank(cells: Cells, at: int) -> bool:
    """Whole numbers, ordinals or medals; blanks are rows of baselines."""
    texts = [_at(row, at).strip() for row in cells]
    printed = [text for text in texts if text and text not in _MISSING]
    good = [text for text in printed if _is_rank_text(text) or _MEDALS.intersection(text)]
    return _share(printed, len(good)) or (not printed and bool(texts))


def _is_score(cells: Cells, at: int) -> bool:
    """Numbers, or words for none; dates and ages are no scores."""
    printed = [_at(row, at).strip() for row in cells]
    texts = plain_numbers(printed)
    numbers = [
        t for t in texts if parse_score(t) is not None and not _DATE.search(t) and not _AGO.fullmatch(t)
    ]
    missing = [t for t in texts if t.casefold() in _MISSING]
    if len(missing) == len(texts):
        return any(missing)
    return bool(numbers) and _share(texts, len(numbers) + len(missing))


def plain_numbers(texts: Sequence[str]) -> list[str]:
    """The cells of a column with a decimal point, where the whole column has decimal commas."""
    comma = [text for text in texts if _COMMA.fullmatch(text.strip())]
    sure = any(_SURE_COMMA.fullmatch(text.strip()) for text in comma)
    if not sure or any("." in text.rpartition(",")[2] or _POINT.fullmatch(text.strip()) for text in texts):
        return list(texts)
    return [
        _COMMA.sub(_with_point, text.strip()) if _COMMA.fullmatch(text.strip()) else text for text in texts
    ]


def _with_point(match: re.Match[str]) -> str:
    whole, part = match.group(1), match.group(2)
    return f"{re.sub(r'[^0-9+-]', '', whole.replace(chr(0x2212), '-'))}.{part}{match.group(3)}"


def _is_name(cells: Cells, at: int) -> bool:
    """Texts, most of them different, that are neither numbers nor dates."""
    texts = [_at(row, at).strip() for row in cells]
    names = [t for t in texts if t and parse_score(t) is None and not _DATE.fullmatch(t)]
    names += [t for t in texts if t and parse_score(t) is not None and re.search(r"[^\W\d_]", t)]
    return _share(texts, len(names)) and len(set(names)) * 2 > len(names)
