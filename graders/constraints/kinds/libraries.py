"""Libraries and kinds of models."""

import re
from collections.abc import Iterable

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, forbidden, kind, required
from graders.constraints.opaque_code import hiding
from graders.constraints.steps import steps_changed
from graders.constraints.wording import any_suffices, listed, negated

_LIBRARIES = {
    "LightGBM": (r"light ?gbm", "lightgbm"),
    "XGBoost": (r"xgboost", "xgboost"),
    "CatBoost": (r"catboost", "catboost"),
    "scikit-learn": (r"scikit[- ]learn|sklearn", "sklearn"),
    "PyTorch": (r"py ?torch", "torch"),
    "TensorFlow": (r"tensor ?flow", "tensorflow"),
    "Keras": (r"keras", "keras"),
    "JAX": (r"jax", "jax"),
    "fastai": (r"fast\.?ai", "fastai"),
    "Transformers": (r"transformers library|hugging ?face(?: transformers)?", "transformers"),
    "AutoGluon": (r"autogluon", "autogluon"),
    "H2O": (r"h2o", "h2o"),
    "pandas": (r"pandas", "pandas"),
    "Polars": (r"polars", "polars"),
    "NumPy": (r"numpy", "numpy"),
    "spaCy": (r"spacy", "spacy"),
    "NLTK": (r"nltk", "nltk"),
    "librosa": (r"librosa", "librosa"),
    "OpenCV": (r"open ?cv|cv2", "cv2"),
    "NetworkX": (r"networkx", "networkx"),
    "DGL": (r"dgl", "dgl"),
    "PyTorch Geometric": (r"(?:py)?torch[_ ]geometric|pyg", "torch_geometric"),
    "statsmodels": (r"statsmodels", "statsmodels"),
    "Prophet": (r"prophet", "prophet"),
    "Optuna": (r"optuna", "optuna"),
    "timm": (r"timm", "timm"),
}
_LEARNING = frozenset(
    {"lightgbm", "xgboost", "catboost", "sklearn", "torch", "tensorflow", "keras", "jax", "fastai"}
    | {"transformers", "autogluon", "h2o", "statsmodels", "prophet", "timm", "dgl", "torch_geometric"}
)
_NETWORKS = frozenset({"torch", "tensorflow", "keras", "jax", "flax", "transformers", "fastai", "timm"})
_MODELS = {
    "a random forest": (r"random forests?", r"RandomForest\w*|RandomForest"),
    "gradient boosting": (
        r"gradient[- ]boost\w*|gbdt|boosted trees",
        r"\w*GradientBoosting\w*|LGBM\w+|XGB\w+|CatBoost\w*|lightgbm\.train|xgboost\.train",
    ),
    "a decision tree": (r"decision trees?", r"DecisionTree\w+"),
    "logistic regression": (r"logistic regression", r"LogisticRegression\w*|Logit"),
    "linear regression": (
        r"linear regression|linear models?",
        r"LinearRegression|Ridge\w*|Lasso\w*|ElasticNet\w*|OLS",
    ),
    "a support vector machine": (r"svms?|support vector\w*(?: machines?)?", r"(?:Linear|Nu)?SV[CR]"),
    "nearest neighbours": (r"k-?nn|(?:k-)?nearest neighbou?rs?", r"KNeighbors\w+|NearestNeighbors"),
    "naive Bayes": (r"na[iï]ve bayes", r"\w+NB"),
    "a recurrent network": (
        r"lstms?|grus?|rnns?|recurrent(?: neural)? networks?",
        r"LSTM\w*|GRU\w*|RNN\w*|SimpleRNN",
    ),
    "a convolutional network": (
        r"cnns?|convolutional(?: neural)? networks?|convnets?",
        r"Conv[123]D|Conv[123]d|resnet\w*|ResNet\w*|EfficientNet\w*|efficientnet\w*|convnext\w*|vgg\w*|VGG\w*",
    ),
    "a transformer": (
        r"transformers?(?:-based)?(?: models?| architectures?)?|bert|roberta|deberta",
        r"AutoModel\w*|Bert\w+|Roberta\w+|Deberta\w+|Transformer\w*|MultiheadAttention|MultiHeadAttention|SentenceTransformer",
    ),
    "a neural network": (
        r"neural net(?:work)?s?|deep learning|mlps?",
        r"MLP\w+|Linear|Dense|Sequential|Conv[123]d|Conv[123]D|LSTM|GRU|AutoModel\w*",
    ),
    "an ensemble of trees": (
        r"ensembles? of (?:decision )?trees|tree ensembles?",
        r"RandomForest\w*|ExtraTrees\w*|\w*GradientBoosting\w*|LGBM\w+|XGB\w+|CatBoost\w*|lightgbm\.train|xgboost\.train",
    ),
    "an ensemble": (r"ensembl\w+|stacking", r"Voting\w+|Stacking\w+|Bagging\w+"),
}
_BY_NAME = frozenset({"create_model", "get_model", "make_model"})
"""Functions of libraries that make the model whose name they are given."""
_CLOSED = re.compile(r"\b(?:only|exclusively|solely|nothing but)\b", re.IGNORECASE)


