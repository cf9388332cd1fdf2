"""What has changed since the last release, as the report tells it."""

from flows.crawling.changes import changes
from lake import release_content
from lake.releases import Release
from lake.store import Lake
from report.changes import Changes, MovedShown, SiteChange


def changes_since(lake: Lake) -> Changes:
    """What differs from the release before this state of the lake, and what crawls since then found."""
    before = _release_before(lake)
    since = None if before is None else before.created_at
    sites = tuple(
        SiteChange(one.at, one.platform, one.competition, one.what, one.summary)
        for one in reversed(changes(lake, since))
    )
    if before is None:
        return Changes(None, None, MovedShown(), MovedShown(), sites)
    tasks, boards = release_content.content_difference(lake.at(before.name), lake)
    return Changes(before.name, since, _moved(tasks), _moved(boards), sites)


def _release_before(lake: Lake) -> Release | None:
    """The newest release; of a lake at a release, the one made before it."""
    own = lake.release
    earlier = [one for one in lake.releases() if own is None or one.created_at < own.created_at]
    return earlier[-1] if earlier else None


def _moved(found: release_content.Moved) -> MovedShown:
    return MovedShown(found.added, found.removed, found.changed)
