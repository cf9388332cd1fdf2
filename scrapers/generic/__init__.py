"""Reads competition sites that nobody has described: by structure and by words, without an LLM.

`leaderboards` finds the boards of a page, `records` those of the JSON that it loaded, `paging` the controls
that show more of them, `texts` the sections, `links` where else to look; `exploring` does it in a browser.
"""
