"""What Kaggle's pages draw, as far as it is read: ids, roles and texts, never hashed class names. Pure."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin

from lxml.html import HtmlElement

from core.errors import PageUnreadableError, Reason
from schema.board import BoardKind
from schema.capture import PageKind
from scrapers.boards import claimed_teams
from scrapers.platform import LoadedPage, Section
from scrapers.site_platform import drawn_section
from scrapers.tables import HtmlTable, text_of

_SHORT = 2_000
"""Characters: a page that says more than this is no error page."""
_SECTION_IDS = (
    *("abstract", "description", "evaluation", "timeline", "prizes", "code-requirements", "citation"),
    *("efficiency-prize-evaluation", "frequently-asked-questions"),
)
_OWN_KINDS = {
    "evaluation": PageKind.EVALUATION,
    "timeline": PageKind.TIMELINE,
    "data-description": PageKind.DATA,
    "rules": PageKind.RULES,
}
_COUNT = re.compile(r"[\d,]+ teams?", re.IGNORECASE)
_PRIVATE = re.compile(
    r"private leaderboard is calculated|leaderboard reflects the final standings", re.IGNORECASE
)
_PUBLIC = re.compile(r"final results will be based on the other", re.IGNORECASE)


def raise_if_blocked(page: LoadedPage, root: HtmlElement) -> None:
    """Tell apart what may work at the next try from what is not there.

    Raises:
        PageUnreadableError: a captcha, the application's crash page, too many requests.
    """
    said = error_text(root)
    if root.xpath("//*[contains(@class, 'g-recaptcha')] | //iframe[contains(@src, 'recaptcha')]") and said:
        raise PageUnreadableError(page.url, "the site asks for a captcha", Reason.CAPTCHA)
    if "this page crashed" in said:
        raise PageUnreadableError(page.url, f"the site's crash page ({said[:120]})")
    if "Too many requests" in said:
        raise PageUnreadableError(page.url, "too many requests", Reason.BUSY)
    if "Unable to load this page" in said:
        raise PageUnreadableError(page.url, "the site could not load the page")


def error_text(root: HtmlElement) -> str:
    """What a page without a competition says, where it is short enough to be an error page; else nothing."""
    if root.xpath("//*[@data-testid='competition-detail-render-tid' or @data-testid='list-view']"):
        return ""
    content = next(iter(root.xpath("//*[@id='site-content'] | //body")), root)
    text = " ".join(text_of(content).split())
    return text if len(text) <= _SHORT else ""


def listed(root: HtmlElement, url: str) -> Iterator[tuple[str, str]]:
    """Address and title of each competition in the list; in older layouts, of every link to one."""
    links = root.xpath("//*[@data-testid='list-view']//li//a[@href]")
    for link in links or root.xpath("//a[starts-with(@href, '/c/')]"):
        yield urljoin(url, str(link.get("href"))), str(link.get("aria-label") or text_of(link))


def shown_kind(root: HtmlElement) -> BoardKind:
    """The board that is drawn: by the chosen tab, else by its sentence, else public."""
    chosen = root.xpath("//*[@role='tab' and @aria-selected='true']")
    for text in (text_of(tab).casefold().removesuffix(" leaderboard") for tab in chosen):
        if text in {"public", "private"}:
            return BoardKind(text)
    named = " ".join(text_of(name) for name in root.xpath("//h1[contains(@class, 'page-name')]")).casefold()
    if named in {"public leaderboard", "private leaderboard"}:
        return BoardKind(named.split()[0])
    said = text_of(root)
    return BoardKind.PRIVATE if _PRIVATE.search(said) and not _PUBLIC.search(said) else BoardKind.PUBLIC


def shown_claim(root: HtmlElement, table: HtmlTable) -> int | None:
    """The number of teams beside the board: the nearest above it, else the first on the page."""
    above = list(table.header_cells[0].xpath("preceding::*[not(*)]"))
    leaves = (element for element in root.iter("p", "div", "span", "li") if len(element) == 0)
    texts = ((element.text or "").strip() for element in (*reversed(above), *leaves))
    return next((claimed_teams(text) for text in texts if _COUNT.fullmatch(text)), None)


def shown_title(root: HtmlElement) -> str | None:
    """The heading of a competition's page."""
    path = "//*[@data-testid='competition-detail-render-tid']//h1"
    return next((text_of(heading) for heading in root.xpath(path)), None)


def shown_deadline(root: HtmlElement) -> str | None:
    """The date behind the words of the header ("2 months to go")."""
    found = root.xpath("//*[@data-testid='competition-detail-render-tid']//header//span/@title")
    return next((str(title) for title in found), None)


def shown_metric(table: HtmlTable) -> str | None:
    """The metric, which the table of 2017-21 names in a tooltip of its score column."""
    return next((str(name) for cell in table.header_cells if (name := cell.get("data-tooltip"))), None)


def shown_sections(root: HtmlElement, url: str) -> Iterator[Section]:
    """The sections with the ids that other readers rely on; the overview is all of its sections."""
    drawn = root.xpath("//*[@id='site-content']//*[@id]")
    overview = [element for element in drawn if element.get("id") in _SECTION_IDS]
    if overview:
        yield drawn_section(PageKind.OVERVIEW, overview, url)
    for element in drawn:
        if (kind := _OWN_KINDS.get(element.get("id"))) is not None:
            yield drawn_section(kind, [element], url)
