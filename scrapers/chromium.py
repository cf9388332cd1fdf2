"""Where Chromium is and how it is started: quiet, without dialogs, bound to the allowed hosts."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from tam.errors import BrowserError

INIT_SCRIPT = """
window.alert = () => {}; window.confirm = () => false; window.prompt = () => null; window.print = () => {};
window.onbeforeunload = null;
for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport'])
  try { Object.defineProperty(window, name, {value: undefined}); } catch (e) {}
"""
"""Dialogs would hang the agent; peer connections would pass the host rule."""

_FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--remote-debugging-port=0",
)
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


def sandboxed() -> bool:
    """Chromium's sandbox is off only for root, where it cannot start."""
    return not (hasattr(os, "geteuid") and os.geteuid() == 0)


def environment(folder: Path, inherited: Mapping[str, str]) -> dict[str, str | float | bool]:
    """Chromium's environment: the inherited one without proxies and keys, and `folder` for temporary files.

    A proxy would resolve names itself and so undo the host rule.
    """
    hidden = ("_proxy", "_key", "_token", "_secret", "_password")
    kept = {name: value for name, value in inherited.items() if not name.lower().endswith(hidden)}
    return {**kept, "TMPDIR": str(folder)}
