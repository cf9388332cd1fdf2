"""Chance that is the same on every machine and in every run."""

import hashlib

import numpy as np
from numpy.random import Generator


def generator(slug: str, purpose: str) -> Generator:
    """A random generator that depends on nothing but the competition and what it is for."""
    return np.random.default_rng(
        int.from_bytes(hashlib.sha256(f"{slug}/{purpose}".encode()).digest()[:8], "big")
    )
