"""The labelled set, the static judge's figures on it, and how agreement is counted."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from graders.constraints import JudgeOutcome, judge
from graders.constraints.labelled import Item, Variant, labelled_items, unseen_items
from graders.constraints.labelled.agreement import agreement
from graders.constraints.labelled.page import against_labels, page

ITEMS = labelled_items()
YES, NO, OPEN = JudgeOutcome.PASS, JudgeOutcome.FAIL, JudgeOutcome.CANNOT_TELL


def test_the_set_is_large_varied_and_of_programs_that_can_be_parsed() -> None:
    assert len(ITEMS) >= 400
    assert len({item.item_id for item in ITEMS}) == len(ITEMS)
    assert len({(item.code, item.constraint) for item in ITEMS}) == len(ITEMS)
    assert len({item.kind for item in ITEMS}) >= 16
    for code in {item.code for item in ITEMS}:
        ast.parse(code)
    for verdict in (True, False):
        assert sum(item.keeps is verdict for item in ITEMS) >= len(ITEMS) / 3
    assert min(Counter(item.variant for item in ITEMS).values()) >= 8


def test_only_plain_and_distracting_items_keep_their_constraint() -> None:
    assert {item.variant for item in ITEMS if item.keeps} == {Variant.PLAIN, Variant.DISTRACTING}


@pytest.mark.parametrize(
    "item",
    [item for item in ITEMS if item.variant not in (Variant.PLAIN, Variant.DISTRACTING)],
    ids=lambda item: item.item_id,
)
def test_no_injected_dead_or_obfuscated_variant_passes(item: Item) -> None:
    (verdict,) = judge(item.code, [item.constraint])
    assert not verdict.passed, (item.how, verdict)


def test_the_static_judge_is_as_good_on_the_set_as_the_page_says() -> None:
    found = against_labels(ITEMS, [judge(item.code, [item.constraint])[0].outcome for item in ITEMS])
    assert found.kappa is not None
    assert found.kappa >= 0.68
    assert found.abstention is not None
    assert found.abstention <= 0.41
    assert found.count(YES, NO) == 0
    assert found.count(NO, YES) == 0


def test_no_violation_in_programs_that_it_was_not_made_with_passes() -> None:
    items = unseen_items()
    assert len(items) == 120
    assert len({item.code for item in items}) == 24
    found = against_labels(items, [judge(item.code, [item.constraint])[0].outcome for item in items])
    assert found.count(YES, NO) == 0
    assert found.kappa is not None
    assert found.kappa >= 0.43


def _renamed(code: str) -> str:
    """The program with other names for everything that it names itself, written anew without comments."""
    tree = ast.parse(code)
    stored = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg | ast.keyword)}
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    names = {
        name: f"v{number}" for number, name in enumerate(sorted((stored | functions) - arguments - imported))
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
        elif isinstance(node, ast.FunctionDef) and node.name in names:
            node.name = names[node.name]
    return ast.unparse(tree)


@pytest.mark.parametrize("items", [ITEMS, unseen_items()], ids=["labelled", "unseen"])
def test_other_names_and_another_layout_make_nothing_pass(items: tuple[Item, ...]) -> None:
    for item in items:
        if not judge(item.code, [item.constraint])[0].passed:
            assert not judge(_renamed(item.code), [item.constraint])[0].passed, item.item_id


def test_the_page_is_the_one_that_the_judge_gives_now() -> None:
    shown = Path(__file__).parents[3] / "docs" / "judging.md"
    assert shown.read_text("utf-8") == page(), "python -m graders.constraints > docs/judging.md"


def test_agreement_of_two_judges_by_hand() -> None:
    found = agreement([YES, YES, NO, NO, OPEN, YES], [YES, NO, NO, NO, YES, YES])
    assert found.items == 6
    assert found.count(YES, NO) == 1
    assert found.count(OPEN, YES) == 1
    assert found.abstention == pytest.approx(1 / 6)
    assert found.agreed == pytest.approx(4 / 6)
    # yes/no: 3 + 3 against 3 + 3, chance 1/2; (4/6 - 1/2) / (1/2)
    assert found.kappa == pytest.approx(1 / 3)
    # decided: 4 of 5 alike, chance (3·2 + 2·3) / 25
    assert found.kappa_decided == pytest.approx((4 / 5 - 12 / 25) / (1 - 12 / 25))


def test_agreement_without_variety_has_no_kappa() -> None:
    assert agreement([YES, YES], [YES, YES]).kappa is None
    assert agreement([], []).kappa is None
    assert agreement([], []).abstention is None
