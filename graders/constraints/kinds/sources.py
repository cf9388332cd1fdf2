"""The internet, external data and pre-trained models."""

import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import SILENT, KindFinding, forbidden, kind, required
from graders.constraints.opaque_code import unread_arguments
from graders.constraints.wording import negated

_NETWORK_MODULES = frozenset(
    {
        "requests",
        "urllib",
        "urllib3",
        "httpx",
        "aiohttp",
        "socket",
        "ftplib",
        "wget",
        "gdown",
        "kaggle",
        "kagglehub",
    }
    | {
        "huggingface_hub",
        "openai",
        "anthropic",
        "boto3",
        "paramiko",
        "http",
        "pycurl",
        "selenium",
        "playwright",
    }
    | {"smtplib", "telnetlib", "yfinance", "datasets", "websocket", "websockets", "google.generativeai"}
)
_HARMLESS = ("urllib.parse", "http.HTTPStatus")
_URL = re.compile(r"^(?:https?|ftp|s3|gs|hf)://", re.IGNORECASE)
_SHELL = re.compile(r"\b(?:curl|wget|pip3? install|git clone|kaggle|conda install)\b")
_DATA_LOADERS = re.compile(
    r"(?:^|\.)(?:sklearn\.datasets\.(?:fetch|load)_\w+|load_dataset|nltk\.download|get_file|tfds\.load)$"
    r"|(?:keras|torchvision|torchaudio|torchtext)\.datasets\."
)
_PRETRAINED = re.compile(
    r"(?:^|\.)(?:from_pretrained|torch\.hub\.load\w*|load_url|tensorflow_hub\.\w+|SentenceTransformer|spacy\.load)$|gensim\.downloader\.load$"
)
_NOT_TRAINED: frozenset[object] = frozenset(
    {None, False, "", "uniform", "distance", "balanced", "linear", "quadratic"}
)
"""Values of `weights` that are no trained ones."""
_ABOUT_NETWORK = re.compile(
    r"\b(?:internet|network access|online|web access|api calls?|download\w*)\b"
    r"|(?<!neural )\bnetwork (?:must|may|shall|can|should)(?:not| not) be (?:accessed|reached)\b",
    re.IGNORECASE,
)
_ABOUT_DATA = re.compile(
    r"\b(?:external|additional|outside|extra|third[- ]party)\b[\w ,/&-]{0,30}"
    r"\b(?:data|datasets?|sources?|images?|texts?|corpora|recordings?|files?)\b",
    re.IGNORECASE,
)
_ONLY_GIVEN = re.compile(
    r"\bonly\b[\w ,]{0,25}\b(?:provided|given|supplied|training (?:data|set)|competition)\b"
    r"|\b(?:provided|given|supplied)\b[\w ]{0,20}\bonly\b",
    re.IGNORECASE,
)
_ABOUT_PRETRAINED = re.compile(r"\bpre-?trained\b|\bimagenet (?:weights|backbones?)\b", re.IGNORECASE)
_FROM_SCRATCH = re.compile(r"\bfrom scratch\b|\brandom(?:ly)? initiali[sz]\w+", re.IGNORECASE)


@kind
def network(text: str, facts: Facts) -> KindFinding | None:
    """`Internet access is disabled`, `do not download anything`."""
    if not _ABOUT_NETWORK.search(text) or not negated(text):
        return None
    return forbidden(
        [*_network_lines(facts), *(call.line for call in _pretrained_calls(facts))],
        "access to the internet",
        facts,
    )


@kind
def external_data(text: str, facts: Facts) -> KindFinding | None:
    """`No external data`, `only the provided training set`; `external data is allowed` demands nothing."""
    if (_ABOUT_DATA.search(text) and negated(text)) or _ONLY_GIVEN.search(text):
        return forbidden(_network_lines(facts), "data from elsewhere", facts)
    return None


@kind
def pretrained(text: str, facts: Facts) -> KindFinding | None:
    """`No pre-trained models`, `use a pre-trained model`."""
    scratch = bool(_FROM_SCRATCH.search(text)) and not negated(text)
    if not scratch and not _ABOUT_PRETRAINED.search(text):
        return None
    calls = list(_pretrained_calls(facts))
    if scratch or negated(text):
        lines = [call.line for call in calls]
        return forbidden(lines, "a pre-trained model", facts, also_hidden=unread_arguments(facts))
    return required((call.line for call in calls if facts.reaches_output(call)), "a pre-trained model")


def _network_lines(facts: Facts) -> Iterator[int]:
    for module, line in facts.imports.items():
        root = module.split(".")[0]
        if (root in _NETWORK_MODULES or module in _NETWORK_MODULES) and not module.startswith(_HARMLESS):
            yield line
    for call in facts.calls:
        if _DATA_LOADERS.search(call.name) or (call.last not in SILENT and _reaches_out(facts, call)):
            yield call.line


def _reaches_out(facts: Facts, call: Call) -> bool:
    texts = facts.texts(call.node, call.scope)
    shell = call.last in ("system", "getoutput", "run_cell_magic") or call.name.startswith(
        ("subprocess.", "os.system", "os.popen")
    )
    joined = " ".join(sorted(texts))
    return any(_URL.match(text.strip()) for text in texts) or (shell and bool(_SHELL.search(joined)))


def _pretrained_calls(facts: Facts) -> Iterator[Call]:
    for call in facts.calls:
        weights = facts.argument(call, "weights", "pretrained", "encoder_weights")
        values = facts.values(weights, call.scope)
        unset = weights is None or (bool(values) and values <= _NOT_TRAINED)
        if _PRETRAINED.search(call.name) or not unset:
            yield call
