"""How far the rules' labels and the model's agree: Cohen's kappa and the confusion of the two."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from lake.rows import SettlementRow
from mapping.llm.reply import Asked
from mapping.llm.settlement import SettlementOutcome


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Two labellings of the same tasks. Figures are over the tasks that both have labelled."""

    field: str
    both: int
    """Tasks that both have labelled."""
    only_rules: int
    only_llm: int
    neither: int
    agreed: int
    kappa: float | None
    """Cohen's kappa, from -1 to 1; None where chance alone would agree always, or nothing is to compare."""
    confusion: dict[str, dict[str, int]]
    """The rules' label → the model's label → tasks."""


def label_agreement(field: Asked, settlements: Iterable[SettlementRow]) -> LabelAgreement:
    """The agreement on one label; a label of the model that did not hold counts as none."""
    pairs = [(one.rules_value, _held(one)) for one in settlements if one.field == field]
    compared = [pair for pair in pairs if all(pair)]
    confusion: dict[str, dict[str, int]] = {}
    for (rules, llm), count in sorted(Counter(compared).items()):
        confusion.setdefault(rules, {})[llm] = count
    return LabelAgreement(
        field=field,
        both=len(compared),
        only_rules=sum(bool(rules) and not llm for rules, llm in pairs),
        only_llm=sum(bool(llm) and not rules for rules, llm in pairs),
        neither=sum(not rules and not llm for rules, llm in pairs),
        agreed=sum(rules == llm for rules, llm in compared),
        kappa=_kappa(compared),
        confusion=confusion,
    )


def _held(settlement: SettlementRow) -> str:
    return "" if settlement.outcome == SettlementOutcome.DROPPED else settlement.llm_value


def _kappa(pairs: list[tuple[str, str]]) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    rules, llm = [one for one, _ in pairs], [other for _, other in pairs]
    if len({*rules, *llm}) < 2:
        return None  # chance alone agrees perfectly: 0 / 0
    return float(cohen_kappa_score(rules, llm))
