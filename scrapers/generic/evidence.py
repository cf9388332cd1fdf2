"""Whether a grid is a leaderboard, and which of its columns is what: by headings and by cells. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from schema.board import parse_score
from scrapers.boards import Columns, columns_of, parse_integer
from scrapers.column_words import ENTRANT_WORDS, METRIC_WORDS, column_named, plain_heading

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


def judge(headers: Sequence[str], cells: Cells, *, named: bool, other: bool) -> BoardVerdict:
    """The columns of a grid and how much speaks for a leaderboard.

    Args:
        headers: of the columns, "" where there is none.
        cells: the printed texts, row by row.
        named: whether the page calls it a leaderboard: heading, tab or address.
        other: whether its heading says that it is something else.
    """
    sample = cells[:_SAMPLE]
    columns = assign(headers, sample)
    if columns.score is None or (columns.team is None and columns.rank is None):
        return BoardVerdict(columns, 0.0)
    points = _by_headings(headers, columns) + _by_cells(columns, sample)
    points += 2.0 * named - (3.0 if other and not named else 1.0 if other else 0.0)
    foreign = sum(1 for header in headers if _FOREIGN.fullmatch(plain_heading(header)))
    return BoardVerdict(columns, points - 2.0 * foreign)


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
    return points


def _by_cells(columns: Columns, cells: Cells) -> float:
    """Ranks that count up from the top, scores in order, teams that differ."""
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
    elif len(scores) >= 10 and len(set(scores)) >= 3:
        points -= 1.0
    teams = [_at(row, columns.team) for row in cells if _at(row, columns.team)]
    if columns.team is not None and len(set(teams)) * 2 < len(teams):
        points -= 2.0
    return points


def counts_up(texts: Sequence[str]) -> bool:
    """Whether the printed ranks never fall and begin at a small number or go on by ones."""
    ranks = [number for text in texts if (number := parse_integer(text)) is not None and number > 0]
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


def assign(headers: Sequence[str], cells: Cells) -> Columns:
    """Which column is what: as named where its cells agree, else by its cells alone."""
    width = max([len(headers), *(len(row) for row in cells[:20])], default=0)
    columns = columns_of(headers)
    if columns.rank is not None and not _is_rank(cells, columns.rank):
        columns = replace(columns, rank=None)
    if columns.rank is None:
        columns = replace(columns, rank=_unnamed_rank(headers, cells, columns, width))
    if columns.team is None:
        columns = replace(columns, team=_entrant(headers, cells, columns, width))
    return replace(columns, score=_score_column(headers, cells, columns, width))


def _score_column(headers: Sequence[str], cells: Cells, columns: Columns, width: int) -> int | None:
    """The column of numbers that the rows are ordered by: named as a score or a metric, else with decimals.

    A column that is called plainly the score is it. Of several others, one whose numbers are in order, then
    the first.
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
    for group in (plain, named, decimals, unnamed):
        if group:
            return next((at for at in group if _orders(cells, at)), group[0])
    return None


def _orders(cells: Cells, at: int) -> bool:
    texts = plain_numbers([_at(row, at) for row in cells])
    scores = [score for text in texts if (score := parse_score(text)) is not None]
    return len(set(scores)) > 1 and _share(texts, len(scores)) and in_order(scores)


def _claimed(columns: Columns) -> set[int | None]:
    return {columns.rank, columns.team, columns.score, columns.entries, columns.last}


def _unnamed_rank(headers: Sequence[str], cells: Cells, columns: Columns, width: int) -> int | None:
    """The first column, where it has no name and counts up from one."""
    for at in range(min(width, 3)):
        texts = [_at(row, at) for row in cells]
        free = at not in _claimed(columns) and not plain_heading(_at(headers, at))
        if (
            free
            and all(_RANK_TEXT.fullmatch(text) for text in texts if text)
            and _first_is_one(texts)
            and counts_up(texts)
        ):
            return at
    return None


def _first_is_one(texts: Sequence[str]) -> bool:
    numbers = [number for text in texts if (number := parse_integer(text))]
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
    good = [text for text in printed if _RANK_TEXT.fullmatch(text) or _MEDALS.intersection(text)]
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
