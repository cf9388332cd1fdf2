"""What constraints ask for by name, and how code does it: rows of `subjects.toml`."""

import tomllib
from dataclasses import dataclass
from importlib import resources

NETWORKS = "torch tensorflow keras jax flax transformers fastai timm ultralytics"


@dataclass(frozen=True, slots=True)
class Subject:
    """A library, a kind of model, a step or a setting."""

    name: str
    words: str
    """How constraints name it."""
    calls: str = ""
    """Called names that do it; matched against the whole dotted name, or any part of it."""
    keywords: str = ""
    """Arguments that do it, or hold its number."""
    places: str = ""
    """`Call@1:name`: the number is that call's positional argument, or its keyword."""
    about: str = ""
    """Words beside it that ask for nothing more."""
    alone: bool = False
    """Nobody writes it by hand: without such a call it is not done."""
    validates: bool = False
    """It is done for a figure that is printed: it need not reach what the program writes."""
    modules: str = ""
    """Modules whose import is a violation where it is forbidden."""
    learns: bool = False
    """A library that trains models."""
    needs: str = ""
    """Words that the clause must have somewhere."""
    rivals: str = ""
    """Calls of something else in its place."""


def _rows(group: str) -> tuple[Subject, ...]:
    return tuple(Subject(**row) for row in _TABLE[group])


def _libraries() -> tuple[Subject, ...]:
    """A library is used by any call into its modules; nobody writes it by hand."""
    about = "network neural built trees gradient boosting"
    return tuple(
        Subject(**{"calls": rf"{row['modules']}\..+", "about": about, "alone": True} | row)
        for row in _TABLE["libraries"]
    )


_TABLE = tomllib.loads(resources.files(__package__).joinpath("subjects.toml").read_text("utf-8"))
SETTINGS, MODELS, TECHNIQUES = _rows("settings"), _rows("models"), _rows("techniques")
LIBRARIES = _libraries()
