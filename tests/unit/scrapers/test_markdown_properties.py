"""Whatever a page is built of, its visible words are in the Markdown, in their order."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from scrapers.markdown import to_markdown

_INLINE = st.sampled_from(["b", "em", "span", "strong", "code", "i", "mark", "small", "u"])
_LEAF = st.just("{w}") | _INLINE.map(lambda tag: f"{{w}} <{tag}>{{w}}</{tag}> {{w}}")
_LINK = st.just("<a href='/x'>{w}</a> {w}") | st.just("<abbr title='hint'>{w}</abbr>")
_TEXT = st.lists(_LEAF | _LINK, min_size=1, max_size=3).map(" ".join)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(inner, min_size=1, max_size=3)
    wrapped = st.tuples(st.sampled_from(["div", "section", "blockquote", "article"]), inner).map(
        lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"
    )
    lists = st.tuples(st.sampled_from(["ul", "ol"]), items).map(
        lambda pair: f"<{pair[0]}>{''.join(f'<li>{one}</li>' for one in pair[1])}</{pair[0]}>"
    )
    several = items.map("".join)
    return wrapped | lists | several


_CELLS = st.lists(st.lists(_TEXT, min_size=2, max_size=2), min_size=1, max_size=3)
_TABLE = _CELLS.map(
    lambda rows: (
        "<table>"
        + "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        + "</table>"
    )
)
_SIMPLE = (
    _TEXT.map(lambda text: f"<p>{text}</p>")
    | st.tuples(st.integers(1, 6), _TEXT).map(lambda pair: f"<h{pair[0]}>{pair[1]}</h{pair[0]}>")
    | st.just("<pre><code>{w} {w}\n{w}</code></pre>")
    | _TEXT.map(lambda text: f"<dl><dt>{{w}}</dt><dd>{text}</dd></dl>")
    | _TABLE
)
_PAGE = st.lists(st.recursive(_SIMPLE, _blocks, max_leaves=6), min_size=1, max_size=4).map("".join)


@given(_PAGE)
@settings(max_examples=150, deadline=None)
def test_every_visible_word_is_there_once_and_in_its_order(template: str) -> None:
    count = template.count("{w}")
    words = [f"word{number}x" for number in range(count)]
    html = template
    for word in words:
        html = html.replace("{w}", word, 1)
    found = re.findall(r"word\d+x", to_markdown(f"<main>{html}</main>"))
    assert found == words
