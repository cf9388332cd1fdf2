from pathlib import Path

import pytest

from core.errors import BrowserError
from scrapers.chromium import environment, find_chromium


def test_the_chosen_chromium_wins_and_must_exist(tmp_path: Path) -> None:
    chosen = tmp_path / "chromium"
    chosen.touch()
    assert find_chromium(chosen, "/other") == chosen
    with pytest.raises(BrowserError, match="TAM_CHROMIUM"):
        find_chromium(tmp_path / "absent", "/other")


def test_without_a_choice_it_is_playwrights_own_and_then_one_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, system = tmp_path / "own", tmp_path / "chromium"
    for file in (own, system):
        file.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium(None, str(own)) == own
    assert find_chromium(None, str(tmp_path / "absent")) == system
    system.unlink()
    with pytest.raises(BrowserError, match="playwright install chromium"):
        find_chromium(None, "")


def test_chromium_inherits_no_proxy_no_key_and_no_home() -> None:
    secrets = ("HTTPS_PROXY", "no_proxy", "TAM_LLM_API_KEY", "GH_TOKEN", "DATABASE_URL", "PGPASSWORD", "HOME")
    inherited = {"PATH": "/bin", "LANG": "C", "LC_ALL": "C", **dict.fromkeys(secrets, "x")}
    assert environment(Path("/run"), inherited) == {
        "PATH": "/bin",
        "LANG": "C",
        "LC_ALL": "C",
        "HOME": "/run",
        "TMPDIR": "/run",
    }
