"""Numbered instructions and the constraints they stand for."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mapping.published import join_instructions, split_instructions


@pytest.mark.parametrize(
    ("text", "constraints"),
    [
        ("1. Use at most 0.5 GB. 2. Seed 42.", ("Use at most 0.5 GB.", "Seed 42.")),
        ("Use one core only.", ("Use one core only.",)),
        ("", ()),
        ("   \n ", ()),
        ("1) First\n2) Second\n3) Third", ("First", "Second", "Third")),
        ("(1) No GPU (2) No internet", ("No GPU", "No internet")),
        ("1. Use version 2. Nothing newer. 2. Seed 42.", ("Use version 2. Nothing newer.", "Seed 42.")),
        ("1. Keep 2.5 GB free. 2. Run in 3.5 hours.", ("Keep 2.5 GB free.", "Run in 3.5 hours.")),
        ("3. Starts in the middle. 4. Goes on.", ("3. Starts in the middle. 4. Goes on.",)),
        ("1. Only one, see section 3. below", ("Only one, see section 3. below",)),
    ],
)
def test_a_string_splits_at_its_numbers(text: str, constraints: tuple[str, ...]) -> None:
    assert split_instructions(text) == constraints


WORDS = st.text(alphabet="abcdefghijklmnop .,:0123456789-\n", min_size=1, max_size=60)


@given(st.lists(WORDS, max_size=14))
def test_joined_constraints_split_into_the_same_constraints(texts: list[str]) -> None:
    # A number with a full stop inside a constraint may look like the next marker: another test's case.
    constraints = tuple(text for text in (" ".join(text.split()) for text in texts) if text)
    constraints = tuple(text for text in constraints if not re.search(r"\d[.)](\s|$)", text))
    assert split_instructions(join_instructions(constraints)) == constraints


def test_a_number_inside_a_constraint_does_not_end_it() -> None:
    constraints = ("Use version 2. 3. or 4. of the library.", "Seed 42.", "Stop after step 3. Then write.")
    assert split_instructions(join_instructions(constraints)) == constraints


@given(st.text(max_size=200))
def test_any_text_splits_without_losing_words(text: str) -> None:
    found = " ".join(split_instructions(text)).split()
    assert [word for word in found if word not in text] == []
