"""A server that speaks S3's protocol (moto), in memory, with a bucket; or the real one at `TAM_TEST_S3`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import boto3
import pytest

BUCKET = "tam-test"
_SERVER = """
import logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%s" % server.get_host_and_port(), flush=True)
sys.stdin.read()
server.stop()
"""


@contextmanager
def running() -> Iterator[str]:
    """The server's address."""
    if given := os.environ.get("TAM_TEST_S3"):
        yield given
        return
    # In a process of its own: delta-rs asks without letting go of Python's lock.
    server = subprocess.Popen([sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout is not None
    yield server.stdout.readline().decode().strip()
    server.communicate()  # it ends with its input


def use(endpoint: str, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Put the server's address and keys into the environment; mirrors lie in `cache`."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, os.environ.get(name, "testing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    client = boto3.client("s3")
    if BUCKET not in {bucket["Name"] for bucket in client.list_buckets()["Buckets"]}:
        client.create_bucket(Bucket=BUCKET)
