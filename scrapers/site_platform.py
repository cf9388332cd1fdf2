"""What the platforms of `scrapers/platforms/` share: addresses, lists, sections, boards. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urljoin, urlsplit

from lxml import html as lxml_html
from lxml.html import HtmlElement

from schema.board import Board, BoardKind, BoardRow, BoardSource
from schema.capture import PageKind
from schema.competition import CompetitionRef, is_slug
from schema.metric import Direction
from scrapers.markdown import content_to_markdown, is_html, to_markdown
from scrapers.moments import parse_moment
from scrapers.platform import Growth, LoadedPage, Section, Visit
from scrapers.sections import parts_by_kind
from scrapers.tables import parse_html, text_of

BOTH_KINDS = (BoardKind.PRIVATE, BoardKind.PUBLIC)


class SitePlatform:
    """A platform with addresses of its own: the parts that do not differ from site to site.

    A platform states its names, says in `address` where a competition is, and reads its own pages.
    """

    name: str
    title: str
    home: str
    terms_url: str
    official_api: str | None = None
    own_hosts: tuple[str, ...] = ()
    """Hosts of the real site that load from each other."""

    def hosts(self, base_url: str) -> tuple[str, ...]:
        """The site itself; its scripts and data come from the same host, or from one of its own hosts."""
        host = urlsplit(base_url).hostname or ""
        return tuple(dict.fromkeys((host, *self.own_hosts))) if host in self.own_hosts else (host,)

    def address(self, slug: str) -> str:
        """The path at which the competition `slug` is found."""
        raise NotImplementedError

    def identity(self, page: LoadedPage) -> str | None:
        """The slug that the page's own content or URL names."""
        raise NotImplementedError

    def growth(self, kind: BoardKind) -> Growth | None:
        """All rows are there at once."""
        del kind
        return None

    def further(self, page: LoadedPage) -> tuple[Visit, ...]:
        """Nothing: the route names all."""
        del page
        return ()

    def references(
        self, found: Iterable[tuple[str | None, str | None, str | None]], base_url: str
    ) -> tuple[CompetitionRef, ...]:
        """One reference per slug, in the list's order, with the first title; what is no slug is left out.

        Args:
            found: slug, title and deadline as the list has them.
            base_url: where the platform is served.
        """
        root = base_url.rstrip("/")
        refs: dict[str, CompetitionRef] = {}
        for slug, title, deadline in found:
            if slug is None or not is_slug(slug):
                continue
            known = refs.get(slug)
            url, text = f"{root}{self.address(slug)}", (known.title if known else None) or title or None
            refs[slug] = CompetitionRef(self.name, slug, url, text, parse_moment(deadline))
        return tuple(refs.values())

    def board(
        self,
        page: LoadedPage,
        kind: BoardKind,
        rows: Sequence[BoardRow],
        claimed: int | None,
        *,
        source: BoardSource = BoardSource.DOM,
        metric_name: str | None = None,
        direction: Direction | None = None,
        track: str | None = None,
    ) -> Board | None:
        """The board that this page holds; None where the page does not say whose it is."""
        slug = self.identity(page)
        if slug is None:
            return None
        return Board(
            self.name,
            slug,
            kind,
            page.url,
            page.fetched_at,
            source,
            tuple(rows),
            claimed,
            metric_name,
            direction,
            track,
        )


def links_on(page: LoadedPage) -> Iterator[tuple[str, str]]:
    """Absolute address and text of every link of a page."""
    for link in parse_html(page.html).xpath("//a[@href]"):
        yield urljoin(page.url, link.get("href")), text_of(link)


def drawn_section(
    kind: PageKind, elements: Iterable[HtmlElement], url: str, *, keep_hidden: bool = False
) -> Section:
    """Elements of a page as one section."""
    html = "\n".join(lxml_html.tostring(part, encoding="unicode", with_tail=False) for part in elements)
    return Section(kind, to_markdown(html, base_url=url, keep_hidden=keep_hidden), html.encode())


def written_section(kind: PageKind, texts: Sequence[tuple[str, str | None]], url: str) -> Section:
    """Texts that the organisers have written, Markdown or HTML, each below its title."""
    parts: list[str] = []
    for title, content in texts:
        parts += [f"## {title}", content_to_markdown(content or "", base_url=url)]
    raw = "\n\n".join(content or "" for _, content in texts)
    media = "text/html" if is_html(raw) else "text/markdown"
    return Section(kind, "\n\n".join(filter(None, parts)), raw.encode(), media)


def with_parts(
    sections: Mapping[PageKind, Section], below: str | None = None, without: frozenset[PageKind] = frozenset()
) -> tuple[Section, ...]:
    """The sections that say something, and the parts of the overview that have a heading of their own.

    Args:
        sections: by kind; a section's own text wins over a part of the overview.
        below: the overview's text as its parts are looked for; None: all of it.
        without: kinds of parts that another page tells.
    """
    found = {kind: section for kind, section in sections.items() if section.markdown}
    if overview := found.get(PageKind.OVERVIEW):
        for kind, text in parts_by_kind(overview.markdown if below is None else below).items():
            if kind not in without:
                found.setdefault(kind, replace(overview, kind=kind, markdown=text))
    return tuple(found.values())
