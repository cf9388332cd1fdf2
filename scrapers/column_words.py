"""The words that head the columns of leaderboards, in ten languages; which column a heading names. Pure.

Headings are compared whole, whatever their case. The order decides: "Last Submission" is a date before
"Submissions" are entries, "Team Members" is nothing before "Team" is the team.
"""

import re
from typing import Final

_SKIPPED = (
    r"[Δ△]\S*|.*\bmembers\b.*|.*\bchange\b.*|\+/-|±|kernel|code|media|links?|paper|references?|country|contact"
    r"|.*\btrend\b.*|.*\bids?\b|shake[- ]?up|badges?|medals?|tier|avatar|flag"
    r"|.*(?:成员|队员|变化|升降|国家|奖).*"
    r"|.*mitglieder.*|veränderung|änderung|land|.*\bmembres\b.*|évolution|pays|.*\bmiembros\b.*|cambio|país"
    r"|.*メンバー.*|変動|国|.*(?:prizes?|awards?|rewards?|preis(?:e|geld)?|prix|premio|賞).*"
    r"|.*участники команды.*|.*멤버.*|.*\bmembros\b.*"
)
_RANK = (
    r"#|№|n[o°º]\.?|nr\.?|.*\brank(?:ing)?|place(?:ment)?|pos\.?(?:ition)?|standing|.*(?:排名|名次|排行)|序号|序號"
    r"|rang|platz(?:ierung)?|classement|puesto|posici[oó]n|lugar|clasificaci[oó]n|順位|ランク|ランキング"
    r"|posiç[aã]o|colocaç[aã]o|posizione|posto|место|ранг|순위|등수"
)
_LAST = (
    r".*\b(?:last|latest|updated|date|dates|when)\b.*|submi\w*[ _]?(?:time|date|at|on)|last\w+|time(?:stamp)?"
    r"|.*(?:提交时间|提交時間|最后|最後|最近|最终|日期|更新).*|时间|時間"
    r"|.*(?:letzte|zuletzt|datum|eingereicht am|zeitpunkt).*|stand|.*(?:derni[eè]re?|soumis le).*"
    r"|.*(?:[uú]ltim[oa]|fecha).*|.*(?:日時|日付|提出日|投稿日|最終).*|.*(?:дата|последн).*|.*(?:날짜|최근|제출일).*"
)
_ENTRIES = (
    r".*(?:entries|submissions?|subs\b|attempts|tries|runs|uploads|提交|次数|次數|einreichungen|abgaben|versuche"
    r"|soumissions|envois|essais|env[ií]os|entregas|intentos|提出|投稿数|応募数|回数|submiss[oõ]es|попыт|посыл|решений|제출).*"
)
_SCORE = (
    r".*(?:score|得分|分数|分數|高分|总分|成绩|成績|评分|分值|スコア|得点|点数|評価値|점수|스코어).*|points?|pts\.?|result"
    r"|punkte|punkt(?:zahl|estand|wert)|ergebnis|wertung|bewertung|note|r[eé]sultat|.*\bpoints"
    r"|.*(?:puntuaci[oó]n|puntaje|puntos|calificaci[oó]n)|resultado|nota|pontuaç[aã]o|pontos|punteggio|punti"
    r"|.*(?:балл|очк|оценка).*|результат"
)
_TEAM = (
    r".*(?:team|participant|contestant|entrant|competitor|player|user|owner|handle).*|group"
    r"|(?:nick ?|display ?)?name"
    r"|.*(?:队伍|隊伍|队名|隊名|团队|團隊|参赛|參賽|用户|選手|选手|昵称|姓名|名称).*"
    r"|.*(?:teilnehm|mannschaft|benutzer).*|gruppe|.*(?:[eé]quipe|utilisateur|candidat).*|nom|groupe"
    r"|.*(?:equipo|participante|concursante|usuario).*|nombre|grupo|.*(?:チーム|参加者|ユーザー?|ニックネーム|投稿者).*|名前|氏名"
    r"|.*(?:команда|участник|пользователь).*|имя|.*(?:팀|참가자|사용자).*|이름|nome|squadra|usu[aá]rio|time"
)
_ENTRANT = (
    r"method|model|algorithm|system|approach|author|submission name|entry(?: name)?|solution|institution"
    r"|affiliation|models?(?: name)?|methods?(?: name)?"
    r"|模型|方法|算法|モデル|手法|모델|modell|modelo|modèle|модель"
)
_METRIC = (
    r".*\b(?:accuracy|acc|auc|auroc|f1|f-?(?:1|measure|score)|rmse|rmsle|mse|mae|mape|smape|m?ap|map@?\d*"
    r"|loss|log ?loss|precision|recall|iou|miou|dice|r2|bleu|rouge|wer|cer|ndcg|mrr|kappa|gini|psnr|ssim"
    r"|error|perplexity|hits|pearson|spearman)\b.*|(?:dev|test|eval)(?:[ -]?(?:set|score))?"
    r"|.*(?:准确率|正确率|精度|误差|genauigkeit|fehler|pr[eé]cision|exactitude|precisi[oó]n|正解率|誤差|точность).*"
)

SOURCE_WORDS: Final = re.compile(
    r"(?:(?:paper|source|code|reference|publication|link|url|venue|year|date|arxiv|github|bibtex|论文|代码)s?"
    r"(?:\s*(?:/|&|and|or|,)\s*)?)+",
    re.IGNORECASE,
)
"""Where a result comes from: columns of tables that list published results."""
COLUMN_WORDS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (name, re.compile(words, re.IGNORECASE))
    for name, words in (
        ("", _SKIPPED),
        ("rank", _RANK),
        ("last", _LAST),
        ("entries", _ENTRIES),
        ("score", _SCORE),
        ("team", _TEAM),
    )
)
"""Field of a board row (or "" for what is none) and the headings that name it."""
ENTRANT_WORDS: Final = re.compile(_ENTRANT, re.IGNORECASE)
"""What some boards list instead of teams; in other tables the words are common."""
METRIC_WORDS: Final = re.compile(_METRIC, re.IGNORECASE)
"""A score that is called by its metric."""
_MARKS = re.compile(r"[\s\u00a0]*[(\uff08]?[↑↓▲▼⇅↕⬆⬇][)\uff09]?[\s\u00a0]*")
_LONGEST = 60
"""Characters of a column's name; patterns are not run over essays."""


def plain_heading(header: str) -> str:
    """A heading without marks of sorting, spaces made single."""
    return " ".join(_MARKS.sub(" ", header[: 4 * _LONGEST]).split())


def column_named(header: str) -> str | None:
    """The field that a heading names: "" for a known one that is none, None for an unknown one."""
    text = plain_heading(header)
    if len(text) > _LONGEST:
        return None
    return next((name for name, words in COLUMN_WORDS if words.fullmatch(text)), None)
