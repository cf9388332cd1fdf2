"""HTML to clean Markdown: headings, lists, tables, code, links, formulas; nothing of the page around. Pure.

Characters are not escaped (`sample_submission.csv` stays as printed): the Markdown is for readers, human or
model, and for rules that look for words.
"""

import re
from collections.abc import Iterable, Iterator

from bs4 import BeautifulSoup, Tag
from markdown_it import MarkdownIt
from markdownify import MarkdownConverter

from scrapers.cleaning import ICON_NAMES, clean
from scrapers.formulas import restore_formulas, without_formulas

_BLOCK_TAG = re.compile(
    r"(?i)</?(?:p|div|h[1-6]|ul|ol|li|table|br|section|article|pre|blockquote|center)\b[^<>]*>"
)
_MARKUP_LINE = re.compile(
    r"(?m)^(?:#{1,6}\s|\s{0,3}(?:```|~~~)|\s*(?:[-*+]|\d+\.)\s|[|].*[|]\s*$|(?:={3,}|-{3,})\s*$)"
)
_WHOLE_PAGE = re.compile(r"(?i)<(?:html|head|body)\b")
_LANGUAGE = re.compile(r"^(?:language|lang|highlight-source|brush:?)-?([\w+#-]+)$")
_BOX_LANGUAGE = re.compile(r"^(?:language|highlight-source|highlight)-([\w+#]+)$")
_LANGUAGE_LEVELS = 7
_FENCE = re.compile(r"^[ >]*(`{3,}|~{3,})")
_ORDINAL = re.compile(r"(?i)st|nd|rd|th|tm")
_INVISIBLE = dict.fromkeys(map(ord, "\0\u200b\u200c\u2060\ufeff\u00ad"))


def to_markdown(html: str, *, base_url: str = "", keep_hidden: bool = False) -> str:
    """Clean Markdown of an HTML page or fragment; see `scrapers.cleaning.clean` for the arguments."""
    page = html.translate(_INVISIBLE)
    if not _WHOLE_PAGE.search(page):
        page = f"<body>{page}"  # else a fragment's first elements can become its head
    soup = BeautifulSoup(page, "lxml")
    restore_formulas(soup)
    clean(soup, base_url=base_url, keep_hidden=keep_hidden)
    try:
        markdown = _Converter().convert_soup(soup)
    except RecursionError:  # nested deeper than any author would: its words at least
        markdown = soup.get_text("\n")
    return _tidy(markdown)


def content_to_markdown(content: str, *, base_url: str = "") -> str:
    """Clean Markdown of what an author typed into a form: Markdown, HTML or a mixture of both."""
    if is_html(content):
        return to_markdown(content, base_url=base_url)
    hidden, restored = without_formulas(content.replace("\r\n", "\n"))
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(hidden)
    return restored(to_markdown(html, base_url=base_url))


def is_html(content: str) -> bool:
    """Whether a text is HTML rather than Markdown with some HTML in it."""
    outside_code = re.sub(r"(?s)<pre\b.*?</pre>", "", content).strip()
    return bool(_BLOCK_TAG.match(content.strip())) and not _MARKUP_LINE.search(outside_code)


class _Converter(MarkdownConverter):
    """markdownify with fenced code that cannot break out, safe table cells and readable powers."""

    class Options:
        autolinks = False
        heading_style = "atx"
        bullets = "-"
        escape_asterisks = False
        escape_underscores = False
        table_infer_header = True
        keep_inline_images_in = ("td", "th", "p", "a", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6")

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        del text, parent_tags
        code = el.get_text().strip("\n").rstrip()
        longest = max((len(run) for run in re.findall("`+", code)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"\n\n{fence}{_language(el)}\n{code}\n{fence}\n\n" if code.strip() else ""

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        del parent_tags
        cell = re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
        width = int(str(el.get("colspan") or 1))
        return f" {cell} |" + " |" * (width - 1)

    convert_th = convert_td

    def convert_sup(self, _el: Tag, text: str, parent_tags: set[str]) -> str:
        return _raised("^", text) if "_noformat" not in parent_tags else text

    def convert_sub(self, _el: Tag, text: str, parent_tags: set[str]) -> str:
        return _raised("_", text) if "_noformat" not in parent_tags else text

    def convert_summary(self, _el: Tag, text: str, **_parents: set[str]) -> str:
        return f"\n\n**{text.strip()}**\n\n" if text.strip() else ""


def _raised(mark: str, text: str) -> str:
    text = text.strip()
    if not text or _ORDINAL.fullmatch(text) or text.startswith(("[", "$")):
        return text
    return f"{mark}{text}" if re.fullmatch(r"[\w.+-]+", text) else f"{mark}({text})"


def _language(pre: Tag) -> str:
    near = [pre, *pre.find_all("code"), *list(pre.parents)[:1]]
    names = (str(name) for element in near for name in element.get("class") or ())
    own = next((match.group(1) for name in names if (match := _LANGUAGE.match(name))), "")
    return own or _box_language(pre)


def _box_language(pre: Tag) -> str:
    """Highlighters name the language on a box around their boxes, or around a table of line numbers."""
    for box in list(pre.parents)[:_LANGUAGE_LEVELS]:
        if box.name in {"body", "main", "article", "section", "[document]"}:
            return ""
        for name in box.get("class") or ():
            if match := _BOX_LANGUAGE.match(str(name)):
                return match.group(1)
    return ""


def _tidy(markdown: str) -> str:
    """One blank line at most between blocks, no stray icon names; code is left alone."""
    lines: list[str] = []
    for line, is_code in _with_code(markdown.split("\n")):
        text = line if is_code else _tidy_line(line)
        if is_code or (text.strip() not in ICON_NAMES and (text or (lines and lines[-1]))):
            lines.append(text)
        elif text.strip() in ICON_NAMES:
            _drop_anchor(lines)
    return "\n".join(lines).strip()


def _drop_anchor(lines: list[str]) -> None:
    """Take back the line `link` that stands above an icon's name."""
    above = next((index for index in range(len(lines) - 1, -1, -1) if lines[index]), None)
    if above is not None and lines[above].strip() == "link":
        del lines[above:]


def _with_code(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it belongs to a fenced block."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and line.strip(" >") == mark.group(1) and len(mark.group(1)) >= len(fence):
            fence = ""
        yield line, bool(fence or mark)


def _tidy_line(line: str) -> str:
    text = line.replace("\u00a0", " ")
    return text if text.endswith("  ") and text.strip() else text.rstrip()
