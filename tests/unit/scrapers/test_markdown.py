"""HTML to Markdown: what is text stays, what is not goes."""

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapers.markdown import content_to_markdown, is_html, to_markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            "<h2><b>Evaluation</b><a href='#e'>¶</a></h2><p>By <b>RMSE</b>.</p>",
            "## Evaluation\n\nBy **RMSE**.",
        ),
        ("<ul><li>a<ul><li>b</li></ul></li></ul><ol start='3'><li>c</li></ol>", "- a\n  - b\n\n3. c"),
        ("<p>one<br>two</p><p>three</p>", "one  \ntwo\n\nthree"),
        ("<p>sample_submission.csv and a*b</p>", "sample_submission.csv and a*b"),
        ("10<sup>6</sup>, 1<sup>st</sup>, x<sub>i</sub>, e<sup>a b</sup>", "10^6, 1st, x_i, e^(a b)"),
        ("<p>&lt;img src=x&gt; a&nbsp;b\u200b</p>", "<img src=x> a b"),
        ("<p>in <subfolder>/<scan id>.png</p>", "in <subfolder>/<scan id>.png"),
        ("<blockquote><p>said</p></blockquote>", "> said"),
        ("<details><summary>More</summary><p>hidden no longer</p></details>", "**More**\n\nhidden no longer"),
    ],
)
def test_ordinary_marks_are_kept(html: str, markdown: str) -> None:
    assert to_markdown(html) == markdown


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<pre><code class='language-python'>def f():\n\n    return 1  # *_</code></pre>", "python"),
        ("<div class='highlight-source-python'><pre>def f():\n\n    return 1  # *_\n</pre></div>", "python"),
        ("<pre>def f():<br><br>    return 1  # *_</pre>", ""),
        ("<p><code>def f():<br><br>    return 1  # *_</code></p>", ""),
        ("<pre><div>def f():</div><div>\n</div><div>    return 1  # *_</div></pre>", ""),
        (
            "<table><td class='gutter'>1\n2\n3</td><td><pre>def f():\n\n    return 1  # *_</pre></table>",
            "",
        ),
    ],
)
def test_code_keeps_its_lines_and_its_language(html: str, markdown: str) -> None:
    assert to_markdown(html) == f"```{markdown}\ndef f():\n\n    return 1  # *_\n```"


def test_code_cannot_end_its_own_fence() -> None:
    assert to_markdown("<pre>a\n```\n# b</pre>") == "````\na\n```\n# b\n````"


def test_a_table_keeps_its_cells_whatever_they_hold() -> None:
    html = """<table><thead><tr><th>a|b</th><th>c</th></tr></thead><tbody>
        <tr><td rowspan="2">1</td><td>x<br>y</td></tr><tr><td><pre>k = 2</pre></td></tr>
        <tr><td colspan="2"><p>wide</p></td></tr></tbody></table>"""
    assert (
        to_markdown(html)
        == dedent(r"""
        | a\|b | c |
        | --- | --- |
        | 1 | x y |
        |  | `k = 2` |
        | wide | |""").strip()
    )


def test_a_table_without_header_cells_takes_its_first_row_as_header() -> None:
    html = "<table><tr><td>name</td><td>meaning</td></tr><tr><td>id</td><td>key</td></tr></table>"
    assert to_markdown(html) == "| name | meaning |\n| --- | --- |\n| id | key |"


def test_a_table_for_layout_is_blocks() -> None:
    html = "<table><tr><td><table><tr><th>a</th><th>b</th></tr></table><tr><td><h2>T</h2></table>"
    assert to_markdown(html) == "| a | b |\n| --- | --- |\n\n## T"


_MATHML = "<math><mi>a</mi><annotation encoding='application/x-tex'>a_1 * b_2 * c_3</annotation></math>"


@pytest.mark.parametrize(
    "html",
    [
        "$a_1 * b_2 * c_3$",
        r"\(a_1 * b_2 * c_3\)",
        "<script type='math/tex'>a_1 * b_2 * c_3</script><span class='MathJax'>a1b2c3</span>",
        f"<span class='katex'><span class='k'>{_MATHML}</span><span aria-hidden='true'>a1</span></span>",
        "<math alttext='a_1 * b_2 * c_3'><mi>a</mi></math>",
        "<mjx-container data-latex='a_1 * b_2 * c_3'><mjx-math>abc</mjx-math></mjx-container>",
        "<img src='https://latex.codecogs.com/gif.latex?a' alt='a_1 * b_2 * c_3'>",
    ],
)
def test_formulas_are_their_source_once(html: str) -> None:
    assert to_markdown(f"<p>so {html} is</p>") == "so $a_1 * b_2 * c_3$ is"


def test_displayed_formulas_have_two_dollars() -> None:
    assert to_markdown("<script type='math/tex; mode=display'>x^2</script>") == "$$x^2$$"
    assert to_markdown(r"<p>\[x^2\]</p>") == "$$x^2$$"


