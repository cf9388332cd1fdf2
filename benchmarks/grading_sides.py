"""Both sides of the comparison. One process grades one case once: `grading_sides.py SIDE < case.json`.

Prints score, seconds of the work (imports are not work) and the peak of the process's memory.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

Grader = Callable[[dict[str, Any]], float]


def ours() -> Grader:
    """`graders.evaluate`: with every check of the submission's format."""
    from graders.evaluate import EvaluationCase, evaluate
    from graders.metrics import metrics

    metrics()

    def grade(case: dict[str, Any]) -> float:
        outcome = evaluate(EvaluationCase(**case))
        if outcome.score is None:
            raise SystemExit(outcome.message)
        return outcome.score

    return grade


def plain() -> Grader:
    """Two lines that anybody writes: both files by pandas, lined up by id, and scikit-learn's function."""
    import pandas as pd

    score = _scikit_learn()

    def grade(case: dict[str, Any]) -> float:
        (key,) = case["id_columns"]
        truth = pd.read_csv(case["answers"], index_col=key)
        guess = pd.read_csv(case["submission"], index_col=key).loc[truth.index, list(case["target_columns"])]
        return float(score(case["metric"], truth, guess))

    return grade


def merged() -> Grader:
    """What graders in use do: read both files with pandas, merge them by id, checked, and score."""
    import pandas as pd

    score = _scikit_learn()

    def grade(case: dict[str, Any]) -> float:
        (key,) = case["id_columns"]
        both = pd.read_csv(case["answers"]).merge(
            pd.read_csv(case["submission"]), on=key, suffixes=("_true", "_given"), validate="one_to_one"
        )
        targets = list(case["target_columns"])
        guess = both[[f"{name}_given" if f"{name}_given" in both else name for name in targets]]
        truth = both[[name for name in both if name != key and name not in guess]]
        return float(score(case["metric"], truth, guess))

    return grade


def _scikit_learn() -> Callable[[str, Any, Any], float]:
    """The score of aligned tables."""
    import numpy as np
    from sklearn import metrics

    def score(metric: str, truth: Any, guess: Any) -> float:  # noqa: ANN401
        match metric:
            case "roc_auc":
                return metrics.roc_auc_score(truth.iloc[:, 0], guess.iloc[:, 0])
            case "multiclass_log_loss":
                labels = truth.iloc[:, 0] if truth.shape[1] == 1 else truth.to_numpy().argmax(axis=1)
                return metrics.log_loss(labels, guess.to_numpy())
            case "rmse":
                return metrics.root_mean_squared_error(truth.iloc[:, 0], guess.iloc[:, 0])
            case "quadratic_weighted_kappa":
                return metrics.cohen_kappa_score(truth.iloc[:, 0], guess.iloc[:, 0], weights="quadratic")
            case "map_at_k":
                pairs = zip(truth.iloc[:, 0], guess.iloc[:, 0], strict=True)
                return float(np.mean([apk(true.split(), given.split()) for true, given in pairs]))
        raise SystemExit(f"No peer for {metric}.")

    return score


def apk(actual: list[str], predicted: list[str], k: int = 12) -> float:
    """Average precision at k, as `ml_metrics.apk` has it."""
    score = hits = 0.0
    predicted = predicted[:k]
    for place, guess in enumerate(predicted):
        if guess in actual and guess not in predicted[:place]:
            hits += 1
            score += hits / (place + 1)
    return score / min(len(set(actual)), k)


def main() -> None:
    grade = {"ours": ours, "plain": plain, "merged": merged}[sys.argv[1]]()
    case = json.load(sys.stdin)
    started = time.perf_counter()
    score = grade(case)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"score": score, "seconds": seconds, "megabytes": peak}))


if __name__ == "__main__":
    main()
