"""How many rows a board has, as the page says beside it, in several languages. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from scrapers.boards import without_dates

_N: Final = r"(\d{1,3}(?:[,.\u00a0\u202f\u2009' ]\d{3})+(?!\d)|\d{1,9})(?![\d.,]*\d)"
_ROWS = (
    r"teams?|entries|rows|results|records|participants?|competitors?|contestants?|entrants?|submissions"
    r"|players|users"
    r"|teilnehmer(?:innen)?|teilnehmende|mannschaften|einträgen?|zeilen|équipes|participants?|résultats"
    r"|lignes|entrées"
    r"|equipos|participantes|resultados|filas|registros|entradas|チーム|件|名|人|組|支队伍|支參賽隊伍|支|个队伍|队伍|条记录|条"
    r"|команд\w*|участник\w*|팀|명"
)
_RANGE = re.compile(
    rf"\d[\d,.]*\s*(?:-|–|—|to|bis|à|a|al|至|到|~|〜|から)\s*\d[\d,.]*\s*(?:件)?\s*(?:of|out of|von|sur|de|/"
    rf"|,|，|共|\()\s*(?:共|全)?\s*{_N}",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?<![\d.,#\-–])(?:共|全|合计|總計|总计|計|总共|一共)?\s*(?:有)?\s*{_N}\s*(?:{_ROWS})(?![a-z])",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:(?:number|total|count|anzahl|nombre|número|число|количество)\s+(?:number\s+)?(?:of|der|de|d'"
    r"|total de)?\s*)?"
    rf"(?:{_ROWS}|total|总数|總數|参赛队伍(?:数)?|队伍数(?:量)?|参加チーム数|チーム数|参加者数|총)(?:\s*(?:数|总数))?\s*[:\uff1a=]\s*{_N}",
    re.IGNORECASE,
)
_TOTAL = re.compile(
    rf"(?:共|total(?:\s+of)?:?|insgesamt|au total|en total|всего|총)\s*{_N}"
    r"(?!\s*(?:[%a-z$€£]|[万亿萬億個个]\w))",
    re.IGNORECASE,
)
_PLAYERS = re.compile(rf"{_N}\s*(?:single|multi)-player", re.IGNORECASE)
_LEVELS = 6
_LONGEST = 300
"""Characters of a note that counts rows; longer texts count other things too."""


def claimed(text: str) -> int | None:
    """The number of rows in a text beside a board, or None ("1–50 of 1,234", "共 120 支队伍")."""
    text = without_dates(text)
    sizes = [_number(match.group(1)) for match in _PLAYERS.finditer(text)]
    if sizes:
        return sum(sizes)
    for pattern in (_RANGE, _LABELLED, _COUNTED, _TOTAL):
        if match := pattern.search(text):
            return _number(match.group(1))
    return None


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def claim_beside(levels: Iterable[list[str]]) -> int | None:
    """The claim nearest to a board, from the innermost level of texts that has one; a range goes first."""
    for depth, lines in enumerate(levels):
        if depth >= _LEVELS:
            return None
        ranges = [_number(match.group(1)) for line in lines if (match := _RANGE.search(without_dates(line)))]
        counts = [count for line in lines if len(line) <= _LONGEST and (count := claimed(line)) is not None]
        if ranges or counts:
            return (ranges or counts)[0]
    return None
