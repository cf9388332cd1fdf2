"""Makes a page show all rows of a board: scrolling, a load-more control, or pages of rows."""

from collections.abc import AsyncIterator

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from scrapers.platform import Growth

_LOOK_MILLISECONDS = 15
_USABLE = """control => {
    const element = document.querySelector(control);
    return element !== null && !element.disabled && element.getAttribute('aria-disabled') !== 'true'
        && !element.classList.contains('disabled') && element.getClientRects().length > 0;
}"""
_OVER = "/* over */ false"
_GROW = f"""async ({{rows, wanted, by, control, end, steps, patience}}) => {{
    const usable = {_USABLE};
    const count = () => document.querySelectorAll(rows).length;
    const ended = () => (end !== null && document.querySelector(end) !== null) || ({_OVER}) || gone();
    const early = document.querySelectorAll(rows)[Math.min(2, count() - 1)];
    const text = early?.textContent;
    const gone = () => early !== undefined && (!early.isConnected || early.textContent !== text);
    const more = before => new Promise(answer => {{
        const last = performance.now() + patience;
        const look = () => {{
            if (count() > before) answer(true);
            else if (ended() || performance.now() > last) answer(false);
            else setTimeout(look, {_LOOK_MILLISECONDS});
        }};
        look();
    }});
    for (let step = 0; step < steps; step++) {{
        const before = count();
        if (wanted !== null && before >= wanted) break;
        if (by === 'scroll') {{
            const all = document.querySelectorAll(rows);
            if (all.length) all[all.length - 1].scrollIntoView({{block: 'end'}});
            window.scrollTo(0, document.documentElement.scrollHeight);
            if (control !== null && usable(control)) document.querySelector(control).click();
        }} else if (control !== null && usable(control)) document.querySelector(control).click();
        else break;
        if (!await more(before) || gone()) break;
    }}
    return gone();
}}"""
"""Runs in the page: a board of thousands of rows takes a hundred scrolls, each with several questions."""
_HAS_ROWS = """([rows, end]) => document.querySelector(rows) !== null
    || (end !== null && document.querySelector(end) !== null)"""
_FIRST_AND_LAST = """rows => {
    const all = document.querySelectorAll(rows);
    return all.length ? all[0].textContent + '\\u0000' + all[all.length - 1].textContent : '';
}"""
_CHANGED = f"([rows, before]) => ({_FIRST_AND_LAST})(rows) !== before"
_REDRAW_SECONDS = 0.5
_BOX = """rows => {
    const all = document.querySelectorAll(rows);
    let box = all.length ? all[0].parentElement : null;
    const scrolls = element => element.scrollHeight > element.clientHeight + 1
        && /auto|scroll/.test(getComputedStyle(element).overflowY);
    while (box && !scrolls(box)) box = box.parentElement;
    return box ?? document.scrollingElement;
}"""
"""The box that the rows are scrolled in."""
_TO_TOP = f"""async rows => {{
    ({_BOX})(rows).scrollTop = 0;
    await new Promise(drawn => setTimeout(() => requestAnimationFrame(drawn), {_LOOK_MILLISECONDS}));
}}"""
_SCREEN_DOWN = f"""rows => {{
    const box = ({_BOX})(rows);
    const before = box.scrollTop;
    box.scrollBy(0, Math.max(40, box.clientHeight * 0.6));
    return box.scrollTop === before;
}}"""
"""True at the end."""
_CLICK = "control => document.querySelector(control).click()"


async def show(page: Page, growth: Growth, patience: float) -> bool:
    """Click the board's own tab where it has one and wait for its rows; tell whether there are rows."""
    if growth.show is not None:
        before = await page.evaluate(_FIRST_AND_LAST, growth.rows)
        if not await page.evaluate(_USABLE, growth.show):
            return False
        await page.evaluate(_CLICK, growth.show)
        await _holds(page, _CHANGED, [growth.rows, before], patience)
    return await _holds(page, _HAS_ROWS, [growth.rows, growth.at_end], patience)


async def grow(page: Page, growth: Growth, wanted: int | None, patience: float) -> bool:
    """Scroll or click until `wanted` rows are there or no more come within `patience` seconds.

    Returns whether the first rows have left the page: it then holds only what is in sight, see `windows`.
    """
    if growth.by not in {"scroll", "click"}:
        return False
    left: bool = await page.evaluate(
        # As text of the script: a page may forbid its own scripts to make functions of text.
        _GROW.replace(_OVER, growth.ended or "false"),
        {
            "rows": growth.rows,
            "wanted": wanted,
            "by": growth.by,
            "control": growth.control,
            "end": growth.at_end,
            "steps": growth.steps,
            "patience": patience * 1000,
        },
    )
    return left


async def turn(page: Page, growth: Growth, patience: float) -> AsyncIterator[int]:
    """Turn the pages of a board whose rows are replaced; yields the page number (from 2) once it is shown."""
    for number in range(2, growth.steps + 1):
        if growth.control is None or not await page.evaluate(_USABLE, growth.control):
            return
        before = await page.evaluate(_FIRST_AND_LAST, growth.rows)
        await page.evaluate(_CLICK, growth.control)
        if not await _holds(page, _CHANGED, [growth.rows, before], patience):
            return
        yield number


async def windows(page: Page, growth: Growth, patience: float) -> AsyncIterator[int]:
    """Scroll a list that holds only the rows in sight, screen by screen; yields once other rows are drawn.

    From the top: the first number is 1.
    """
    await page.evaluate(_TO_TOP, growth.rows)
    yield 1
    for number in range(2, growth.steps + 1):
        before = await page.evaluate(_FIRST_AND_LAST, growth.rows)
        if await page.evaluate(_SCREEN_DOWN, growth.rows):
            return
        # The next screen may show the same rows still: a list draws more of them than fit.
        if await _holds(page, _CHANGED, [growth.rows, before], min(patience, _REDRAW_SECONDS)):
            yield number


async def _holds(page: Page, condition: str, argument: object, patience: float) -> bool:
    try:
        await page.wait_for_function(condition, arg=argument, timeout=patience * 1000)
    except PlaywrightTimeoutError:
        return False
    except PlaywrightError as error:
        if "navigat" not in str(error):
            raise
        await page.wait_for_load_state("domcontentloaded", timeout=patience * 1000)  # the control was a link
        return True
    return True
