"""README and guides: what can be checked without running anything."""

import re
import shlex

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup

from tam.cli import app
from tests.docs.blocks import GUIDES, ROOT, Block, blocks_of, commands_of, pages

LANGUAGES = {"sh", "text", "python", "json", "toml", "csv", "yaml", "ini"}
MOST_NOT_RUN = 12
"""Blocks that need the network, a real site or minutes of the whole machine."""
ALL = [block for page in pages() for block in commands_of(page)]
ROOT_COMMAND = typer.main.get_command(app)


def test_the_guides_are_there_and_readme_leads_to_each() -> None:
    assert all(page.is_file() for page in pages())
    readme = (ROOT / "README.md").read_text("utf-8")
    assert all(f"docs/{name}.md" in readme for name in GUIDES)
    assert len(readme.splitlines()) <= 135


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_every_block_has_a_language(page: object) -> None:
    assert {block.language for block in blocks_of(page)} <= LANGUAGES  # type: ignore[arg-type]


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    left_out = [block for block in ALL if block.reason is not None]
    assert all(len(block.reason or "") > 10 for block in left_out)
    assert len(left_out) <= MOST_NOT_RUN
    assert len(ALL) - len(left_out) >= 3 * len(left_out)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.stem
)
def test_links_lead_somewhere(page: object) -> None:
    text = page.read_text("utf-8")  # type: ignore[attr-defined]
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    missing = [link for link in links if not (page.parent / link).exists()]  # type: ignore[attr-defined]
    assert not missing


def calls_of(block: Block) -> list[list[str]]:
    """The words of every call of `tam` in a block, with a call inside another command too."""
    text = re.sub(r"\\\n", " ", block.text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();|&<>\n")
    lexer.whitespace = " \t"
    lexer.whitespace_split = True
    found: list[list[str]] = []
    words: list[str] | None = None
    for word in lexer:
        if set(word) <= set("();|&<>\n"):
            words = None
        elif word == "tam":
            words = []
            found.append(words)
        elif words is not None:
            words.append(word)
    return found


def options_of(words: list[str]) -> tuple[str, set[str]]:
    """The command that the words call, and the options that it does not have."""
    command: object = ROOT_COMMAND
    path = []
    rest = list(words)
    while isinstance(command, TyperGroup) and rest and rest[0] in command.commands:
        path.append(rest.pop(0))
        command = command.commands[path[-1]]
    assert isinstance(command, TyperCommand) or "--help" in rest, f"no command: tam {' '.join(words)}"
    known = {option for parameter in getattr(command, "params", ()) for option in parameter.opts} | {"--help"}
    given = {word.partition("=")[0] for word in rest if word.startswith("--")}
    return " ".join(path), given - known


@pytest.mark.parametrize("block", ALL, ids=lambda block: f"{block.page.rpartition('/')[2]}-{block.line}")
def test_every_command_and_option_exists_also_where_nothing_is_run(block: Block) -> None:
    unknown = {path: options for path, options in map(options_of, calls_of(block)) if options}
    assert not unknown


def test_an_unknown_command_or_option_would_be_found() -> None:
    block = Block(
        "x", 1, "sh", "A=1 tam crawl x --base 1 | tam sql 'FROM tasks' --examples && tam lint\n", None
    )
    calls = calls_of(block)
    assert [call[0] for call in calls] == ["crawl", "sql", "lint"]
    assert options_of(calls[0]) == ("crawl", {"--base"})
    assert options_of(calls[1]) == ("sql", set())
    with pytest.raises(AssertionError, match="no command: tam lint"):
        options_of(calls[2])
