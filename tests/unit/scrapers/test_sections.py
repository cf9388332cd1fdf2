"""Sections by their headings, and dates as sites write them."""

from datetime import UTC, datetime

import pytest

from schema.capture import PageKind
from scrapers.moments import parse_moment
from scrapers.sections import headed_parts, kind_of_heading, parts_by_kind


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("Evaluation", PageKind.EVALUATION),
        ("📊 **Evaluation Metrics**", PageKind.EVALUATION),
        ("submission-file", None),
        ("Submission Format", PageKind.EVALUATION),
        ("Timeline", PageKind.TIMELINE),
        ("Important dates", PageKind.TIMELINE),
        ("Competition Rules", PageKind.RULES),
        ("Dataset Description", PageKind.DATA),
        ("data_description", PageKind.DATA),
        ("Data", PageKind.DATA),
        ("Files", PageKind.DATA),
        ("评测指标", PageKind.EVALUATION),
        ("赛题数据", PageKind.DATA),
        ("Description", None),
        ("Prizes", None),
        ("Why databases matter", None),
    ],
)
def test_a_heading_says_what_its_section_is_about(title: str, kind: PageKind | None) -> None:
    assert kind_of_heading(title) is kind


def test_subsections_belong_to_their_section_unless_they_say_otherwise() -> None:
    markdown = (
        "intro\n\n## Evaluation\n\nRMSE\n\n### Details\n\nmore\n\n### Timeline\n\nMay\n\n"
        "## Prizes\n\n$5\n\n### Data\n\nx"
    )
    assert parts_by_kind(markdown) == {
        PageKind.EVALUATION: "## Evaluation\n\nRMSE\n\n### Details\n\nmore",
        PageKind.TIMELINE: "### Timeline\n\nMay",
        PageKind.DATA: "### Data\n\nx",
    }


def test_lines_of_code_are_no_headings_and_nothing_is_lost() -> None:
    markdown = "# A\n\n````\n# no\n```\n# no\n````\n\n## B\n\nb"
    parts = headed_parts(markdown)
    assert [(part.level, part.title) for part in parts] == [(1, "A"), (2, "B")]
    assert "\n\n".join(part.text for part in parts) == markdown


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-05T23:59:00.123456789Z", datetime(2024, 3, 5, 23, 59, 0, 123456, UTC)),
        ("2024-03-05T23:59:00+08:00", datetime(2024, 3, 5, 15, 59, tzinfo=UTC)),
        ("2024-03-05 10:00:00", datetime(2024, 3, 5, 10, tzinfo=UTC)),
        ("2019-01-29", datetime(2019, 1, 29, 23, 59, tzinfo=UTC)),
        (
            "Tue Mar 05 2024 23:59:00 GMT+0100 (Central European Time)",
            datetime(2024, 3, 5, 22, 59, tzinfo=UTC),
        ),
        *((text, None) for text in ("2 months to go", "None", "2024-13-01", "", None)),
    ],
)
def test_moments_are_aware_and_what_is_relative_is_unknown(text: str | None, moment: datetime | None) -> None:
    assert parse_moment(text) == moment
