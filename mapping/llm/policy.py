"""Who wins where rules and model differ, field by field; docs/decisions says why."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from mapping.llm.reply import Asked


class Preference(StrEnum):
    """Whose value a field gets."""

    RULES = "rules"
    """The rules' value; the model's where the rules have none."""
    MODEL = "model"
    """The model's value, once verified; else the rules'."""
    BOTH = "both"
    """The values of both, each once."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The preference for one field, and the reason that is stored with every settlement."""

    preference: Preference
    reason: str


_MEASURED = "the rules are measured on real competitions, the model is not"
_EXACT = "the rules copy the sample or list of the page exactly"
_SITE = "the rules go by the site's own data and fixed forms of words"

POLICY: Mapping[Asked, Policy] = {
    Asked.TASK_TYPE: Policy(Preference.RULES, "the type follows from the metric where one is known"),
    Asked.GOAL: Policy(Preference.MODEL, "a reader picks the sentence better than a weight of words does"),
    Asked.METRIC_NAME: Policy(Preference.RULES, _MEASURED),
    Asked.METRIC_FORMULA: Policy(Preference.RULES, _EXACT),
    Asked.METRIC_ID: Policy(Preference.RULES, _MEASURED),
    Asked.DIRECTION: Policy(Preference.RULES, "the site, the metric library or the page's words decide"),
    Asked.TARGET_COLUMNS: Policy(Preference.RULES, _EXACT),
    Asked.ID_COLUMNS: Policy(Preference.RULES, _EXACT),
    Asked.OUTPUT_FORMAT: Policy(Preference.RULES, _EXACT),
    Asked.TRAIN_FILES: Policy(Preference.RULES, _EXACT),
    Asked.TEST_FILES: Policy(Preference.RULES, _EXACT),
    Asked.CONSTRAINTS: Policy(Preference.BOTH, "each constraint stands in the page"),
    Asked.MODALITY: Policy(Preference.RULES, _MEASURED),
    Asked.DOMAIN: Policy(Preference.MODEL, "a reader tells what data is about better than a count of words"),
    Asked.DEADLINE: Policy(Preference.RULES, _SITE),
    Asked.LICENSE: Policy(Preference.RULES, _SITE),
}
