"""Cutting an overview loses no word, keeps the order and cuts where the sites have their pages."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.markup import to_html
from demo.sections import split_sections

_SHARED = Path(__file__).parents[3] / "../shared/data/competitions"


def _words(markdown: str) -> list[str]:
    return re.findall(r"\w+", markdown)


def _said(markdown: str) -> list[str]:
    return [
        word for section in split_sections(markdown) for word in _words(f"{section.title} {section.markdown}")
    ]


@pytest.mark.parametrize(
    ("markdown", "titles"),
    [
        (
            "# Overview\n\n## Description\na\n### Background\nb\n## Evaluation\nc",
            ["Overview", "Description", "Evaluation"],
        ),
        (
            "intro\n\n### Description\na\n\n### **Evaluation**\nb\n#### Submission File\nc",
            ["", "Description", "Evaluation"],
        ),
        ("## Evaluation\na\n### Timeline\nb", ["Evaluation", "Timeline"]),
        ("# Aims\na\n## Detail\nb\n# Scoring\nc", ["Aims", "Scoring"]),
        ("Description\nwords\n\nEvaluation\n\nmore", ["Description", "Evaluation"]),
        ("Evaluation\n==========\nwords", ["Evaluation"]),
        ("```\n# Evaluation\n```\n", [""]),
        ("> ## Evaluation\n\nwords", [""]),
        ("only words", [""]),
        ("", []),
    ],
)
def test_cuts_stand_where_the_usual_headings_do(markdown: str, titles: list[str]) -> None:
    assert [section.title for section in split_sections(markdown)] == titles


_LINES = [
    *("# One", "## Evaluation", "### Timeline", "#### Deep *x*", "Prizes", "", "```", "- item", "> # quoted"),
    *("---", "    # code", "two\vlines", "<b>html</b>", "1. first", "[1]: http://x.test", "text a_b"),
]


@given(st.lists(st.sampled_from(_LINES), max_size=14))
def test_no_word_is_lost_and_the_order_is_kept(lines: list[str]) -> None:
    markdown = "\n".join(lines)
    assert _said(markdown) == _words(markdown)


@pytest.mark.skipif(not _SHARED.is_dir(), reason="the shared competitions are not here")
def test_no_word_of_a_real_overview_is_lost() -> None:
    overviews = [path.read_text(encoding="utf-8-sig") for path in _SHARED.glob("*/*/overview.md")]
    assert overviews
    for overview in overviews:
        assert sorted(_said(overview)) == sorted(_words(overview))


def test_link_definitions_hold_in_every_section() -> None:
    first = split_sections("## Description\nsee [this][1]\n## Evaluation\nb\n\n[1]: http://x.test/page\n")[0]
    assert 'href="http://x.test/page"' in first.html


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        (r"$\frac{a_1}{b_1} * c * \{d\}$", r"$\frac{a_1}{b_1} * c * \{d\}$"),
        (r"$$x_i \\ y_i$$", r"$$x_i \\ y_i$$"),
        ("wins $5 and *not* $6", "wins $5 and <em>not</em> $6"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "<td>2</td>"),
    ],
)
def test_markdown_is_data(markdown: str, shown: str) -> None:
    assert shown in to_html(markdown)
