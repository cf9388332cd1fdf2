"""From pages to a task with a model: asked, verified against the pages, settled with the rules."""
