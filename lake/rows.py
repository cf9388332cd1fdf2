"""The rows of the lake's tables. Names are a contract: scripts and users query them.

The store adds columns to every table: `written_at` (UTC, when the row was committed), `batch` (one value per
write) and, where the table is partitioned by it, `month`. Times are UTC and aware. None: not known.
"""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One page as read at one time; its bytes are the lake's raw file `sha256`."""

    capture_id: str
    platform: str
    competition: str
    kind: str
    url: str
    fetched_at: datetime
    status: int
    media_type: str
    sha256: str
    """Name of the raw bytes."""
    content_sha256: str
    """Hash of what the page says: of its Markdown, or of its bytes where it has none."""
    size: int
    """Raw bytes."""
    markdown: str
    assets: str | None = None
    """Foreign hosts whose scripts, styles or fonts took part, between spaces."""


@dataclass(frozen=True, slots=True)
class CompetitionRow:
    """What a site states about a competition."""

    platform: str
    competition: str
    url: str
    title: str | None
    deadline: datetime | None
    participants: int | None
    metric_name: str | None
    direction: str | None
    license: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardHeadRow:
    """One leaderboard as read at one time, without its rows."""

    board_id: str
    platform: str
    competition: str
    kind: str
    url: str
    fetched_at: datetime
    source: str
    rows_seen: int
    rows_claimed: int | None
    complete: bool
    metric_name: str | None
    direction: str | None
    sha256: str
    """Hash of what the board says."""
    track: str | None = None
    """A further board of the kind: a phase, a split. None: the main one."""
    doubt: str | None = None
    """Why rows may be missing although no count says so."""
    capture_ids: tuple[str, ...] | None = None
    """The captures of the page that it was read from; None: an older TAM wrote it, which did not say."""


@dataclass(frozen=True, slots=True)
class BoardLineRow:
    """One row of a board, in the page's order."""

    board_id: str
    platform: str
    competition: str
    kind: str
    position: int
    rank: int | None
    team: str
    score: float | None
    score_text: str
    entries: int | None
    last_submission: str | None
    fetched_at: datetime
    track: str | None = None
    further_scores: str | None = None
    """Cells of further score columns as printed, by heading: a JSON object."""


@dataclass(frozen=True, slots=True)
class CrawlRow:
    """One crawl: written when it starts, and again when it ends."""

    crawl_id: str
    selection: str
    """What was asked for, or its hash: crawls with the same selection can be continued."""
    started_at: datetime
    finished_at: datetime | None
    pid: int
    process_started: float
    """When that process began, in seconds since 1970: tells it from a later one with the same pid."""
    host: str
    status: str
    """`running`, `done`, `failed` or `stopped`."""


@dataclass(frozen=True, slots=True)
class CrawlResultRow:
    """What a crawl made of one competition."""

    crawl_id: str
    platform: str
    competition: str
    status: str
    """`complete`, `incomplete` or `failed`."""
    reason: str
    changed: bool
    """Whether the lake got anything new."""
    steps: int
    seconds: float
    tokens: int
    """Of the LLM, where one took over."""
    driver: str
    """`pilot`, or `model` where the LLM took over."""
    code: str | None = None
    """Why it is not complete: a `core.errors.Reason`."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    model_steps: int | None = None
    """Decisions that the LLM took."""
    cost: float | None = None
    """Of those tokens, at the set prices; None where no price is set."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job, which is a flow carried out once: written when it starts, and again when it ends.

    Of a job that was killed there is the first row, and the counts that it wrote on its way.
    """

    job_id: str
    flow: str
    """`crawl`, `build`, `grade`, …"""
    request: str
    """What was asked for, as JSON."""
    started_at: datetime
    finished_at: datetime | None
    status: str
    """`running`, `done`, `partial` (some of it failed, the rest went on), `failed` or `stopped`."""
    error: str | None
    """What ended a job that failed."""
    pid: int
    process_started: float
    """When that process began, in seconds since 1970: tells it from a later one with the same pid."""
    host: str
    prefect_run: str | None
    """The id of Prefect's flow run; None: Prefect did not run it."""
    seconds: float | None
    pages: int | None
    rows: int | None
    """Of boards."""
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None
    """Of those tokens, at the set prices."""
    refusals: int | None
    """All reasons together; `job_counts` has them apart."""
    retries: int | None


@dataclass(frozen=True, slots=True)
class JobCountRow:
    """One counter of one job."""

    job_id: str
    counter: str
    """`pages`, `rows`, `tokens_in`, `tokens_out`, `cost`, `seconds`, `refusals`, `retries`, …"""
    platform: str | None
    label: str | None
    """What was counted apart: the reason of a refusal, the kind of board, the class of an error."""
    value: float


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """Something that a person should look at, as a job noticed it."""

    alarm_id: str
    job_id: str
    flow: str
    kind: str
    """`boards-incomplete`, `layout-changed`, `refusals-jumped`, `new-tasks` or `job-failed`."""
    platform: str | None
    message: str
    subjects: tuple[str, ...]
    """Competitions or tasks that it is about; the first ones, where they are many."""
    count: int
    """How many they are."""
    raised_at: datetime
    delivered: bool | None
    """Whether the webhook took it; None: there is no webhook."""


