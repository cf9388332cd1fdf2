"""Who reads a platform: its official API where the user has a token for it, else an agent in the browser."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from core.errors import SettingsError, SiteError
from core.settings import KAGGLE_API, Settings
from schema.competition import CompetitionRef
from scrapers.crawler import Crawler
from scrapers.official.kaggle import KaggleApi, KaggleToken
from scrapers.platform import platform_named
from scrapers.politeness import Politeness, consented
from scrapers.reading import Reading

_log = logging.getLogger(__name__)
_KAGGLE = "kaggle"


class _KaggleFile(BaseModel):
    """The file that Kaggle gives with a token."""

    model_config = ConfigDict(extra="ignore", hide_input_in_errors=True)

    username: str = Field(min_length=1)
    key: SecretStr = Field(min_length=1)


class Readers:
    """Reads competitions and lists of them by the best way open for each platform.

    Use as an async context manager, with the crawler open. What an API cannot give, the browser reads, where
    it may; else the API's own error stands.
    """

    def __init__(self, crawler: Crawler, apis: Mapping[str, KaggleApi], browsed: frozenset[str]) -> None:
        self._crawler, self._apis, self._browsed = crawler, apis, browsed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for api in self._apis.values():
            await api.close()

    async def list_competitions(self, platform: str) -> list[CompetitionRef]:
        """All competitions that the platform lists; see `Crawler.list_competitions`."""
        api = self._apis.get(platform)
        if api is not None:
            try:
                return await api.list_competitions()
            except SiteError as error:
                self._fall_back(platform, platform, error)
        return await self._crawler.list_competitions(platform)

    async def read(self, ref: CompetitionRef) -> Reading:
        """One competition; see `Crawler.read`."""
        api = self._apis.get(ref.platform)
        if api is not None:
            try:
                return await api.read(ref)
            except SiteError as error:
                self._fall_back(ref.platform, f"{ref.platform}/{ref.slug}", error)
        return await self._crawler.read(ref)

    def _fall_back(self, platform: str, what: str, error: SiteError) -> None:
        """Tell why the browser reads it; where it may not, the error stands, and says so."""
        if platform not in self._browsed:
            error.add_note(f"The browser may not read it either: set TAM_ALLOW_BROWSER={platform} if it may.")
            raise error
        _log.warning("%s: the browser reads it: %s", what, error)


def official(sites: Mapping[str, str], settings: Settings) -> dict[str, KaggleApi]:
    """The official APIs to use: those that the user has a token for.

    A site that is served elsewhere than at its home has none, unless the settings name its API too: a token
    is never sent to the address of a replica.

    Raises:
        SettingsError: half a token, a token file that cannot be used, or an API that is not https.
    """
    token = kaggle_token(settings)
    site = sites.get(_KAGGLE)
    if token is None or site is None:
        return {}
    platform = platform_named(_KAGGLE)
    if site.rstrip("/") != platform.home and settings.kaggle_api == KAGGLE_API:
        return {}
    politeness = Politeness(settings.requests_per_minute, settings.contact, settings.data / "turns.sqlite")
    return {_KAGGLE: KaggleApi(token, platform, site, politeness, settings.page_timeout)}


def browsed(sites: Mapping[str, str], settings: Settings, apis: Mapping[str, object]) -> dict[str, str]:
    """The sites that the browser reads, or that it may read where the API cannot."""
    return {
        name: url
        for name, url in sites.items()
        if name not in apis or consented(platform_named(name), url, settings.allow_browser)
    }


def kaggle_token(settings: Settings) -> KaggleToken | None:
    """Kaggle's token from the settings or the file that they name.

    Raises:
        SettingsError: half a token, or a file that cannot be used; its content is not told.
    """
    key = settings.kaggle_key if settings.kaggle_key and settings.kaggle_key.get_secret_value() else None
    if key and settings.kaggle_username:
        return KaggleToken(settings.kaggle_api, settings.kaggle_username, key)
    if key or settings.kaggle_username:
        raise SettingsError("Half a token: set both TAM_KAGGLE_USERNAME and TAM_KAGGLE_KEY, or neither.")
    if settings.kaggle_json is None:
        return None
    found = _read_token(settings.kaggle_json)
    return KaggleToken(settings.kaggle_api, found.username, found.key)


def _read_token(path: Path) -> _KaggleFile:
    try:
        return _KaggleFile.model_validate(json.loads(path.expanduser().read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError(f"TAM_KAGGLE_JSON: {path} cannot be read ({error.strerror}).") from None
    except (ValueError, ValidationError):  # neither is chained: both may quote the file
        raise SettingsError(
            f"TAM_KAGGLE_JSON: {path} is not the file that Kaggle gives: it must hold a JSON object with "
            f"`username` and `key`."
        ) from None
