"""The internet, data from elsewhere, and weights that others trained."""

import ast
import re
from collections.abc import Iterator

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import SILENT, KindFinding, forbidden, kind, missing, required, unclear
from graders.constraints.opaque_code import unread_arguments
from graders.constraints.wording import Reading

_NETWORK_MODULES = frozenset(
    "requests urllib urllib3 httpx aiohttp socket ftplib wget gdown kaggle kagglehub huggingface_hub"
    " openai anthropic boto3 paramiko http pycurl selenium playwright smtplib telnetlib yfinance"
    " datasets websocket websockets google.generativeai".split()
)
_HARMLESS = ("urllib.parse", "http.HTTPStatus")
_URL = re.compile(r"^(?:https?|ftp|s3|gs|hf)://", re.IGNORECASE)
_SHELL = re.compile(r"\b(?:curl|wget|pip3? install|git clone|kaggle|conda install)\b")
_DATA_LOADERS = re.compile(
    r"(?:^|\.)(?:sklearn\.datasets\.(?:fetch|load)_\w+|load_dataset|nltk\.download|get_file|tfds\.load)$"
    r"|(?:keras|torchvision|torchaudio|torchtext)\.datasets\."
)
_PRETRAINED = re.compile(
    r"(?:^|\.)(?:from_pretrained|torch\.hub\.load\w*|load_url|tensorflow_hub\.\w+|SentenceTransformer|spacy\.load"
    r"|pipeline)$|gensim\.downloader\.load$"
)
_NOT_TRAINED: frozenset[object] = frozenset(
    {None, False, "", "uniform", "distance", "balanced", "linear", "quadratic"}
)
"""Values of `weights` that are no trained ones."""
_LOADS = re.compile(
    r"(?:^|\.)(?:load|load_model|load_weights|load_state_dict|restore|load_learner|load_file|safe_open|InferenceSession)$"
)
_OTHER_LOADS = ("own.", "numpy.", "json.", "librosa.", "yaml.", "toml")
_WEIGHTS = re.compile(
    r"\.(?:pth?|ckpt|h5|keras|safetensors|bin|onnx|pkl|joblib|tflite|model|vec)$", re.IGNORECASE
)
_DATA_FILE = re.compile(
    r"\.(?:csv|tsv|parquet|feather|jsonl?|xlsx?|npy|npz|zip|gz|txt|db|sqlite|pkl)$", re.IGNORECASE
)
_OUTSIDE = re.compile(
    r"^(?:\.\./(?!input\b|data\b)|~|/(?!kaggle/input|data|input|task|workspace|home/data|mnt/data)[^/]+/)"
)
_NO_ACCESS = (
    r"(?:any |the )?(?:internet|network|web|online)(?: access| connections?| resources?)?"
    r"|download\w*(?: (?:anything|data|files?))?"
)
_FOREIGN = (
    r"(?:any )?(?:external|additional|outside|extra|third[- ]party)(?:[\w ,/&-]{0,30}?)"
    r"(?:data|datasets?|sources?|images?|texts?|corpora|recordings?|files?)(?: sets?| sources?)?"
    r"(?: or other external data)?(?:,? (?:such as|like|e\.g\.|in particular|including|especially)\b.*"
    r"|, [\w ]+? (?:included|above all|in particular))?"
)
_ONLY_GIVEN = (
    r"only (?:the )?(?:provided|given|supplied|competition(?:'s)?) (?:data|datasets?|files?)(?: sets?)?"
    r"|only (?:the )?files of (?:this|the) (?:contest|competition|task)"
)
_LEARNED = (
    r"(?:any )?(?:pre-?trained|imagenet) ?(?:language |image |neural |word )?"
    r"(?:weights?|models?|networks?|embeddings?|backbones?|vectors?)?"
)