@pytest.mark.parametrize(
    "noise",
    [
        "<script>alert(1)</script><style>p {color: red}</style><noscript>no</noscript><!-- note -->",
        "<nav><a href='/'>Home</a></nav><footer>2024</footer><div role='tablist'><a>Data</a></div>",
        "<div class='cookie-banner'>cookies!</div>",
        "<div>Kaggle uses cookies from Google to analyze traffic. <a href='/c'>Learn more</a></div>",
        "<i class='material-icons'>link</i><span class='x1'>keyboard_arrow_up</span><button>Join</button>",
        "<p>link</p><p>keyboard_arrow_up</p>",
        "<p style='display: none'>copy for phones</p><span hidden>x</span><span class='sr-only'>y</span>",
        "<span aria-hidden='true'>drawn</span><svg><title>star</title></svg><iframe src='http://evil/'></iframe>",
        "<form><input value='v'><select><option>o</option></select><textarea>t</textarea></form>",
        "<a href='#top'></a><h3></h3>",
    ],
)
def test_what_is_not_text_goes(noise: str) -> None:
    assert to_markdown(f"<body>{noise}<h1>Title</h1><p>Text.</p>{noise}</body>") == "# Title\n\nText."


def test_words_that_are_also_icon_names_stay_in_sentences_and_code() -> None:
    html = "<p>Use the <i>link</i> in <code>more_vert</code>.</p><pre>keyboard_arrow_up</pre>"
    assert to_markdown(html) == "Use the *link* in `more_vert`.\n\n```\nkeyboard_arrow_up\n```"


def test_hidden_parts_that_are_content_are_kept_but_not_twice() -> None:
    html = "<h2>A</h2><p>alpha</p><div style='display:none'><h2>B</h2><p>beta</p></div><p hidden>alpha</p>"
    assert to_markdown(html, keep_hidden=True) == "## A\n\nalpha\n\n## B\n\nbeta"
    assert to_markdown(html) == "## A\n\nalpha"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href='/data'>d</a>", "[d](https://x.org/data)"),
        ("<a href='https://y.org/a b_(c)'>d</a>", "[d](https://y.org/a%20b_(c))"),
        ("<a href='https://y.org/)](z'>d</a>", "[d](https://y.org/%29]%28z)"),
        ("<a href='javascript:alert(1)'>d</a>", "d"),
        ("<a href='#part'>d</a>", "d"),
        ("<a href='http://[bad'>d</a>", "d"),
        ("<img src='data:image/png;base64,AAAA' alt='chart'>", "chart"),
        ("<img src='m.png' alt='map'>", "![map](https://x.org/c/m.png)"),
    ],
)
def test_links_lead_to_web_pages_or_are_plain_text(html: str, markdown: str) -> None:
    assert to_markdown(f"<p>{html}</p>", base_url="https://x.org/c/") == markdown


_TAGS = [
    *("p", "b", "td", "tr", "table", "ul", "ol", "li", "pre", "code", "a", "img", "h2", "div", "head"),
    *("script", "math", "annotation", "span", "svg", "x-y", "subfolder", "sup"),
]
_ATTRIBUTES = [
    "",
    " colspan=²",
    " rowspan=999999999",
    f" start={'9' * 5000}",
    " href='http://[x'",
    " hidden",
    " class",
]
_PIECES = st.one_of(
    st.builds("<{}{}>".format, st.sampled_from(_TAGS), st.sampled_from(_ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(_TAGS)),
    st.sampled_from(
        ["word", "link", "more_vert", "$a", "$", r"\(x", "`", "```", "|", "\n", "\0", "<!--", "&amp;"]
    ),
)


@settings(deadline=None)  # the parser's first pages are slow
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_no_page_is_beyond_reading(html: str) -> None:
    markdown = to_markdown(html)
    assert "\0" not in markdown
    assert to_markdown(html) == markdown
    content_to_markdown(html)


def test_a_page_nested_beyond_reason_still_gives_its_words() -> None:
    assert "deep" in to_markdown("<div><b>" * 3_000 + "deep")


@pytest.mark.parametrize(
    "html", ["", " ", "<!-- -->", "\0", "<html></html>", "<table></table>", "<pre></pre>"]
)
def test_nothing_gives_nothing(html: str) -> None:
    assert to_markdown(html) == ""


def test_typed_markdown_is_normalised_and_its_formulas_are_left_alone() -> None:
    content = dedent(r"""
        Evaluation
        ----------

        See sample\_submission and $a_1 * b_2$, \\(c_3\\), win $50 or $60.

        * one
        * two

              <p>code</p>

        $$\frac{a}{b} _x_ *y*$$
        """)
    expected = dedent(r"""
        ## Evaluation

        See sample_submission and $a_1 * b_2$, $c_3$, win $50 or $60.

        - one
        - two

          ```
          <p>code</p>
          ```

        $$\frac{a}{b} _x_ *y*$$""")
    assert content_to_markdown(content) == expected.strip()


@pytest.mark.parametrize(
    ("content", "html"),
    [
        ("<p>a</p>\n<ul><li>b</li></ul>", True),
        ("<div><pre># not a heading</pre></div>", True),
        ("# Title\n\n<p>a</p>", False),
        ("a < b and <b>c</b>", False),
        ("<center>x</center>\n\n## Rules\n- one", False),
    ],
)
def test_html_is_told_from_markdown_with_html_in_it(content: str, *, html: bool) -> None:
    assert is_html(content) is html
