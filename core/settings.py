"""TAM's settings: one frozen record, read once from the environment (`TAM_…`) and passed down as values."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from core.errors import SettingsError
from core.llm import Endpoint

KAGGLE_API = "https://www.kaggle.com/api/v1"


class Settings(BaseSettings):
    """Everything a user can set. Each field is the environment variable `TAM_<FIELD>`."""

    model_config = SettingsConfigDict(env_prefix="TAM_", frozen=True, use_attribute_docstrings=True)

    lake: Path = Path("lake")
    """The lake's folder."""
    data: Path = Field(default_factory=lambda: platformdirs.user_data_path("tam"))
    """Where TAM keeps what is its own and no lake's: Prefect's database, the prompt's history."""
    prefect: Literal["on", "off"] = "on"
    """Whether crawl, build and grade run as Prefect flows; `off` calls the same functions directly."""
    server_port: int = Field(4200, ge=0, le=65535)
    """Where `tam worker` has Prefect's server and user interface on this machine; 0: any free port."""
    platform_runs: int = Field(1, ge=1, le=64)
    """Scheduled runs of one platform at once; a further one waits. Taken over when a schedule is added."""
    task_runner: Literal["threads", "dask"] = "threads"
    """Where flows build and grade: this machine's cores, or a Dask cluster (docs/scaling.md)."""
    task_workers: int | None = Field(None, ge=1, le=10_000)
    """Batches at once, each in a process; unset: one per core of this machine, or all that a cluster has."""
    dask_address: str | None = None
    """A Dask cluster's scheduler, as `tcp://host:8786`; unset: a cluster on this machine for each flow."""
    log: Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] = "ERROR"
    """What is logged, on standard error: this and what is worse."""
    log_format: Literal["text", "json"] = "text"
    """`json`: one object per line, with the ids of job, platform, competition and task."""
    webhook: SecretStr | None = None
    """Where alarms are sent, as JSON by POST: an https address, or one on this machine. It is kept secret."""
    alarm_share: float = Field(0.2, gt=0, le=1)
    """The share of a platform's competitions that must newly fail in one way to raise an alarm."""
    telemetry: str | None = None
    """An OTLP endpoint for OpenTelemetry, for example `http://127.0.0.1:4318`; unset: nothing is sent."""
    concurrency: int = Field(2, ge=1, le=64)
    """Agents at once, each in its own Chromium. Two saturate two cores."""
    chromium: Path | None = None
    """The Chromium to use; unset: Playwright's own, else `chromium` on the PATH."""
    allow_browser: Annotated[frozenset[str], NoDecode] = frozenset()
    """Platforms whose real hosts may be read in the browser, comma-separated: you accept their terms."""
    allow_asset: Annotated[frozenset[str], NoDecode] = frozenset()
    """Hosts of which pages may load scripts, styles and fonts (a CDN), and nothing else; comma-separated."""
    contact: str = ""
    """Your mail address or page, sent in the user agent to real hosts."""
    requests_per_minute: float = Field(30, gt=0, le=6000)
    """Navigations per minute and real host, over all processes; loopback hosts are not limited."""
    kaggle_username: str | None = None
    """Of your Kaggle token: its official API is then used before the browser."""
    kaggle_key: SecretStr | None = None
    """The key of that token."""
    kaggle_json: Path | None = None
    """Or the file that Kaggle gives with a token, usually `~/.kaggle/kaggle.json`."""
    kaggle_api: str = KAGGLE_API
    """Where that API is; the token is sent there and nowhere else."""
    max_steps: int = Field(24, ge=4, le=200)
    """Most steps of one agent on one competition."""
    competition_timeout: float = Field(180, ge=5, le=3600)
    """Most seconds of one agent on one competition."""
    page_timeout: float = Field(20, ge=0.5, le=300)
    """Most seconds of one navigation, and again of what its page must show."""
    keep_trajectory: Path | None = None
    """A folder for what each agent did, step by step, with screenshots; unset: it is not kept."""
    crawl_llm_steps: int = Field(24, ge=1, le=500)
    """Crawling: model calls on one competition, where its route is lost."""
    crawl_llm_tokens: int = Field(200_000, ge=1000)
    """Crawling: tokens, in and out, that the model may take on one competition."""
    crawl_llm_seconds: float = Field(120, ge=1, le=3600)
    """Crawling: seconds that an agent waits for the model on one competition, in all."""
    crawl_llm_cost: float | None = Field(None, gt=0)
    """Crawling: the most that the model may cost on one competition, by the prices below."""
    llm_base_url: str | None = None
    """An OpenAI-compatible endpoint, for example `http://127.0.0.1:8000/v1`."""
    llm_model: str | None = None
    """The model's name at that endpoint."""
    llm_api_key: SecretStr | None = None
    """Its key, where it needs one."""
    llm_timeout: float = Field(60, ge=1, le=600)
    """Most seconds of one model call."""
    llm_price_in: float | None = Field(None, ge=0)
    """What a million tokens sent to the model cost, in your currency; unset: cost is not counted."""
    llm_price_out: float | None = Field(None, ge=0)
    """What a million tokens of its answers cost."""
    llm_concurrency: int = Field(4, ge=1, le=64)
    """Mapping: model calls at once."""
    llm_part: int = Field(24_000, ge=1000, le=1_000_000)
    """Mapping: characters of the pages that one call shows at most; long pages are split."""
    llm_max_tokens: int | None = Field(None, ge=1)
    """Mapping: tokens that one build may take, in and out; then it stops and says what is not mapped."""
    llm_max_cost: float | None = Field(None, gt=0)
    """Mapping: the same for what they cost by the prices above."""
    mapper: Literal["rules", "llm"] = "rules"
    """Who maps pages to tasks: rules alone, or rules and a model whose answers are verified."""
    judge_votes: int = Field(3, ge=1, le=15)
    """Votes of the model on a constraint that the static judge cannot tell; odd, so that they cannot tie."""
    difficulty_model: Path | None = None
    """Calibrated scorer of difficulty: a file of `tam difficulty train`; else the one that ships."""
    closed_since: date = date(2023, 1, 1)
    """Screening: a competition must have closed on or after this day."""
    fewest_teams: int = Field(10, ge=1, le=100_000)
    """Screening: teams with a score that a board needs at least."""
    fewest_scores: int = Field(3, ge=1, le=100_000)
    """Screening: different scores that a board needs at least."""
    screening_overrides: Path | None = None
    """Screening: a TOML file of verdicts that a person has set (docs/mapping.md)."""
    seed: int = Field(0, ge=0)
    """Seed of splits and subsets."""
    test_share: float = Field(0.2, gt=0, lt=1)
    """Share of rows that become the test part where the official data do not show their own ratio."""
    leak_skill: float = Field(0.98, gt=0, le=1)
    """How well one column, id or file name alone must tell the target (0 chance, 1 certain) to be a leak."""

    @field_validator("allow_browser", "allow_asset", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return frozenset(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("log", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("webhook")
    @classmethod
    def _safe(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None or not value.get_secret_value():
            return None
        if not _is_safe(value.get_secret_value()):
            raise ValueError("an https address is needed, or http to this machine")
        return value

    @field_validator("telemetry")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("an http or https address is needed")
        return value.rstrip("/") if value else None

    @field_validator("judge_votes")
    @classmethod
    def _odd(cls, value: int) -> int:
        if value % 2 == 0:
            raise ValueError("an even number of votes can tie")
        return value

    @property
    def endpoint(self) -> Endpoint | None:
        """The configured LLM, or None: then everything runs on rules."""
        if not self.llm_base_url or not self.llm_model:
            return None
        return Endpoint(self.llm_base_url, self.llm_model, self.llm_api_key, self.llm_timeout)


def _is_safe(url: str) -> bool:
    """Whether what is sent there cannot be read on the way."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return bool(parts.hostname)
    return parts.scheme == "http" and parts.hostname in {"127.0.0.1", "::1", "localhost"}


def load_settings(**overrides: object) -> Settings:
    """Settings from the environment; `overrides` (from the command line) win where they are not None.

    Raises:
        SettingsError: a variable cannot be read or is out of bounds; the message names each.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        problems = "; ".join(
            f"TAM_{str(problem['loc'][0]).upper()}: {problem['msg']}" for problem in error.errors()
        )
        raise SettingsError(f"Settings cannot be read: {problems}") from error
