"""The sample submission: found in the page, its columns told apart."""

import pytest

from mapping.rules.document import Document
from mapping.rules.submission import SubmissionReading, read_submission
from schema.capture import PageKind
from schema.page import Page


def reading(text: str) -> SubmissionReading:
    return read_submission(Document([Page(PageKind.OVERVIEW, "", text)]))


HEAD = "## Evaluation\n\nScored by RMSE.\n\n## Submission File\n\n"


@pytest.mark.parametrize(
    ("body", "ids", "targets"),
    [
        ("The file has a header:\n\n```\nid,price\n1,3.5\n2,4\n```\n", ("id",), ("price",)),
        ("Format:\n\nid,price\n1,3.5\n2,4\netc.\n", ("id",), ("price",)),
        ("```\nid;a;b\n1;0;1\n```\n", ("id",), ("a", "b")),
        ("| lot_id | price |\n|---|---|\n| 7 | 12 |\n", ("lot_id",), ("price",)),
        ("```\nsite,day,rain\nA,1,0.5\nA,2,0.1\n```\n", ("site", "day"), ("rain",)),
        ("```\nid,class,mask\n1,cat,1 5\n1,dog,3 2\n```\n", ("id", "class"), ("mask",)),
        (
            "For each `image` of the test set predict the `Id` of it.\n\n```\nimage,Id\na.jpg,7\n```\n",
            ("image",),
            ("Id",),
        ),
        ("```\nprobability,case_id\n0.2,1\n0.3,2\n```\n", ("case_id",), ("probability",)),
        ("```\nid,v1,v2,...,v5\n1,0,0,...,0\n```\n", ("id",), ("v1", "v2", "v3", "v4", "v5")),
        ("```\nid,ash,beech,...,yew\n1,0,0,...,0\n```\n", ("id",), ()),
        ("A CSV file with two columns: `visit` and `minutes`.\n\nvisit is the id", (), ()),
        ("A CSV file with two columns: `visit_id` and `minutes`.\n", ("visit_id",), ("minutes",)),
    ],
)
def test_columns_are_told_apart(body: str, ids: tuple[str, ...], targets: tuple[str, ...]) -> None:
    found = reading(HEAD + body)
    assert (found.ids, found.targets) == (ids, targets)


def test_elided_columns_are_shown_but_not_guessed() -> None:
    found = reading(HEAD + "```\nid,ash,beech,...,yew\n1,0,0,...,0\n```\n")
    assert found.target_text == "ash, beech, ..., yew"
    assert found.sample is not None
    assert found.sample.value.several_columns


@pytest.mark.parametrize(
    "body",
    [
        "```python\nimport csv, json\nx = f(a, b)\n```\n",
        "Please note, this is a sentence, with commas.\nAnd one more, too.\n",
        "```\ntrain\ntest\n```\n",
    ],
)
def test_code_and_prose_are_no_samples(body: str) -> None:
    assert reading(HEAD + body).sample is None


def test_the_submission_is_preferred_to_a_look_at_the_training_data() -> None:
    text = HEAD + "```\nid,y\n1,0\n```\n\n## Data\n\nThe training file:\n\n```\nid,f1,f2,y\n1,2,3,0\n```\n"
    assert reading(text).targets == ("y",)


def test_the_format_is_the_page_s_own_text() -> None:
    text = HEAD + "```\nid,y\n1,0\n2,0\n```\n"
    found = reading(text)
    assert found.output_format == "id,y\n1,0\n2,0"
    assert all(text[one.start : one.end] == one.quote for one in found.evidence)
