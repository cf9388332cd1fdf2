"""What several kinds of tests need."""

import os
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "tam", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tam")
# Time decides no verdict: what a busy machine takes ten times as long for still passes.
os.environ.setdefault("TAM_COMPETITION_TIMEOUT", "3600")
os.environ.setdefault("TAM_PAGE_TIMEOUT", "200")
# A flow without one of our servers fails at once, in place of waiting for a server of Prefect's own.
os.environ.setdefault("PREFECT_SERVER_ALLOW_EPHEMERAL_MODE", "false")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def real_competitions() -> Path:
    """A content folder of real competitions, where the checkout has one beside it."""
    folder = SHARED / "data" / "competitions"
    if not folder.is_dir():
        pytest.skip("no folder of real competitions lies beside the checkout")
    return folder
