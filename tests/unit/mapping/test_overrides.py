"""The file of overrides: read strictly, told in the verdict, refused with the place of what is wrong."""

from datetime import date
from pathlib import Path

import pytest

from core.errors import UsageError
from mapping.overrides import Override, check_tasks, overridden, read_overrides
from schema.screening import Rule, RuleVerdict

GOOD = """
[[override]]
task = "kaggle-tides"
rule = "data_public"
passed = true
who = "Ada Example"
date = 2026-05-17
why = "Mirrored under CC0."
"""
FAILED = RuleVerdict("kaggle-tides", Rule.DATA_PUBLIC, passed=False, reason="The data was withdrawn.")


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "overrides.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_an_override_is_read_and_told_with_what_the_rule_says(tmp_path: Path) -> None:
    (one,) = read_overrides(written(tmp_path, GOOD))
    assert one == Override(
        task="kaggle-tides",
        rule=Rule.DATA_PUBLIC,
        passed=True,
        who="Ada Example",
        date=date(2026, 5, 17),
        why="Mirrored under CC0.",
    )
    verdict = overridden(FAILED, {(one.task, one.rule): one})
    assert verdict.passed
    assert verdict.reason == (
        "Set by Ada Example on 2026-05-17: Mirrored under CC0. The rule alone fails: The data was withdrawn."
    )


def test_other_verdicts_stay_as_they_are(tmp_path: Path) -> None:
    (one,) = read_overrides(written(tmp_path, GOOD))
    other = RuleVerdict("kaggle-tides", Rule.RECENT, passed=False, reason="It closed long ago.")
    assert overridden(other, {(one.task, one.rule): one}) is other


def test_an_empty_file_overrides_nothing(tmp_path: Path) -> None:
    assert read_overrides(written(tmp_path, "# nothing yet\n")) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("data_public", "data_free"), "override 1, rule"),
        (GOOD.replace('who = "Ada Example"\n', ""), "override 1, who"),
        (GOOD.replace('why = "Mirrored under CC0."\n', ""), "override 1, why"),
        (GOOD.replace("date = 2026-05-17\n", ""), "override 1, date"),
        (GOOD.replace('"Ada Example"', '" "'), "override 1, who"),
        (GOOD.replace("passed = true", 'passed = "perhaps"'), "override 1, passed"),
        (GOOD + 'note = "more"\n', "override 1, note"),
        (GOOD + GOOD, "twice"),
        ("[[overide]]\ntask = 1\n", "overide"),
        ("[[override", "not TOML"),
    ],
    ids=["rule", "who", "why", "date", "blank", "passed", "spare", "twice", "heading", "syntax"],
)
def test_what_is_not_in_order_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_overrides(written(tmp_path, text))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Cannot read"):
        read_overrides(tmp_path / "none.toml")


def test_a_task_that_is_not_there_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    with pytest.raises(UsageError, match=r"no task of the lake\. Did you mean kaggle-tide\?"):
        check_tasks(read_overrides(path), ["kaggle-tide", "kaggle-frost"], path)
    check_tasks(read_overrides(path), ["kaggle-tides"], path)
