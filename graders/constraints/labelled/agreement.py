"""How far two judges agree, or a judge and the labels: confusion, Cohen's kappa, abstentions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sklearn.metrics import cohen_kappa_score

from graders.constraints.judge import JudgeOutcome


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Figures over the items that both have judged."""

    items: int
    confusion: Mapping[tuple[JudgeOutcome, JudgeOutcome], int]
    """(first, second) → how many; pairs that do not occur are 0 and left out."""
    kappa: float | None
    """Cohen's kappa of yes and no, where no evidence counts as no, as it does in grades; None: undefined."""
    kappa_decided: float | None
    """Cohen's kappa over the items that both decided."""

    def count(self, first: JudgeOutcome, second: JudgeOutcome) -> int:
        """How often these two came together."""
        return self.confusion.get((first, second), 0)

    @property
    def agreed(self) -> float | None:
        """Share of items with the same yes or no."""
        same = sum(
            number
            for (one, other), number in self.confusion.items()
            if (one is JudgeOutcome.PASS) is (other is JudgeOutcome.PASS)
        )
        return same / self.items if self.items else None

    @property
    def abstention(self) -> float | None:
        """Share of items of which the first judge could not tell."""
        silent = sum(number for (one, _), number in self.confusion.items() if one is JudgeOutcome.CANNOT_TELL)
        return silent / self.items if self.items else None


def agreement(first: Sequence[JudgeOutcome], second: Sequence[JudgeOutcome]) -> JudgeAgreement:
    """Compare the outcomes of two judges on the same items; labels are a judge that always decides."""
    pairs = [*zip(first, second, strict=True)]
    decided = [pair for pair in pairs if JudgeOutcome.CANNOT_TELL not in pair]
    return JudgeAgreement(len(pairs), dict(Counter(pairs)), _kappa(pairs), _kappa(decided))


def _kappa(pairs: Sequence[tuple[JudgeOutcome, JudgeOutcome]]) -> float | None:
    first = [one is JudgeOutcome.PASS for one, _ in pairs]
    second = [other is JudgeOutcome.PASS for _, other in pairs]
    if not pairs or len({*first, *second}) == 1:
        return None  # chance alone agrees perfectly: 0 / 0
    return float(cohen_kappa_score(first, second))
