"""What pages say when a competition cannot become a task: closed data, no answers to score against."""

import re

# What a page says when its data cannot be had. A login or an accepted set of rules is no obstacle.
CLOSED_DATA = re.compile(
    r"\bnon-?disclosure\b|\bNDA\b|\bdata (?:use|usage|access"
    r"|transfer) agreement\b[^.]{0,80}\b(?:sign|signed|required|must|need)"
    r"|\b(?:sign|signed|signing)\b[^.]{0,60}\b(?:agreement|contract)\b"
    r"|\b(?:data(?:set)?s?|files?|recordings|images|archive)\b[^.]{0,80}\b(?:(?:up)?on request"
    r"|by request|upon written request|on application)\b"
    r"|\brequest(?:ed)? (?:access to )?(?:the |this )?(?:data|files)\b[^.]{0,60}\b(?:from|by"
    r"|via|to|through) (?:e-?mail|the (?:host|organi[sz]er|author|owner|sponsor))"
    r"|\b(?:data(?:set)?s?|files?|archive|recordings|images|downloads?"
    r"|corpus)\b[^.]{0,60}\b(?:(?:has|have) been|was|were|is|are) "
    r"(?:now |since |permanently |later )*(?:withdrawn|removed|deleted|taken (?:down|offline)"
    r"|retracted|recalled|destroyed|erased)"
    r"|\b(?:data(?:set)?s?|files?|archive|downloads?|link|server"
    r"|mirror)\b[^.]{0,60}\b(?:no longer|not (?:publicly|openly|freely) |never)\s*(?:be )?"
    r"(?:available|accessible|downloadable|online|published|released|shared|work|exist)"
    r"|\bregistration\b[^.]{0,40}\b(?:closed|ended|no longer"
    r"|not possible)\b[^.]{0,80}\b(?:data|download|access|files)"
    r"|\b(?:data(?:set)?|files?)\b[^.]{0,80}\bonly\b[^.]{0,40}\b(?:registered|selected"
    r"|approved|invited|accepted|verified)\b (?:participants|teams|partners|members"
    r"|researchers|institutions)"
    r"|\bdata\b[^.]{0,50}\b(?:confidential|proprietary|must be deleted|deleted after"
    r"|destroyed after|may not leave)\b"
    r"|\b(?:secure|closed|protected) (?:environment|enclave|server|workspace"
    r"|room)\b[^.]{0,80}\bdata\b|\bdata\b[^.]{0,60}\b(?:secure|closed) (?:environment|enclave"
    r"|room)\b"
    r"|\b(?:withdrew|withdrawn|revoked) (?:the |its |their )?(?:data|consent|licen[sc]e|permission)",
    re.IGNORECASE,
)


NOT_ABOUT_DATA = re.compile(
    r"\bexternal data\b|\blabels? (?:are|is|were) not publicly"
    r"|\b(?:columns?|fields?|rows?|features?|outliers?|entries|samples?|words?|names?|identif\w+|labels?|duplicates?|values?)\b"
    r"[^.]{0,60}\b(?:removed|deleted|withdrawn)",
    re.IGNORECASE,
)
"""Parts of the data that were cleaned away, which leaves the rest."""

