"""Formulas as the author wrote them: TeX between dollar signs, whatever a page has made of it. Pure."""

import re
from collections.abc import Callable

from bs4 import BeautifulSoup, NavigableString, Tag

_DRAWN = (
    ".MathJax_Preview, .MathJax:not(mjx-container), .MathJax_Display, .MathJax_SVG, .MathJax_CHTML,"
    ".MathJax_Error"
)
_CONTAINERS = ".katex-display, .katex, .katex-error, mjx-container, math"
_KATEX = ("katex", "katex-display")
_TEX_LIKE = re.compile(r"[\\_^=]")
_MARKED = re.compile(
    r"\$\$.{1,4000}?\$\$"
    r"|(?<![\\$\w])\$(?=[^\s$])[^$\n]{1,400}?(?<=[^\s\\])\$(?![\w$])"
    r"|\\{1,2}\[.{1,4000}?\\{1,2}\]"
    r"|\\{1,2}\([^\n]{1,400}?\\{1,2}\)",
    re.DOTALL,
)
_HIDDEN = re.compile("\ue000(\\d+)\ue001")


def restore_formulas(soup: BeautifulSoup) -> None:
    """Put the TeX source in the place of what MathJax, KaTeX or MathML have drawn."""
    _restore_mathjax(soup)
    for element in soup.select(_CONTAINERS):
        inside = element.find_parent(["mjx-container", "math"]) or element.find_parent(class_=_KATEX)
        if inside is None:
            element.replace_with(_written(_source(element), display=_is_display(element)))
    for image in soup.select("img[src*='latex'], img.latex, img.tex, img.mwe-math-fallback-image-inline"):
        if image.get("alt"):
            image.replace_with(_written(str(image["alt"]), display=False))
    for text in soup.find_all(string=re.compile(r"\\[(\[]")):
        if text.find_parent(["pre", "code", "script"]) is None:
            text.replace_with(NavigableString(_with_dollars(str(text))))


def _restore_mathjax(soup: BeautifulSoup) -> None:
    """MathJax 2 keeps the source in a script beside what it draws; without the script, in the drawing."""
    scripts = soup.select("script[type^='math/tex']")
    for script in scripts:
        script.replace_with(_written(script.get_text(), display="mode=display" in str(script["type"])))
    for drawn in soup.select(_DRAWN):
        source = drawn.find("annotation")
        if not scripts and source is not None:
            drawn.insert_before(_written(source.get_text(), display=False))
        drawn.extract()


def _is_display(element: Tag) -> bool:
    return (
        "katex-display" in (element.get("class") or ())
        or element.get("display") in {"true", "block"}
        or element.get("mode") == "display"
    )


def _source(element: Tag) -> str:
    annotation = element.find("annotation")
    math = element if element.name == "math" else element.select_one("math")
    for text in (
        annotation.get_text() if annotation is not None else None,
        element.get("data-latex") or element.get("data-tex"),
        math.get("alttext") if math is not None else None,
    ):
        if text:
            return str(text)
    return (math or element).get_text(" ", strip=True)


def _written(tex: str, *, display: bool) -> NavigableString:
    body = tex.strip().strip("$").strip()
    mark = "$$" if display else "$"
    return NavigableString(f"{mark}{body}{mark}" if body else "")


def _with_dollars(text: str) -> str:
    r"""`\(x\)` as `$x$` and `\[x\]` as `$$x$$`."""

    def written(match: re.Match[str]) -> str:
        whole = match.group()
        if whole.startswith("$"):
            return whole
        body = re.sub(r"^\\{1,2}[(\[]|\\{1,2}[)\]]$", "", whole)
        if not _TEX_LIKE.search(body) and not whole.startswith("\\\\") and len(body.split()) > 1:
            return whole
        return f"$${body}$$" if "[" in whole[:3] else f"${body}$"

    return _MARKED.sub(written, text)


def without_formulas(text: str) -> tuple[str, Callable[[str], str]]:
    """Markdown with its formulas put aside, and the function that puts them back.

    Markdown reads `_`, `*` and backslashes in formulas as markup; a renderer must not see them.
    """
    aside: list[str] = []

    def hide(match: re.Match[str]) -> str:
        written = _with_dollars(match.group())
        if not written.startswith("$"):
            return match.group()
        aside.append(written)
        return f"\ue000{len(aside) - 1}\ue001"

    hidden = _MARKED.sub(hide, _HIDDEN.sub("", text))
    return hidden, lambda result: _HIDDEN.sub(lambda match: aside[int(match.group(1))], result)
