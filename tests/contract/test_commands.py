"""One rule over all commands of the command line."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup

from tam.cli import app

HEAVY = (
    "prefect",
    "browser_use",
    "langchain_openai",
    "playwright",
    "deltalake",
    "duckdb",
    "numpy",
)


def commands(group: TyperGroup, path: tuple[str, ...] = ()) -> Iterator[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))
        elif isinstance(command, TyperCommand):
            yield " ".join((*path, name)), command


ROOT = typer.main.get_command(app)
assert isinstance(ROOT, TyperGroup)
ALL = dict(commands(ROOT))
PUBLIC = {
    *(
        "demo",
        "doctor",
        "replica serve",
        "crawl",
        "changes",
        "build",
        "build-subset",
        "prepare",
        "validate",
        "grade",
        "status",
    ),
    *("rank", "evaluate", "sql", "release create", "release list", "release show", "release diff"),
}
"""Names that scripts and users rely on."""
SHOWS_RESULTS = PUBLIC - {"demo", "replica serve", "evaluate", "sql"}
"""Those that print a result which is not JSON or a chosen format already."""


def test_the_public_commands_are_there() -> None:
    assert set(ALL) >= PUBLIC


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_command_shows_an_example_in_its_help(name: str) -> None:
    assert f"tam {name}" in (ALL[name].help or "")


@pytest.mark.parametrize("name", sorted(SHOWS_RESULTS))
def test_every_result_can_be_had_as_json(name: str) -> None:
    assert "--json" in {option for parameter in ALL[name].params for option in parameter.opts}


@pytest.mark.parametrize("arguments", [["--help"], ["crawl", "--help"], ["sql", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom tam.cli import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit: pass\n"
        f"print('loaded:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1].split() == ["loaded:"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["crawl", "--base-url", "kaggle"], 2, "PLATFORM=URL"),
        (["crawl", "nowhere", "--direct"], 2, "Known: aicrowd, biendata, "),
        (["crawl", "kaggle", "--direct"], 1, "TAM_ALLOW_BROWSER"),
        (["crawl", "--limit", "0"], 2, "--limit"),
        (["build-subset", "tiny"], 2, "tiny"),
        (["build-subset", "lite"], 1, "tam crawl"),
        (["grade", "no-such-run"], 2, "tam build-subset"),
        (["sql", "SELECT 1"], 1, "tam crawl"),
        (["changes"], 1, "tam crawl"),
    ],
)
def test_wrong_use_is_told_without_a_traceback(
    arguments: list[str], code: int, said: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lake = tmp_path_factory.mktemp("place") / "lake"
    command = [sys.executable, "-m", "tam", *arguments, "--lake", str(lake)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == code
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr
    assert not lake.exists() or not any(lake.glob("tables/boards"))
