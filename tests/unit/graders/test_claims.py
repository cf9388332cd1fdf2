"""Constraints as claims: every word is read, and what stands in the submission is measured there."""

import time

import pyarrow as pa
import pytest

from graders.constraints import JudgeOutcome, judge
from graders.constraints.wording import Limit, Reading
from graders.submission import SubmissionTable

PASS, FAIL, OPEN = JudgeOutcome.PASS, JudgeOutcome.FAIL, JudgeOutcome.CANNOT_TELL
PROGRAM = """
import numpy as np
import pandas as pd
import torch
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge

CONFIG = {"dropout": 0.3, "patience": 5}
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
other = pd.read_csv("../other/file.csv")
filler = SimpleImputer(strategy="median").fit(pd.concat([train, test]))
few = PCA(n_components=10, random_state=0)
few.fit(filler.transform(train))
net = torch.nn.Sequential(torch.nn.Linear(10, 1), torch.nn.Dropout(0.0))
net.load_state_dict(torch.load("imagenet.pth"))
model = Ridge().fit(few.transform(train), np.log1p(train["y"]))


class EarlyStopping:
    pass


stop = EarlyStopping()
test.assign(y=model.predict(few.transform(test)), z=net(test), s=stop).to_csv("submission.csv")
"""


@pytest.mark.parametrize(
    "constraint",
    [
        "Fill missing values with the median of the training part.",
        "Reduce the features to 50 components.",
        "Use dropout.",
        "Use dropout with a rate of 0.3.",
        "Train on the logarithm of the target and convert predictions back.",
        "Do not use external data.",
        "Do not use pretrained weights.",
        "Use early stopping.",
        "Use NumPy and CatBoost.",
        "Train only on the given part.",
        "Use PyTorch for the images alone.",
        "Use at least 3 and at most 5 folds.",
    ],
)
def test_half_a_claim_is_no_claim(constraint: str) -> None:
    assert judge(PROGRAM, [constraint])[0].outcome is not PASS


def test_the_reason_names_the_words_that_nobody_understood() -> None:
    (verdict,) = judge(PROGRAM, ["Fill missing values with the median of the training part."])
    assert verdict.outcome is OPEN
    assert "'median'" in verdict.reason


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("between 0.01 and 0.1", Limit(0.01, 0.1)),
        ("at least 3 and at most 5 folds", Limit(3, 5)),
        ("no more than 20 % of the rows", Limit(high=0.2)),
        ("trees must not be deeper than six", Limit(high=6)),
        ("fewer than 1,000 trees", Limit(high=1000, open=True)),
        ("exactly 5 folds", Limit(5, 5)),
        ("32 or less", Limit(high=32)),
        ("1e-4", Limit(1e-4, 1e-4)),
        ("one-hot columns", None),
        ("ResNet-18 and F1", None),
    ],
)
def test_limits_are_read_with_both_bounds(text: str, limit: Limit | None) -> None:
    assert Reading(text).limit() == limit


@pytest.mark.parametrize(
    ("constraint", "outcome"),
    [
        ("Use LightGBM, not XGBoost.", PASS),
        ("Use LightGBM without early stopping.", PASS),
        ("Use XGBoost, not LightGBM.", FAIL),
        ("Do not use LightGBM.", FAIL),
        ("LightGBM must be used for the second stage.", OPEN),
        ("You may use XGBoost.", OPEN),
    ],
)
def test_each_half_of_a_sentence_has_its_own_sense(constraint: str, outcome: JudgeOutcome) -> None:
    code = "import lightgbm as lgb\nmodel = lgb.LGBMClassifier()\nmodel.fit(x, y)\nprint(model.predict(z))"
    assert judge(code, [constraint])[0].outcome is outcome


SEARCH = """
import optuna
import xgboost as xgb

def objective(trial):
    params = {"eta": trial.suggest_float("eta", LOW, 0.1), "seed": 1}
    return xgb.train(params, data, 100).best_score

study = optuna.create_study()
study.optimize(objective, n_trials=20)
"""


