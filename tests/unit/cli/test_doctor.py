"""`tam doctor` says what is configured, and no secret of it."""

import json

import pytest
from typer.testing import CliRunner

from core.text import without_secrets
from tam.cli import app

SECRET = "s3cr3t"  # noqa: S105  # made up
ADDRESSES = (
    f"http://me:{SECRET}@127.0.0.1:9/v1",
    f"http://127.0.0.1:9/v1?api-key={SECRET}",
    f"http://me:/{SECRET}?@127.0.0.1:9/v1",
    f"me:{SECRET}@127.0.0.1:9/v1",
    f"http://me:{SECRET}@[::1:9/v1",
    f"http://me:{SECRET}@127.0.0.1:port/v1",
)


@pytest.mark.parametrize(
    "address",
    [
        *ADDRESSES,
        f"http://{SECRET}@127.0.0.1:9/v1",
        f"http://127.0.0.1:9/v1#{SECRET}",
        f"http://a:b://{SECRET}@host",
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str) -> None:
    assert SECRET not in without_secrets(address)


def test_an_address_without_secrets_is_shown_as_it_is() -> None:
    assert without_secrets("https://api.example/v1") == "https://api.example/v1"
    assert without_secrets("https://me:x@api.example/v1?key=y") == "https://api.example/v1"


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_doctor_prints_no_secret(address: str) -> None:
    environment = {"TAM_LLM_BASE_URL": address, "TAM_LLM_MODEL": "m", "TAM_LLM_API_KEY": SECRET}
    ended = CliRunner().invoke(app, ["doctor", "--json"], env=environment)
    assert SECRET not in ended.output
    [llm] = [check for check in json.loads(ended.stdout) if check["name"] == "LLM"]
    assert llm["health"] == "fault"
    assert llm["found"].startswith("m at ")
