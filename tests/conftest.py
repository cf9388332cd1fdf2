"""What several kinds of tests need."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def real_competitions() -> Path:
    """A content folder of real competitions, where the checkout has one beside it."""
    folder = SHARED / "data" / "competitions"
    if not folder.is_dir():
        pytest.skip("no folder of real competitions lies beside the checkout")
    return folder