def test_of_a_search_both_ends_must_keep_the_limit() -> None:
    constraint = ["The learning rate must lie between 0.01 and 0.1."]
    assert judge(SEARCH.replace("LOW", "0.02"), constraint)[0].outcome is PASS
    assert judge(SEARCH.replace("LOW", "0.001"), constraint)[0].outcome is FAIL


def submission(**columns: list[str]) -> SubmissionTable:
    return SubmissionTable(pa.table(columns))


@pytest.mark.parametrize(
    ("constraint", "columns", "outcome"),
    [
        ("The submission must have the columns 'id' and 'y'.", {"id": ["1"], "y": ["2"]}, PASS),
        ("The submission must have the columns id and y.", {"id": ["1"], "z": ["2"]}, FAIL),
        ("Predictions must be between 0 and 1.", {"id": ["7"], "y": ["0.5"]}, PASS),
        ("Predictions must be between 0 and 1.", {"id": ["7"], "y": ["1.5"]}, FAIL),
        ("Predictions must not be negative.", {"id": ["-1", "2"], "y": ["0", "3"]}, PASS),
        ("Predictions must not be negative.", {"id": ["1", "2"], "y": ["0", "-0.1"]}, FAIL),
        ("Predictions must be positive.", {"id": ["1"], "y": ["0"]}, FAIL),
        ("Round the predictions to two decimal places.", {"id": ["1"], "y": ["0.25"]}, PASS),
        ("Round the predictions to two decimal places.", {"id": ["1"], "y": ["0.255"]}, FAIL),
        ("Predictions must be integers.", {"id": ["1"], "y": ["2.5"]}, FAIL),
        ("Probabilities must sum to one.", {"id": ["1"], "a": ["0.25"], "b": ["0.75"]}, PASS),
        ("Probabilities must sum to one.", {"id": ["1"], "a": ["0.25"], "b": ["0.5"]}, FAIL),
        ("Predictions of the first week must be between 0 and 1.", {"id": ["7"], "y": ["0.5"]}, OPEN),
    ],
)
def test_what_stands_in_the_submission_is_measured_there(
    constraint: str, columns: dict[str, list[str]], outcome: JudgeOutcome
) -> None:
    code = "import numpy as np\nnp.clip(p, 0, 1).round(2)"
    assert judge(code, [constraint], lambda: submission(**columns))[0].outcome is outcome
    assert judge(None, [constraint], lambda: submission(**columns))[0].outcome is outcome
    assert judge(code, [constraint])[0].outcome is OPEN


@pytest.mark.parametrize(
    "text", ["when not " * 20_000, "no more than " * 20_000, "1 " * 50_000, "(" * 100_000]
)
def test_a_constraint_made_to_keep_the_judge_busy_is_read_in_a_moment(text: str) -> None:
    started = time.process_time()
    assert judge(PROGRAM, [text])[0].outcome is OPEN
    assert time.process_time() - started < 20


@pytest.mark.parametrize(
    "code",
    [
        "d = {'a': 1}\n" + "".join(f"g(lr=d['k{place}'])\n" for place in range(4000)),
        "def h():\n" + "    g()\n" * 4000 + "    return {}\n" + "k(h())\n" * 4000,
        "a0 = 1\n" + "".join(f"a{place + 1} = a{place}\n" for place in range(4000)),
        "x = 1\n" + "x = f(x)\n" * 4000,
    ],
    ids=["entries", "results", "chain", "bound again"],
)
def test_code_of_many_like_lines_is_read_in_a_moment(code: str) -> None:
    started = time.process_time()
    judge(code, ["Seed 42.", "Use dropout.", "The learning rate is 0.1.", "Train for at most 5 epochs."])
    assert time.process_time() - started < 15


def test_the_submission_is_read_only_where_something_is_demanded_of_it() -> None:
    def unread() -> SubmissionTable:
        raise AssertionError("it was read")

    judge(PROGRAM, ["Use PCA.", "Do not use XGBoost.", "Be nice."], unread)
