"""The goal: the sentence that says what is predicted."""

import re

from mapping.evidence import quote
from mapping.rules.document import Document, Found, Sentence
from mapping.rules.sections import Topic

_STRONG = re.compile(
    r"\b(?:goal|task|objective|aim|challenge|mission|purpose|job)\b[^.]{0,60}\b(?:is|are|of"
    r"|will be|involves)\b"
    r"|\b(?:you|participants|competitors|kagglers|teams|contestants)(?:'ll| are| will| must"
    r"| should| need| have)?"
    r"[^.]{0,40}\b(?:asked|challenged|tasked|required|invited|to|be|develop|build|create"
    r"|predict\w*|classify|identify|detect)\b"
    r"|\b(?:challenges|asks|challenging|invites|tasks|requires) (?:you|participants|kagglers"
    r"|competitors|the)\b"
    r"|\bin this (?:competition|challenge|contest|task|playground)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:predict(?:ing|s)?|forecast(?:ing)?|classify(?:ing)?|detect(?:ing)?|estimat(?:e|ing)"
    r"|identify(?:ing)?|segment(?:ing)?"
    r"|recogni[sz](?:e|ing)|rank(?:ing)?|recommend(?:ing)?|generat(?:e|ing)|locali[sz](?:e"
    r"|ing)|translat(?:e|ing)|match(?:ing)?"
    r"|remov(?:e|ing)|reconstruct(?:ing)?|normali[sz](?:e|ing)|determin(?:e|ing)"
    r"|answer(?:ing)?|label(?:ing)?|tag(?:ging)?"
    r"|distinguish(?:ing)?|infer(?:ring)?|find(?:ing)?|assign(?:ing)?|extract(?:ing)?"
    r"|automatically|algorithm|model)\b",
    re.IGNORECASE,
)
_TOPICS = {Topic.GOAL: 3, Topic.DATA: 1, Topic.EVALUATION: 0, Topic.SUBMISSION: -1}
_ENOUGH = 3


def read_goal(document: Document) -> Found[str] | None:
    """The sentence that best states what is to be predicted, with its follow-up when it is short; or None."""
    weighed = [
        (_weight(sentence, place), -place, sentence) for place, sentence in enumerate(document.sentences)
    ]
    best = max(weighed, default=None, key=lambda one: one[:2])
    if best is None or best[0] < _ENOUGH:
        return None
    sentence = best[2]
    evidence = quote(
        sentence.section.page, sentence.start, sentence.end, "goal_description", "sentence of the goal"
    )
    return Found(sentence.plain, evidence)


def _weight(sentence: Sentence, place: int) -> float:
    """How much a sentence states the goal; below `_ENOUGH` it does not."""
    text = sentence.plain
    weight = _TOPICS.get(sentence.section.topic, -6.0)
    if not 25 <= len(text) <= 500 or text.endswith("?"):
        weight -= 3
    weight += 3 if _STRONG.search(text) else 0
    weight += 3 if _VERB.search(text) else -2
    weight += (
        1
        if re.search(r"\bpredict|\bforecast|\bclassif|\bdetect|\bsegment|\bestimat", text, re.IGNORECASE)
        else 0
    )
    weight -= (
        3
        if re.search(
            r"submi|leaderboard|prize|\bfile\b|header|https?:|welcome|getting started|tutorial",
            text,
            re.IGNORECASE,
        )
        else 0
    )
    return weight - min(place, 60) / 30
