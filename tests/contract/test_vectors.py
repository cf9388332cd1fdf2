"""All grading vectors: scores reproduced, bad files refused, but for docs/grading.md."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from graders.evaluate import Evaluation, EvaluationCase, evaluate

VECTORS = Path(__file__).parents[3] / "shared" / "vectors"
FOLDERS = sorted(path.parent for path in VECTORS.glob("*/expected.json"))

NOT_REPRODUCED = {
    ("inaturalist-2019-fgvc6__dojo", "integer_valued_floats"),
    ("bms-molecular-translation", "empty_prediction"),
    ("learning-agency-lab-automated-essay-scoring-2", "unseen_label_predicted"),
}
SCORED_BAD_FILES = {
    ("airbnb-recruiting-new-user-bookings", "unknown_label"),
    ("allstate-purchase-prediction-challenge", "label_out_of_set"),
    ("ashrae-energy-prediction", "slightly_negative"),
    ("hubmap-kidney-segmentation__dojo", "run_past_end"),
    ("hubmap-kidney-segmentation__dojo", "start_past_end"),
    ("integer-sequence-learning", "label_out_of_set"),
    ("integer-sequence-learning", "negative_label"),
    ("kaggle-llm-science-exam", "empty_prediction"),
    ("vesuvius-challenge-ink-detection__dojo", "run_past_end"),
    ("vesuvius-challenge-ink-detection__dojo", "start_past_end"),
}
ANY_SCORE = {"roc_auc", "gini"}
"""Metrics of an order: as on Kaggle, scores outside of 0 and 1 count."""
REASONS = {
    "missing_target_column": {"missing_column"},
    "missing_id_column": {"missing_column"},
    "renamed_target_column": {"missing_column"},
    "extra_column": {"unexpected_column"},
    "missing_row": {"missing_id", "row_count"},
    "unknown_id": {"unknown_id"},
    "extra_row_unknown_id": {"unknown_id"},
    "blank_id": {"blank_id"},
    "duplicate_row_appended": {"duplicate_id", "row_count"},
    "duplicate_id_replacing_other": {"duplicate_id"},
    "empty_file": {"empty_file"},
    "header_only": {"no_rows"},
    "wrong_delimiter": {"wrong_separator", "malformed_list"},
    "nan_prediction": {"nan_prediction", "empty_prediction", "malformed_list", "malformed_boxes"},
    "non_numeric_prediction": {"not_numeric", "malformed_list", "malformed_span"},
    "infinite_prediction": {"not_finite"},
    "comma_decimal": {"not_numeric"},
    "probability_above_one": {"out_of_range"},
    "probability_below_zero": {"out_of_range"},
    "out_of_range_label": {"label_out_of_set"},
    "fractional_label": {"not_a_label"},
    "malformed_rle": {"malformed_rle"},
    "malformed_boxes": {"malformed_boxes"},
    "not_a_permutation": {"not_a_permutation"},
}


@pytest.mark.parametrize("folder", FOLDERS or [None], ids=lambda folder: folder.name if folder else "none")
def test_scores_are_reproduced_and_bad_files_refused(folder: Path | None) -> None:
    if folder is None:
        pytest.skip("the grading vectors are not beside the checkout")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    faults = [fault for case in expected["cases"] if (fault := _fault(folder, expected, case))]
    assert faults == []


def _fault(folder: Path, expected: dict[str, Any], case: dict[str, Any]) -> str | None:
    """What is wrong with the outcome of one case; an exception that no longer applies is a fault too."""
    name = (folder.name, Path(case["file"]).stem)
    found = _outcome(folder, expected, case["file"])
    if case.get("invalid"):
        outside = case["kind"] in ("probability_above_one", "probability_below_zero")
        scored = name in SCORED_BAD_FILES or (outside and expected["metric"] in ANY_SCORE)
        if found.valid != scored:
            return f"{case['file']}: scored {found.score}, reason {found.reason}"
        allowed = REASONS.get(case["kind"])
        wrong = not found.valid and allowed is not None and str(found.reason) not in allowed
        return f"{case['file']}: {found.reason}" if wrong else None
    tolerance = expected["tolerance"]
    right = found.score is not None and math.isclose(
        found.score, case["score"], abs_tol=tolerance["abs"], rel_tol=tolerance["rel"]
    )
    return f"{case['file']}: {found} for {case['score']}" if right == (name in NOT_REPRODUCED) else None


def _outcome(folder: Path, expected: dict[str, Any], file: str) -> Evaluation:
    return evaluate(
        EvaluationCase(
            metric=expected["metric"],
            params=expected["params"],
            answers=folder / expected["answers_file"],
            submission=folder / file,
            id_columns=expected["id_columns"],
            target_columns=expected["target_columns"],
        )
    )