@dataclass(frozen=True, slots=True)
class RouteRow:
    """Where an LLM found what a platform file's route had lost. Addresses are below the site's base URL.

    `{slug}` in an address stands for the competition's slug.
    """

    platform: str
    site: str
    """Scheme, host and port that it was found on; it is used nowhere else."""
    competition: str
    """The one competition that it holds for; empty: for all of the site."""
    declared: str
    """Where the platform file looks."""
    found: str
    """Where it was."""
    ready: str
    """CSS selector of what is there once the page can be read; empty: not known."""
    answers: tuple[str, ...]
    """Parts of the addresses of the JSON that the page loads."""
    found_in: str
    """The competition that it was found with."""
    found_by: str
    """The model."""
    found_at: datetime
    tokens: int
    """Spent on finding it."""
    status: str
    """`active`, or `discarded` since it failed."""
    reason: str
    """Why it was discarded."""


@dataclass(frozen=True, slots=True)
class FootprintRow:
    """What the latest reading of a competition was made from: a later crawl asks whether it has changed."""

    platform: str
    competition: str
    base_url: str
    reader: str
    """Hash of the code that read it."""
    json: str
    """The requests and the hashes of their answers; empty where nothing could prove it unchanged."""


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One benchmark item; `json` is the whole record."""

    task_id: str
    platform: str
    competition: str
    url: str
    title: str
    modality: str | None
    domain: str | None
    metric_id: str | None
    metric_params: str
    """JSON object."""
    metric_name: str
    """As the competition words it."""
    direction: str | None
    metric_low: float | None
    metric_high: float | None
    target_col: str
    output_format: str
    constraints: tuple[str, ...]
    id_columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    deadline: datetime | None
    license: str | None
    participants: int | None
    page_hash: str
    """sha256 over the Markdown of all pages that the mapper saw."""
    made_from: str
    """sha256 over everything the build of this task looked at: pages, site facts, boards, settings."""
    mapper: str
    prompt_id: str | None
    model: str | None
    tokens_in: int
    tokens_out: int
    schema_version: int
    json: str
    evidence: str | None = None
    """JSON list: per field the page, its `content_sha256` in `captures`, the span, the words, the rule."""


@dataclass(frozen=True, slots=True)
class MappingRow:
    """What a model said of one competition, or why it said nothing; kept so that nothing is asked twice."""

    task_id: str
    asked: str
    """Hash of what the model was asked: pages, prompt, model and the size of the parts."""
    page_hash: str
    prompt_id: str
    model: str
    reason: str | None
    """Why there are no replies; None: there are."""
    replies: str
    """JSON: the replies, one per part of the pages."""
    calls: int
    repairs: int
    """Replies that had to be asked for once more because of their form."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """By the prices set; None: none are."""


@dataclass(frozen=True, slots=True)
class SettlementRow:
    """How the rules' value and the model's for one field of a task were settled."""

    task_id: str
    field: str
    rules_value: str
    llm_value: str
    outcome: str
    """`agreed`, `filled`, `disagreed`, `added`, `dropped` or `unanswered`."""
    winner: str
    """`rules`, `llm` or `both`; empty: the field stays unknown."""
    reason: str
    dropped: int
    """How much the model said of this field that does not hold."""
    prompt_id: str
    model: str


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """One screening rule's verdict on one task."""

    task_id: str
    rule: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class DifficultyRow:
    """How hard a task is, according to one scorer."""

    task_id: str
    scorer: str
    score: float | None
    level: str | None
    norm_mean: float | None
    """Mean of the board's scores, 0 worst to 1 best."""
    norm_best: float | None
    participants: int | None
    """Teams with a finite score."""
    range_policy: str | None
    """Where the ends of the normalisation come from."""
    range_low: float | None
    range_high: float | None
    score_low: float | None
    """Ends of the score's uncertainty interval."""
    score_high: float | None
    board_id: str | None
    """The board it was made from."""
    board_sha256: str | None
    features: str
    """JSON object: everything the scorer looked at."""
    reason: str | None
    """Why there is no score."""
    direction: str | None = None
    """The metric's, or else the one that the board's order follows."""
    p_easy: float | None = None
    """What the scorer gives each level, where it gives probabilities."""
    p_medium: float | None = None
    p_hard: float | None = None
    uncertain: bool | None = None
    """No level is probable enough to rely on."""
    model: str | None = None
    """Hash of the data that the scorer was fitted on."""


@dataclass(frozen=True, slots=True)
class SubsetRow:
    """One task of a subset."""

    subset: str
    release: str | None
    """The release it was cut from; None: the lake as it was."""
    task_id: str
    modality: str
    level: str
    platform: str
    domain: str | None
    score: float | None
    """Its difficulty."""
    seed: int
    reason: str
    """Why this task was taken."""
    scorer: str | None = None
    """Whose levels counted."""


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One submission, graded. `seed` 0 where the run has only one."""

    run: str
    seed: int
    subset: str | None
    release: str | None
    task_id: str
    modality: str | None
    level: str | None
    made: bool
    valid: bool
    reason: str | None
    """Reason code of an invalid submission."""
    message: str | None
    metric_id: str | None
    score: float | None
    """As computed, not rounded to the board's precision."""
    rank: int | None
    participants: int | None
    rank_pct: float | None
    percentile_beaten: float | None
    medal: str | None
    above_median: bool | None
    board_id: str | None
    submission_sha256: str | None
    notes: tuple[str, ...] = ()
    reasonable: bool | None = None
    """Better than the sample submission."""
    made_from: str | None = None
    """Hash of submission, code, task, board, judges and the graders' own code."""
    json: str | None = None
    """The whole grade, from which the next `tam grade` takes it over."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One judge's verdict on one constraint of one submission."""

    run: str
    seed: int
    task_id: str
    constraint_index: int
    constraint_text: str
    passed: bool
    reason: str
    evidence: str | None
    """The lines of code that it rests on."""
    judge: str
    model: str | None
    prompt_id: str | None
    tokens_in: int
    tokens_out: int
    release: str | None
