"""The published per-task cells and tables of three agents (docs/grading.md) are reproduced."""

from pathlib import Path

import pytest

from graders.aggregate import TaskLabels, summarise
from graders.rank import place
from graders.report import TaskGrade
from graders.standings import infer_direction, read_standings
from schema.difficulty import Level
from schema.task import Modality

SHARED = Path(__file__).parents[3] / "../shared/data/competitions"
needs_boards = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the real boards lie in ../shared, which is absent"
)

EASY, MEDIUM, HARD = Level
LITE = {
    "taxi-fare": (Modality.TABULAR, EASY),
    "poisonous-mushrooms": (Modality.TABULAR, MEDIUM),
    "stanford-covid": (Modality.TABULAR, HARD),
    "text-normalization-english": (Modality.TEXT, EASY),
    "lmsys": (Modality.TEXT, MEDIUM),
    "eedi": (Modality.TEXT, HARD),
    "denoising": (Modality.IMAGE, EASY),
    "statoil": (Modality.IMAGE, MEDIUM),
    "image-matching-2024": (Modality.IMAGE, HARD),
    "mlsp-birds": (Modality.AUDIO, EASY),
    "audio-medium": (Modality.AUDIO, MEDIUM),
    "cornell-birdcall": (Modality.AUDIO, HARD),
    "whoiswho-ind": (Modality.GRAPH, EASY),
    "pst": (Modality.GRAPH, MEDIUM),
    "graph-hard": (Modality.GRAPH, HARD),
    "gesture": (Modality.MULTIMODAL, EASY),
    "next-product": (Modality.MULTIMODAL, MEDIUM),
    "planttraits2024": (Modality.MULTIMODAL, HARD),
}
"""The 18 tasks, one per modality and level; two of those without a published cell go by their place."""

AIDE_GPT = {
    "taxi-fare": (11.462946, 0.98),
    "poisonous-mushrooms": (0.980426, 0.67),
    "stanford-covid": (0.389836, 0.80),
    "text-normalization-english": (0.9906, 0.27),
    "lmsys": (1.133694, 0.96),
    "eedi": (0.120925, 0.90),
    "denoising": (0.226320, 0.89),
    "statoil": (0.444734, 0.87),
    "mlsp-birds": (0.807922, 0.68),
    "gesture": (0.78394, 0.75),
    "next-product": (0.0025, 0.83),
}
AIDE_DEEPSEEK = {
    "stanford-covid": (0.309915, 0.0006),
    "text-normalization-english": (0.9906, 0.27),
    "lmsys": (1.057080, 0.55),
    "eedi": (0.079931, 0.92),
    "statoil": (0.294361, 0.77),
}
OPENHANDS_DEEPSEEK = {
    "taxi-fare": (5.303500, 0.80),
    "text-normalization-english": (0.9906, 0.27),
    "denoising": (0.151466, 0.83),
    "statoil": (0.403900, 0.86),
    "mlsp-birds": (0.847697, 0.58),
    "next-product": (0.0, 1.0),
}
PUBLISHED = {
    "AIDE + GPT-4.1": (AIDE_GPT, 87, (76, 89, 95), (82, 71, 92, 89, 100, 86)),
    "AIDE + DeepSeek-V3": (AIDE_DEEPSEEK, 86, (88, 89, 82), (67, 58, 92, 100, 100, 100)),
    "OpenHands + DeepSeek-V3": (OPENHANDS_DEEPSEEK, 91, (75, 98, 100), (93, 76, 90, 86, 100, 100)),
}
SLUGS = {
    "taxi-fare": "kaggle/new-york-city-taxi-fare-prediction",
    "poisonous-mushrooms": "kaggle/playground-series-s4e8",
    "text-normalization-english": "kaggle/text-normalization-challenge-english-language",
    "eedi": "kaggle/eedi-mining-misconceptions-in-mathematics",
    "statoil": "kaggle/statoil-iceberg-classifier-challenge",
    "mlsp-birds": "kaggle/mlsp-2013-birds",
}
"""The published tasks whose boards are at hand, next-product apart."""


def percent(share: float | None) -> int:
    """As printed: a whole percentage, halves up."""
    assert share is not None
    return int(100 * share + 0.5)


@pytest.mark.parametrize("agent", PUBLISHED)
def test_published_averages_levels_and_modalities_follow_from_the_published_cells(agent: str) -> None:
    cells, average, by_level, by_modality = PUBLISHED[agent]
    labels = {task: TaskLabels(*cell) for task, cell in LITE.items()}
    grades = [TaskGrade(task, made=True, valid=True, rank_pct=share) for task, (_, share) in cells.items()]
    summary = summarise(grades, labels)
    assert percent(summary.weighted_rank.missing_as_last) == average
    assert percent(summary.average_rank.missing_as_last) == average
    assert tuple(percent(summary.by_level[level].missing_as_last) for level in Level) == by_level
    in_order = tuple(percent(summary.by_modality[modality].missing_as_last) for modality in Modality)
    assert in_order == by_modality
    assert (summary.valid.count, summary.valid.of) == (len(cells), 18)


@needs_boards
@pytest.mark.parametrize(
    ("task", "score", "share"),
    [
        (task, score, share)
        for cells, *_ in PUBLISHED.values()
        for task, (score, share) in cells.items()
        if task in SLUGS
    ],
)
def test_published_cells_follow_from_the_boards(task: str, score: float, share: float) -> None:
    board = read_standings(SHARED / SLUGS[task] / "leaderboard_private.csv")
    direction = infer_direction(board)
    assert direction is not None
    assert place(score, board, direction).rank_pct == pytest.approx(share, abs=0.01)


@needs_boards
@pytest.mark.parametrize(("score", "share", "ours"), [(0.0025, 0.83, 139 / 174), (0.0, 1.0, 167 / 174)])
def test_the_published_cells_of_next_product_divide_by_the_last_printed_rank(
    score: float, share: float, ours: float
) -> None:
    """Eight teams share that board's last rank, 167; participants are 174, so ours differ by up to 0.04."""
    board = read_standings(SHARED / "aicrowd/next-product-prediction/leaderboard_private.csv")
    direction = infer_direction(board)
    assert direction is not None
    placing = place(score, board, direction)
    last = place(float(board.scores.min()), board, direction).rank
    assert placing.rank is not None
    assert last == 167
    assert placing.rank / last == pytest.approx(share, abs=0.005)
    assert placing.rank_pct == pytest.approx(ours)
