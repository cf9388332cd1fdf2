"""One Chromium for the tests of a file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from scrapers.chromium import find_chromium, sandboxed


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium
        program = find_chromium(None, chromium.executable_path)
        with chromium.launch(executable_path=program, chromium_sandbox=sandboxed()) as started:
            yield started
