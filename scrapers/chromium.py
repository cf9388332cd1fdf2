"""Where Chromium is and how it is started: quiet, without dialogs, bound to the allowed hosts."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Error, async_playwright

from core.errors import BrowserError

INIT_SCRIPT = """
window.alert = () => {}; window.confirm = () => false; window.prompt = () => null; window.print = () => {};
window.open = () => null; window.onbeforeunload = null;
addEventListener('beforeunload', event => event.stopImmediatePropagation(), true);
HTMLFormElement.prototype.submit = HTMLFormElement.prototype.requestSubmit = () => {};
addEventListener('submit', event => { if (event.target.method === 'post') event.preventDefault(); }, true);
addEventListener('click', event => {
  for (const one of event.composedPath()) if (one.target) one.removeAttribute('target');
}, true);
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
  try { Object.defineProperty(window, name, {value: undefined}); } catch (e) {}
"""
"""Dialogs would hang the agent; peer connections would pass the host rule. Nothing is sent by a form, and all
that is opened, is opened in the one tab. A page can undo this: the boundary is the host rule, not this."""

_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--remote-debugging-port=0",
)
_PREFERENCES = {"alternate_error_pages": {"enabled": False}, "net": {"network_prediction_options": 2}}
"""Else Chromium asks public resolvers, after a failed navigation, whether name or network is at fault."""
_KEPT = frozenset({"PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DISPLAY", "WAYLAND_DISPLAY"})
_KEPT_PREFIXES = ("LC_", "FONTCONFIG_", "XDG_RUNTIME_", "CHROME_DEVEL_SANDBOX")
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium(chosen: Path | None, playwrights_own: str) -> Path:
    """The Chromium to start: `chosen`, else Playwright's own where installed, else one on the PATH.

    Raises:
        BrowserError: there is none; the message says how to get one.
    """
    if chosen is not None:
        if not chosen.is_file():
            raise BrowserError(f"TAM_CHROMIUM is {chosen}, and there is no such file")
        return chosen
    if playwrights_own and Path(playwrights_own).is_file():
        return Path(playwrights_own)
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise BrowserError(
            "no Chromium is installed; run `playwright install chromium` or install your system's `chromium`"
        )
    return Path(found)


def flags(resolver_rules: str) -> list[str]:
    """What one Chromium is started with, beside Playwright's own flags."""
    return [*_FLAGS, f"--host-resolver-rules={resolver_rules}"]


def write_preferences(profile: Path) -> None:
    """What only a profile can tell Chromium, before it starts there."""
    folder = profile / "Default"
    folder.mkdir(parents=True)
    (folder / "Preferences").write_text(json.dumps(_PREFERENCES))


def sandboxed() -> bool:
    """Chromium's sandbox is off only for root, where it cannot start."""
    return not (hasattr(os, "geteuid") and os.geteuid() == 0)


def environment(folder: Path, inherited: Mapping[str, str]) -> dict[str, str | float | bool]:
    """Chromium's environment: of the inherited one what a program needs to run, and `folder` as its home.

    So it sees no key, no certificate of the user's and no proxy, which would resolve names itself and so undo
    the host rule.
    """
    kept = {
        name: value for name, value in inherited.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    return {**kept, "HOME": str(folder), "TMPDIR": str(folder)}


async def chromium_version(chosen: Path | None) -> tuple[Path, str]:
    """Start the Chromium that a crawl would use, and end it: its path and version.

    Raises:
        BrowserError: there is none, or it does not start.
    """
    async with async_playwright() as playwright:
        path = find_chromium(chosen, playwright.chromium.executable_path)
        try:
            browser = await playwright.chromium.launch(executable_path=path, args=flags("MAP * ~NOTFOUND"))
        except Error as error:
            raise BrowserError(f"{path} does not start ({error.message.splitlines()[0]})") from error
        try:
            return path, browser.version
        finally:
            await browser.close()
