"""Markdown to HTML. The Markdown is data: HTML in it is shown as text, links keep to safe schemes."""

from collections.abc import Mapping

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

References = Mapping[str, object]


def _formula(state: StateInline, silent: bool) -> bool:
    r"""Keep `$…$` and `$$…$$` as written: Markdown would eat the `_`, `*` and `\` of a formula."""
    text, start = state.src, state.pos
    if text[start] != "$":
        return False
    mark = "$$" if text.startswith("$$", start) else "$"
    opened = start + len(mark)
    end = text.find(mark, opened, state.posMax)
    inside = text[opened:end]
    if end <= opened or (mark == "$" and (inside[0].isspace() or inside[-1].isspace())):
        return False
    if mark == "$" and text[end + 1 : end + 2].isdigit():
        return False
    if not silent:
        state.push("text", "", 0).content = text[start : end + len(mark)]
    state.pos = end + len(mark)
    return True


_RENDERER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
_RENDERER.inline.ruler.before("escape", "formula", _formula)


def parse(markdown: str) -> tuple[list[Token], References]:
    """The block tokens, and the link definitions, which hold for the whole text."""
    env: dict[str, References] = {}
    tokens = _RENDERER.parse(markdown, env)
    return tokens, env.get("references", {})


def to_html(markdown: str, references: References | None = None) -> Markup:
    """Render CommonMark with tables; formulas in dollars stay as text for the page's own type-setter.

    `references` are the link definitions of the text that `markdown` was cut from.
    """
    html = _RENDERER.render(markdown, {"references": dict(references or {})})
    return Markup(html)  # noqa: S704 - the renderer escapes everything but its own tags
