"""What a person should do, told from how the lake stands. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from core.errors import Reason
from flows.jobs.job import JobState
from flows.jobs.status import KILLED, JobStatus, LakeStatus, Troubled

_SHOWN = 3
"""Names in a line; the others are counted."""
_REMEDIES: dict[str, str] = {
    Reason.NOT_ALLOWED: "read the platform's terms, then set TAM_ALLOW_BROWSER={platform}",
    Reason.REFUSED: "accept the competitions' rules with the token's account, or check the token",
    Reason.LOGIN_WALL: "the pages need an account: use the platform's API with a token, if it has one",
    Reason.CAPTCHA: "the site asks for a person: crawl less often (TAM_REQUESTS_PER_MINUTE), or with its API",
    Reason.BUSY: "the site asks for a break: crawl again later",
    Reason.NOT_FOUND: "the site has them no more; nothing to do",
    Reason.SOFT_NOT_FOUND: "the site has them no more; nothing to do",
    Reason.NO_CONNECTION: "check the network and the base URL, then crawl again",
    Reason.DISK_FULL: "make room on the lake's disk, then run the same command again",
    Reason.BROWSER_FAILED: "`tam doctor` checks the browser",
}
_LOST = (
    "if it stays so, the pages have changed: set TAM_LLM_BASE_URL and TAM_LLM_MODEL, so that a model finds "
    "the way, and crawl again"
)


def advice(status: LakeStatus) -> tuple[str, ...]:
    """What to do, the most pressing first; empty: nothing."""
    return tuple(_advice(status))


def _advice(status: LakeStatus) -> Iterator[str]:
    yield from _about_jobs(status.jobs)
    if not status.platforms:
        yield "the lake holds no competition yet: `tam crawl`"
        return
    waiting = status.waiting
    if new := waiting.never_built + waiting.changed:
        said = f"{len(new)} competitions are new or have changed since they were built"
        yield f"`tam build`: {said}: {_names(new)}"
    yield from _about_readings(status.troubled)
    if status.kept and not status.subsets:
        yield f"`tam build-subset lite`: {status.kept} tasks pass the screening, and no subset is cut"
    if unprepared := waiting.unprepared:
        said = f"{len(unprepared)} tasks of subsets have no data: {_names(unprepared)}"
        yield f"`tam prepare TASK --data DIR`: {said}"
    ready = [task for task in waiting.never_graded if task not in set(unprepared)]
    if ready:
        yield f"`tam grade RUN`: no run was graded on {len(ready)} tasks that are prepared: {_names(ready)}"


def _about_jobs(jobs: Sequence[JobStatus]) -> Iterator[str]:
    """The last job of every flow, where it did not come to its end."""
    for flow in dict.fromkeys(job.flow for job in jobs):
        last = next(job for job in jobs if job.flow == flow)
        when = f"{last.started_at:%Y-%m-%d %H:%M} UTC"
        if last.status == KILLED:
            yield f"the {flow} of {when} was killed: run the same command again, it goes on where it was"
        elif last.status == JobState.FAILED:
            yield f"the {flow} of {when} failed: {last.error}"


def _about_readings(troubled: Sequence[Troubled]) -> Iterator[str]:
    counted = Counter((one.platform, one.code or one.status) for one in troubled)
    for (platform, code), times in counted.most_common():
        names = [
            one.competition for one in troubled if (one.platform, one.code or one.status) == (platform, code)
        ]
        remedy = _REMEDIES.get(code, f"`tam crawl {platform}` reads them again; {_LOST}")
        what = f"{times} competitions of {platform} are not read completely ({code})"
        yield f"{what}: {_names(names)}: {remedy.format(platform=platform)}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(name for name in names[:_SHOWN] if name)
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