@kind
def network(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`Internet access is disabled`, `do not download anything`."""
    if reading.forbids and reading.take(_NO_ACCESS):
        reading.idle("anything from internet the access during run runs code any data online")
        lines = [*_network_lines(facts), *(call.line for call in _pretrained_calls(facts))]
        yield forbidden(lines, "access to the internet", facts)


@kind
def external_data(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`No external data`, `use only the provided data`; `external data is allowed` demands nothing."""
    if (reading.forbids and reading.take(_FOREIGN)) or (not reading.forbids and reading.take(_ONLY_GIVEN)):
        reading.idle("no not any of kind or data sources freely publicly available used")
        reading.take(r":? ?" + _ONLY_GIVEN)
        paths = [
            (path, call.line)
            for call in facts.calls
            if call.last not in SILENT
            for path in _paths(facts, call)
        ]
        lines = [*_network_lines(facts), *(line for path, line in paths if _OUTSIDE.match(path))]
        found = forbidden(lines, "data from elsewhere", facts)
        learned = [call.line for call in _pretrained_calls(facts)] + _foreign_weights(facts)
        yield unclear("What others trained is read.", learned) if found.kept and learned else found


@kind
def pretrained(reading: Reading, facts: Facts) -> Iterator[KindFinding]:
    """`No pre-trained models`, `train from scratch`, `use a pre-trained model`."""
    scratch = not reading.forbids and reading.take(r"from scratch")
    named = reading.take(_LEARNED)
    if not scratch and not named:
        return
    reading.idle("language image network networks neural model embeddings weights resources")
    calls = list(_pretrained_calls(facts))
    if scratch or reading.forbids:
        reading.idle("without no not any")
        hidden = [*unread_arguments(facts), *_unknown_weights(facts)]
        lines = [*(call.line for call in calls), *_foreign_weights(facts)]
        yield forbidden(lines, "a pre-trained model", facts, also_hidden=hidden)
    else:
        reading.idle("start starting encoder imagenet initialise initialize that which")
        loads = any(_LOADS.search(call.name) for call in facts.calls)
        shown = [call.line for call in calls if facts.counts(call.node)]
        yield (
            required(shown, "a pre-trained model")
            if calls or loads
            else missing(facts, "a pre-trained model")
        )


def _network_lines(facts: Facts) -> Iterator[int]:
    for module, line in facts.imports.items():
        known = module.split(".")[0] in _NETWORK_MODULES or module in _NETWORK_MODULES
        if known and not module.startswith(_HARMLESS):
            yield line
    for call in facts.calls:
        if _DATA_LOADERS.search(call.name) or (call.last not in SILENT and _reaches_out(facts, call)):
            yield call.line


def _reaches_out(facts: Facts, call: Call) -> bool:
    texts = facts.texts(call.node, call.scope)
    shell = call.last in ("system", "getoutput", "run_cell_magic") or call.name.startswith(
        ("subprocess.", "os.popen")
    )
    return any(_URL.match(text.strip()) for text in texts) or (
        shell and bool(_SHELL.search(" ".join(sorted(texts))))
    )


def _pretrained_calls(facts: Facts) -> Iterator[Call]:
    for call in facts.calls:
        weights = facts.argument(call, "weights", "pretrained", "encoder_weights")
        values = facts.values(weights, call.scope)
        unset = weights is None or (bool(values) and values <= _NOT_TRAINED)
        if (_PRETRAINED.search(call.name) and call.name != "sklearn.pipeline") or not unset:
            yield call


def _paths(facts: Facts, call: Call) -> list[str]:
    """Files named in the arguments of a call, that the program does not write itself."""
    parts = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    texts = {text for part in parts for text in facts.texts(part, call.scope)}
    return [text for text in texts if _DATA_FILE.search(text) or _WEIGHTS.search(text)]


def _foreign_weights(facts: Facts) -> list[int]:
    """Lines that load weights from a file that the program names, but never saves."""
    saved = {text for call in facts.calls if _saves(call) for text in facts.texts(call.node, call.scope)}
    return [
        call.line
        for call in facts.calls
        if call.last not in SILENT and not _saves(call)
        for path in _paths(facts, call)
        if _WEIGHTS.search(path) and not _DATA_FILE.search(path) and path not in saved
    ]


def _saves(call: Call) -> bool:
    return call.last.startswith(("save", "dump", "to_")) or call.last.endswith("Checkpoint")


def _unknown_weights(facts: Facts) -> list[tuple[str, int]]:
    """Loads of what nobody can say: a path from outside, or a pickle that the program may not have made."""
    saves = any(map(_saves, facts.calls))
    return [
        (f"{call.last}()", call.line)
        for call in facts.calls
        if _LOADS.search(call.name) and not call.name.startswith(_OTHER_LOADS)
        if not (saves or _own_state(facts, call))
    ]


def _own_state(facts: Facts, call: Call) -> bool:
    """`load_state_dict(best)` where `best` was kept in memory."""
    if call.last != "load_state_dict" or not call.node.args:
        return False
    inside = [part for part in ast.walk(call.node.args[0]) if isinstance(part, ast.Call)]
    return not any(_LOADS.search(facts.name_of(part.func)) for part in inside)
