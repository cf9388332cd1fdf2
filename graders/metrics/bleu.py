"""BLEU of translations."""

from graders.metrics.registry import PredictionKind, metric
from schema.metric import Direction


@metric(
    "bleu",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=PredictionKind.TEXT,
    aliases=("bleu", "sacrebleu", "bleu score", "bilingual evaluation understudy"),
)
def bleu(
    truth: list[str],
    predicted: list[str],
    *,
    max_order: int = 4,
    lowercase: bool = False,
    tokenize: str = "13a",
    smoothing: str = "exp",
    scale: float = 1,
) -> float:
    """Corpus BLEU: scale * min(1, e^(1 - r / c)) * (product of p_n for n = 1..max_order)^(1 / max_order).

    p_n is the clipped n-gram precision over all rows, r and c the total lengths of truths and predictions,
    one truth per row. `tokenize` and `smoothing` are sacreBLEU's; `scale` 100 gives its usual figures. An
    empty prediction is a guess without words. Source: Papineni et al. 2002; sacreBLEU (Post 2018).
    """
    from sacrebleu.metrics.bleu import BLEU  # 0.7 s, which every other metric would wait for

    scorer = BLEU(
        max_ngram_order=max_order, lowercase=lowercase, tokenize=tokenize, smooth_method=smoothing, force=True
    )
    return scale * float(scorer.corpus_score(predicted, [truth]).score) / 100
