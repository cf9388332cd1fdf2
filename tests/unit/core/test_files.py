"""Names from elsewhere stay in the folder that they are joined to."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UnsafeNameError
from core.files import below

ROOT = Path("/srv/lake")


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/../../x",
        "/etc/passwd",
        "a//b",
        "a/./b",
        "a/",
        "a\\b",
        "..\\x",
        "a\0b",
        "a/..",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_and_told(name: str) -> None:
    with pytest.raises(UnsafeNameError, match="cannot name a file in /srv/lake"):
        below(ROOT, name)


@pytest.mark.parametrize("name", ["a", "kaggle-frogs", "tasks/kaggle-frogs.html", "..a", "a..b", "蛙", " "])
def test_an_ordinary_name_is_joined(name: str) -> None:
    assert below(ROOT, name) == ROOT / name


@given(st.text(max_size=30))
def test_whatever_the_name_the_path_is_below_the_folder_or_there_is_none(name: str) -> None:
    try:
        path = below(ROOT, name)
    except UnsafeNameError:
        return
    assert Path(*path.parts[: len(ROOT.parts)]) == ROOT
    assert ".." not in path.parts
    assert path != ROOT
