"""Each of the 38 cases of the grading semantics is a test that bears its number."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
CASES = range(1, 39)
_NUMBER = re.compile(r"case_(\d{2})")


def numbered() -> dict[int, list[str]]:
    """Case number to the tests whose names bear it."""
    found: dict[int, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for number in _NUMBER.findall(node.name):
                    found[int(number)].append(f"{path.relative_to(TESTS)}::{node.name}")
    return found


TESTS_OF = numbered()


@pytest.mark.parametrize("number", CASES, ids=lambda number: f"case-{number:02}")
def test_the_case_has_a_test_that_bears_its_number(number: int) -> None:
    assert TESTS_OF[number], f"no test is named test_case_{number:02}_…"


def test_no_test_bears_the_number_of_a_case_that_is_not_there() -> None:
    assert set(TESTS_OF) <= set(CASES)
