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
_GROW = f"""async ({{rows, wanted, by, control, end, steps, patience}}) => {{
    const usable = {_USABLE};
    const count = () => document.querySelectorAll(rows).length;
    const ended = () => end !== null && document.querySelector(end) !== null;
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
        }} else if (control !== null && usable(control)) document.querySelector(control).click();
        else break;
        if (!await more(before)) break;
    }}
}}"""
"""Runs in the page: a board of thousands of rows takes a hundred scrolls, each with several questions."""
_HAS_ROWS = """([rows, end]) => document.querySelector(rows) !== null
    || (end !== null && document.querySelector(end) !== null)"""
_FIRST_AND_LAST = """rows => {
    const all = document.querySelectorAll(rows);
    return all.length ? all[0].textContent + '\\u0000' + all[all.length - 1].textContent : '';
}"""
_CHANGED = f"([rows, before]) => ({_FIRST_AND_LAST})(rows) !== before"
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


async def grow(page: Page, growth: Growth, wanted: int | None, patience: float) -> None:
    """Scroll or click until `wanted` rows are there or no more come within `patience` seconds."""
    if growth.by not in {"scroll", "click"}:
        return
    await page.evaluate(
        _GROW,
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
