"""Programs of our own in processes of their own: what handles foreign input there inherits no secret."""

import os
import subprocess
import sys
from typing import Any

_INHERITED = frozenset({"HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "SYSTEMROOT", "TZ"})


def start_child(module: str, environment: dict[str, str], **options: Any) -> "subprocess.Popen[Any]":  # noqa: ANN401
    """Start `python -m module` with pipes for input and output.

    Args:
        module: of ours.
        environment: beside the few variables that it inherits.
        options: further ones of `subprocess.Popen`.
    """
    inherited = {name: value for name, value in os.environ.items() if name in _INHERITED}
    inherited |= {
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # the others reserve far more than they use
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    return subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=inherited | environment,
        **options,
    )
