"""The pages of a report: complete, small, linked to each other, and without anything that loads."""

import json
import re
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from report.rendering import POLICY, PageFile
from report.site import page_count, pages
from report.task_list import chunks
from report.words import score
from tests.report_samples import ATTACK, sample_report, sample_task

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def site() -> dict[str, str]:
    return {page.path: page.text for page in pages(sample_report())}


def soups(site: dict[str, str]) -> list[tuple[str, BeautifulSoup]]:
    return [(path, BeautifulSoup(text, "lxml")) for path, text in site.items() if path.endswith(".html")]


def test_it_has_as_many_files_as_it_says(site: dict[str, str]) -> None:
    assert len(site) == page_count(sample_report())


def test_every_link_leads_to_a_file_of_the_report(site: dict[str, str]) -> None:
    for path, soup in soups(site):
        for element in soup.select("a[href], link[href], script[src]"):
            target = str(element.get("href") or element.get("src"))
            if target.startswith(("#", "data:")):
                continue
            place = (Path("/") / path).parent / target.partition("#")[0]
            assert str(Path(*place.parts[1:])).replace("runs/../", "").replace("tasks/../", "") in site


def test_every_page_may_load_its_own_files_only(site: dict[str, str]) -> None:
    for _, soup in soups(site):
        policy = soup.select_one('meta[http-equiv="Content-Security-Policy"]')
        assert policy is not None
        assert policy["content"] == POLICY
        assert not soup.select("script:not([src]), style, iframe, img, object, [style], [onerror], [onclick]")


def test_strangers_text_is_shown_and_not_obeyed(site: dict[str, str]) -> None:
    shown = ATTACK.replace("\u202e", "\N{REPLACEMENT CHARACTER}")
    told = [path for path, soup in soups(site) if shown in soup.get_text()]
    assert {"changes.html", "runs.html", "tasks/kaggle-rose-garden-0000.html"} <= set(told)
    for text in site.values():
        assert "<img" not in text
        assert "<script>" not in text
        assert "\u202e" not in text


def test_every_page_has_one_heading_one_main_and_a_skip_link(site: dict[str, str]) -> None:
    for _, soup in soups(site):
        assert len(soup.select("h1")) == 1
        assert len(soup.select("main#content")) == 1
        assert soup.select_one("a.skip[href='#content']") is not None
        assert all(
            table.select("th[scope=col]") for table in soup.select("main table:not(.description table)")
        )


def test_the_first_page_answers_the_four_questions(site: dict[str, str]) -> None:
    text = " ".join(BeautifulSoup(site["index.html"], "lxml").get_text().split())
    kept = len(sample_report().kept)
    assert f"30 competitions read, {kept} tasks kept. thorough wins." in text
    assert f"{kept} of 30 pass screening" in text
    assert "10 tasks won, 3 tied, 5 lost" in text


def test_unfilled_cells_of_a_subset_are_named(site: dict[str, str]) -> None:
    text = BeautifulSoup(site["subsets.html"], "lxml").get_text()
    cut = sample_report().subsets[0]
    assert cut.unfilled
    for modality, level, _ in cut.unfilled:
        assert f"{modality} {level} (0 of 1)" in text


def test_an_empty_lake_has_a_report_too() -> None:
    empty = sample_report(0)
    for page in pages(empty):
        assert page.text


def test_the_data_of_the_list_are_plain_json() -> None:
    (text,) = chunks([sample_task(number) for number in range(20)])
    rows = json.loads("[" + re.sub(r"^.*?push\(|\);\s*$", "", text, flags=re.DOTALL) + "]")
    assert len(rows) == 20
    assert text.isascii()
    assert "<" not in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.0, "0"), (0.123456, "0.12346"), (1e-9, "1e-09"), (123456789.0, "1.235e+08")],
)
def test_scores_are_written_short(value: float | None, shown: str) -> None:
    assert score(value) == shown


@pytest.mark.long
def test_five_thousand_tasks_make_no_page_over_a_megabyte() -> None:
    report = sample_report(5000, 1500)
    started = time.process_time()
    sizes = {page.path: _size(page) for page in pages(report)}
    seconds = time.process_time() - started
    assert len(sizes) > 5000
    assert max(sizes.values()) < MEGABYTE
    listing = sum(size for path, size in sizes.items() if path.startswith(("data/", "static/", "tasks.html")))
    assert listing < MEGABYTE
    assert seconds < 300  # of the processor


def _size(page: PageFile) -> int:
    return len(page.text.encode())