# Who or what gives the score where no file of answers can exist.
JUDGED = re.compile(
    r"\b(?:judged|evaluated|scored|assessed|reviewed|ranked|graded"
    r"|rated)\b[^.]{0,50}\bby (?:a |an |the |our |its )?(?:\w+[ -]){0,4}"
    r"(?:jury|juries|judges?|panel|experts?|reviewers?|committee|curators|audience|visitors"
    r"|listeners|readers|humans?|people|community vote|public vote|staff|raters)\b"
    r"|\b(?:jury|juries|judges|panel of|expert panel|judging panel|reviewers"
    r"|committee)\b[^.]{0,80}\b(?:will |shall |then )?(?:judge|evaluate|score|assess|decide"
    r"|award|choose|select|rate|rank|grade|vote|read)"
    r"|\bno (?:automatic|automated|objective|quantitative|numerical?|fixed) (?:metric|score"
    r"|scoring|evaluation)\b|\b(?:is|are) not (?:automatically )?scored\b"
    r"|\bno (?:leaderboard metric|metric is computed|metric will be)\b"
    r"|\bsubjective(?:ly)?\b[^.]{0,30}\b(?:score|judg|rat|evaluat)",
    re.IGNORECASE,
)
PLAYED = re.compile(
    r"\b(?:your|the|each|submitted|two|all|every) (?:\w+ )?(?:agents?|bots?|policies|policy"
    r"|controllers?|players?)\b[^.]{0,100}\b(?:play|plays|played|compete|competes|battle"
    r"|match(?:es)?|episodes?|games?|opponents?|simulat\w+|environment)"
    r"|\b(?:simulation|reinforcement learning|agent-based) (?:competition|challenge"
    r"|environment|track)\b|\b(?:elo|trueskill|skill rating|bradley-terry)\b"
    r"|\b(?:evaluated|scored|run|tested|measured)\b[^.]{0,60}\b(?:in|inside|within"
    r"|against) (?:a |an |our |the )?(?:live |hidden |closed |physical )?(?:simulat(?:or|ion)"
    r"|game engine|real robot|arena)\b"
    r"|\bepisodes? (?:are|is|will be) (?:played|run|simulated)",
    re.IGNORECASE,
)
ANALYTICS = re.compile(
    r"\b(?:analytics|data visuali[sz]ation|storytelling|data story|write-?up|essay writing"
    r"|hackathon|notebook|report-writing) (?:competition|challenge|contest)\b"
    r"|\bsubmissions? (?:is|are|must be|should be|consists? of) (?:a |an "
    r"|your )?(?:\w+[ -]){0,3}(?:report|essay|notebook|video|presentation|poster|slides"
    r"|write-?up|demo|proposal|story|dashboard)\b[^.]{0,60}(?:\.|and|which|that|describ"
    r"|explor)",
    re.IGNORECASE,
)
FUTURE = re.compile(
    r"\b(?:scored|evaluated|judged|computed|calculated|measured|ranked)\b[^.]{0,80}\b(?:real"
    r"|live|future|actual|unseen future|upcoming)\b[^.]{0,60}\b(?:after|once|as (?:they|it)"
    r"|following|when|in the (?:weeks|months|days)|market|event|draws?"
    r"|results?)\b[^.]{0,80}\b(?:close|deadline|happen|occur|unfold|arrive|become|known"
    r"|submission)"
    r"|\b(?:future|live) (?:data|outcomes?|events?|draws?|prices?"
    r"|results?)\b[^.]{0,100}\b(?:do(?:es)? not (?:yet )?exist|not yet (?:known|happened"
    r"|collected|available)|only be known|have not (?:yet )?(?:happened|occurred))"
    r"|\b(?:answers?|labels?|ground truth"
    r"|outcomes?)\b[^.]{0,80}\b(?:do(?:es)? not (?:yet )?exist|not yet (?:known|exist)"
    r"|will only (?:be known|exist)|never (?:be )?(?:known|published|released|recorded"
    r"|measured))",
    re.IGNORECASE,
)
NO_LABELS = re.compile(
    r"\bno (?:labels?|labell?ed (?:data|examples?)|training (?:data|labels?|set|examples)"
    r"|ground truth|answers|targets?)\b[^.]{0,60}\b(?:is|are|will be|was|were|exist|available"
    r"|provided|given|released|published|supplied)?"
    r"|\b(?:labels?|ground truth|targets?|answers)\b (?:is|are|will) not (?:be )?(?:provided"
    r"|given|available|released|published|supplied|part)(?! for (?:the )?test)",
    re.IGNORECASE,
)
TRAINING = re.compile(
    r"\btrain(?:ing)?(?:[_ -]?(?:set|data|part|file|labels?|split|examples))?\b|\blabell?ed\b", re.IGNORECASE
)


OF_DATA = re.compile(
    r"\b(?:labell?ed|annotated|labels?|annotations?|annotators|scored) [^.]{0,60}\bby\b"
    r"|\bground truth\b|\bpublished (?:papers?|work)\b|essays? (?:were|was|are)"
    r"|\brat(?:er|ing)s? A\b|human rater|prize|\bmost (?:helpful|popular|votes)"
    r"|\bwere (?:reviewed|labell?ed|scored|rated|graded|assessed)\b"
    r"|\bjudge'?s?\b[^.]{0,40}\bprefer",
    re.IGNORECASE,
)

OF_A_PART = re.compile(r"\b(?:extra|additional|unlabell?ed|test)", re.IGNORECASE)
"""Parts of the data that have no labels in any competition."""