@kind
def library(text: str, facts: Facts) -> KindFinding | None:
    """`Use LightGBM`, `do not use XGBoost`, `only scikit-learn`: imported and really used."""
    named = {
        name: module
        for name, (words, module) in _LIBRARIES.items()
        if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
    }
    if not named:
        return None
    used = {name: _used_lines(facts, module) for name, module in named.items()}
    if negated(text):
        made = [call.line for call in facts.calls if call.name.split(".")[0] in named.values()]
        imported = [line for module, line in facts.imports.items() if module.split(".")[0] in named.values()]
        return forbidden([*imported, *made], listed(named), facts)
    if _CLOSED.search(text) and _LEARNING & set(named.values()):
        others = _LEARNING - set(named.values())
        strange = [line for module, line in facts.imports.items() if module.split(".")[0] in others]
        strange += [call.line for call in facts.calls if call.name.split(".")[0] in others]
        closed = forbidden(strange, "another library", facts)
        if not closed.kept:
            return closed
    finding = _all_or_any(text, used)
    if finding.kept is None and not hiding(facts) and not _imported(facts, named.values()):
        return KindFinding(kept=False, reason=f"The code never imports {listed(named)}.")
    return finding


@kind
def model(text: str, facts: Facts) -> KindFinding | None:
    """`Use a random forest`, `no neural networks`: a model that is made and then used."""
    named = {
        name: classes
        for name, (words, classes) in _MODELS.items()
        if re.search(rf"\b(?:{words})\b", text, re.IGNORECASE)
    }
    if "a convolutional network" in named or "a recurrent network" in named:
        named.pop("a neural network", None)  # `recurrent neural networks` name one kind, not two
    if "an ensemble of trees" in named:
        named.pop("an ensemble", None)
    if re.search(r"\btransformers library\b", text, re.IGNORECASE):
        named.pop("a transformer", None)
    if not named:
        return None
    made = {name: [call for call in facts.calls if _makes(facts, call, named[name])] for name in named}
    if negated(text):
        lines = [call.line for calls in made.values() for call in calls]
        if "a neural network" in named:
            lines += [line for module, line in facts.imports.items() if module.split(".")[0] in _NETWORKS]
        return forbidden(lines, listed(named), facts)
    shown = {name: [call.line for call in made[name] if facts.reaches_output(call)] for name in made}
    found = _all_or_any(text, shown)
    changed = steps_changed(facts)
    if found.kept and changed:
        return KindFinding(kept=None, reason="Steps of a pipeline are replaced later.", lines=changed)
    return found


def _imported(facts: Facts, modules: Iterable[str]) -> bool:
    wanted = {*modules}
    return any(module.split(".")[0] in wanted for module in facts.imports) or "keras" in wanted


def _all_or_any(text: str, lines: dict[str, list[int]]) -> KindFinding:
    shown = [name for name in lines if lines[name]]
    if any_suffices(text) and shown:
        return required(_flat(lines.values()), listed(shown))
    absent = [name for name in lines if not lines[name]]
    return required((), listed(absent)) if absent else required(_flat(lines.values()), listed(lines))


def _used_lines(facts: Facts, module: str) -> list[int]:
    """Lines on which a call reaches into the module; an import alone is no use."""
    modules = (module, "tensorflow.keras") if module == "keras" else (module,)
    prefixes = tuple(f"{one}." for one in modules)
    return [
        call.line for call in facts.calls if call.name.startswith(prefixes) and facts.reaches_output(call)
    ]


def _makes(facts: Facts, call: Call, classes: str) -> bool:
    if re.fullmatch(classes, call.name):
        return True
    if call.last in _BY_NAME:
        chosen = facts.values(facts.argument(call, "model_name", "name", "arch", position=0), call.scope)
        return any(isinstance(one, str) and bool(re.match(classes, one)) for one in chosen)
    parts = call.name.split(".")
    if parts[0] == "own" or not any(re.fullmatch(classes, part) for part in parts):
        return False
    return id(call.node) not in facts.ignored  # made and never looked at again


def _flat(lines: Iterable[list[int]]) -> list[int]:
    return [line for some in lines for line in some]
