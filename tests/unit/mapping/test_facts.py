"""Deadline, license and participants from the words of the pages."""

from datetime import UTC, datetime

import pytest

from mapping.rules.document import Document
from mapping.rules.facts import read_deadline, read_license, read_participants
from schema.capture import PageKind
from schema.page import Page


def document(text: str) -> Document:
    return Document([Page(PageKind.OVERVIEW, "", text)])


@pytest.mark.parametrize(
    ("timeline", "deadline"),
    [
        (
            "- March 1, 2024 - Start Date.\n- May 6, 2024 - Final Submission Deadline.",
            datetime(2024, 5, 6, tzinfo=UTC),
        ),
        (
            "- 6 May 2024: final submission deadline.\n\nAll deadlines are at 11:59 PM UTC on that day.",
            datetime(2024, 5, 6, 23, 59, tzinfo=UTC),
        ),
        (
            "The competition will conclude **July 8, 2023** at 11:59 PM UTC.",
            datetime(2023, 7, 8, 23, 59, tzinfo=UTC),
        ),
        (
            "- 2024-01-02 - Launch\n- 2024-03-04 - Team Merger\n- 2024-03-11 - Close",
            datetime(2024, 3, 11, tzinfo=UTC),
        ),
        ("July 3, 2023: start. October 30, 2023, 12:00 UTC: end.", datetime(2023, 10, 30, 12, tzinfo=UTC)),
        ("May 6, 2024 to August 26, 2024, 12:00 UTC.", datetime(2024, 8, 26, 12, tzinfo=UTC)),
        ("Start: 2 May 2023; end: 1st of September 2023", datetime(2023, 9, 1, tzinfo=UTC)),
        ("Entry deadline: May 1, 2024\n\nSubmission deadline: May 8, 2024", datetime(2024, 5, 8, tzinfo=UTC)),
    ],
)
def test_the_closing_day_is_read_from_the_timeline(timeline: str, deadline: datetime) -> None:
    found = read_deadline(document(f"## Timeline\n\n{timeline}\n"))
    assert found is not None
    assert found.value == deadline


@pytest.mark.parametrize(
    "timeline",
    [
        "- March 1, 2024 - Start Date.",
        "Entry deadline: June 1, 2024",
        "Closes in two months.",
        "Winners on May 1, 2024",
    ],
)
def test_other_dates_are_not_taken_for_the_deadline(timeline: str) -> None:
    assert read_deadline(document(f"## Timeline\n\n{timeline}\n")) is None


@pytest.mark.parametrize(
    ("text", "license_name"),
    [
        ("## License\n\nCC BY-SA 4.0", "CC BY-SA 4.0"),
        ("## Data\n\nThe data is released under the CC0 1.0 license.", "CC0 1.0"),
        ("## Data\n\nLicensed under Apache 2.0.", "Apache 2.0"),
        ("## Data\n\nThe MIT group measured it.", None),
        ("## Data\n\nNo word of it.", None),
    ],
)
def test_a_license_needs_words_about_licensing(text: str, license_name: str | None) -> None:
    found = read_license(document(text))
    assert (found.value if found else None) == license_name


def test_participants_are_a_count_on_a_line_of_its_own() -> None:
    assert read_participants(document("Teams of 3 participants may join.")) is None
    found = read_participants(document("2,680 Entrants\n738 Participants\n716 Teams\n"))
    assert found is not None
    assert found.value == 716
