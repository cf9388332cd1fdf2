"""Words of competition sites in several languages: names of tabs, kinds of boards, paging, closed doors."""

import re
from typing import Final


def _words(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


BOARD: Final = _words(
    r"\bleader-?\s?boards?\b|\branking(?:s|liste)?\b|\bscore-?\s?board\b|\bstandings\b|\branglisten?\b"
    r"|\bbestenliste\b"
    r"|\bclassements?\b|\bpalmarès\b|\bclasificaci[oó]n\b|\btabla de posiciones\b|\bposiciones\b"
    r"|排行榜|排名|榜单|天梯"
    r"|リーダーボード|ランキング|順位表|\bclassifica(?:ção)?\b|\bтаблица лидеров\b|рейтинг|리더보드|순위"
)
"""A leaderboard, by the name of its tab or heading."""
RESULTS: Final = _words(r"^\W*(?:final\s+)?(?:results?|ergebnisse|résultats|resultados|結果|结果|成绩)\W*$")
"""What may be a leaderboard's name too."""
PRIVATE: Final = _words(
    r"\bprivate\b|\bfinal(?:e|es|s|en|er)?\b|\bhidden\b|\btest(?:ing)?\s+(?:phase|set|board)\b"
    r"|\bofficial\b|endstand"
    r"|\bprivée?\b|\bprivad[oa]\b|\bprivat\w*\b|\bdéfiniti(?:f|ve)\b|\bdefinitiv[oa]\b"
    r"|最终|終了|决赛|复赛|B榜|最終|プライベート|非公開|финальн|최종"
)
PUBLIC: Final = _words(
    r"\bpublic\b|\bvalidation\b|\bdev(?:elopment)?\b|\bwarm-?up\b|\bpreliminary\b|\bprovisional\b|\binitial\b"
    r"|\blive\b|\bpublique\b"
    r"|\bpúblic[oa]\b|\böffentlich\w*\b|\bvorläufig\w*\b|\bprovisoire\b"
    r"|公开|公開|初赛|验证|A榜|暫定|暂定|パブリック|публичн|предварительн|공개"
)
ENDED: Final = _words(
    r"\bcompleted?\b|\bfinished\b|\bclosed\b|\bended\b|\bis over\b|\bbeendet\b|\babgeschlossen\b"
    r"|\bterminée?\b"
    r"|\bfinalizad[oa]\b|\bterminad[oa]\b|\bcerrad[oa]\b|已结束|結束|終了|завершен|종료"
)
RUNNING: Final = _words(
    r"\b(?:days?|hours?|months?|weeks?)\s+(?:left|to go|remaining)\b|\bongoing\b|\bin progress\b"
    r"|\bactive\b|\bläuft\b"
    r"|\ben cours\b|\ben curso\b|进行中|進行中|開催中|剩余|진행"
)
HEDGED: Final = _words(r"[^.。!?]*\b(?:will|may|might|different|wird|sera|será)\b[^.。!?]*[.。!?]?")
"""A sentence about another board than the one it stands beside."""
NEXT: Final = _words(
    r"[\s›»>→⟩❯▶]*(?:next|next page|older|weiter|nächste(?: seite)?|vor|suivante?s?|page suivante|siguientes?"
    r"|página siguiente|próxim[oa]|avanti|successiv[oa]|下一页|下一頁|下页|后页"
    r"|次へ|次のページ|次|далее|следующая"
    r"|다음)[\s›»>→⟩❯▶]*"
    r"|[›»>→⟩❯▶]{1,2}"
)
"""The whole text or label of a control for the next page."""
MORE: Final = _words(
    r"\W*(?:(?:load|show|view|see|display)\s+(?:\d[\d,.]*\s+)?(?:more|all|the rest|remaining)(?:\s+\w+){0,3}"
    r"|(?:show|view|see)\s+(?:full|whole|entire)\s+\w+"
    r"|more(?:\s+(?:rows|teams|entries|results))?|mehr(?:\s+\w+)?(?:\s+(?:anzeigen|laden))?"
    r"|weitere\s+\w+(?:\s+\w+)?"
    r"|(?:afficher|voir|charger)\s+(?:plus|tout|la suite)(?:\s+\w+){0,3}|(?:ver|mostrar"
    r"|cargar)\s+(?:más|todos?)(?:\s+\w+){0,3}"
    r"|加载更多|載入更多|查看更多|显示更多|更多|查看全部|显示全部|もっと(?:見る|読み込む|表示)?|さらに表示|すべて表示|全て表示"
    r"|ещё|показать ещё|더 보기|더보기|carregar mais|ver mais)\W*"
)
"""The whole text of a control that shows more rows of the same board."""
TEASER: Final = _words(r"\b(?:top|beste|premiers?|mejores|primeros)\s+\d+\b|前\s*\d+\s*名|上位\s*\d+")
"""A board that shows its beginning only."""
NOT_A_BOARD: Final = _words(
    r"\bprizes?\b|\bawards?\b|\brewards?\b|\btimeline\b|\bschedule\b|\bimportant dates\b"
    r"|\bdata ?sets?\b|\bdata\b"
    r"|\bfiles?\b|\bformat\b|\bexamples?\b|\bsamples?\b|\bsubmission (?:file|guide)|\bbaselines?\b"
    r"|\bfeatures?\b|\bcolumns?\b"
    r"|\bfields?\b|\bstatistics\b|\brules?\b|\bmetrics?\b|\bevaluation\b|\bweights?\b|\bfaq\b"
    r"|\bcitation\b|\bhow to\b"
    r"|\bwinners?\b|\bhistory\b|\bprevious\b|\bpast\b|\bpreise?\b|\bzeitplan\b|\bdaten\b"
    r"|\bbeispiel\w*\b|\bvorjahr\w*\b"
    r"|\bprix\b|\bcalendrier\b|\bdonnées\b|\bexemples?\b|\bpremios?\b|\bcalendario\b|\bdatos\b|\bejemplos?\b"
    r"|奖|日程|时间|赛程|数据|数據|示例|样例|提交格式|评测|赏|賞|スケジュール|データ|例|評価|提出"
)
"""A heading of tables that are no leaderboards, though they may look like one."""
