"""Steps of preparation and training that a call or an argument of a known name shows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graders.constraints.facts import Call, Facts
from graders.constraints.kinds import KindFinding, forbidden, kind, required, weakest
from graders.constraints.named_settings import given
from graders.constraints.steps import steps_changed
from graders.constraints.wording import negated


@dataclass(frozen=True, slots=True)
class Technique:
    """A step, how constraints word it, and how code does it."""

    name: str
    words: str
    calls: str
    """Pattern for a part of the called name, matched whole."""
    settings: frozenset[str] = frozenset()
    """Arguments that do it when they are given and not switched off."""


_TECHNIQUES = (
    Technique(
        "filling of missing values",
        r"(?:imput\w+|fill(?:ing)?)\b.{0,20}\b(?:missing|na|nan|null|values)|(?:missing|null) values must be"
        r" (?:filled|imputed)|imputation",
        r"SimpleImputer|KNNImputer|IterativeImputer|fillna|ffill|bfill|interpolate|fill_null|nan_to_num",
    ),
    Technique(
        "removal of rows without a value",
        r"(?:drop|remove|discard)\w*\b.{0,25}\b(?:missing|without an?|null|nan|unlabell?ed)",
        r"dropna|drop_nulls",
    ),
    Technique(
        "scaling of features",
        r"(?:standardi[sz]|normali[sz]|scal)(?:e|es|ed|ing)\b.{0,20}\b(?:features?|columns?|inputs?|variables?)",
        r"\w*Scaler|Normalizer|QuantileTransformer|PowerTransformer|zscore",
    ),
    Technique(
        "one-hot encoding", r"one-?hot", r"OneHotEncoder|get_dummies|to_dummies|one_hot|to_categorical"
    ),
    Technique(
        "a logarithm of the target",
        r"log(?:arithm\w*)?[- ](?:transform\w*|scale)?.{0,15}\btarget|target.{0,25}\blog",
        r"log1p|log|log10|TransformedTargetRegressor",
    ),
    Technique("principal components", r"pca|principal components?", r"PCA|IncrementalPCA|TruncatedSVD"),
    Technique(
        "augmentation",
        r"(?<!test[- ]time )augment\w*",
        r"Random(?:Flip|Rotation|Zoom|Crop|ResizedCrop|HorizontalFlip|VerticalFlip|Affine|Erasing|Contrast)\w*"
        r"|HorizontalFlip|VerticalFlip|RandAugment|TrivialAugmentWide|AutoAugment|ColorJitter|Mixup|CutMix",
    ),
    Technique("resizing", r"resiz\w+", r"Resize|resize|RandomResizedCrop"),
    Technique("greyscale images", r"gr[ae]y-?scale", r"Grayscale|rgb_to_grayscale|to_grayscale|rgb2gray"),
    Technique("lower case", r"lower-?\s?cas\w+", r"lower|casefold|str_to_lowercase|to_lowercase"),
    Technique(
        "removal of stop words", r"stop-?\s?words?", r"stopwords|StopWordsRemover", frozenset({"stop_words"})
    ),
    Technique("TF-IDF", r"tf-?idf", r"Tfidf\w+"),
    Technique(
        "mel spectrograms or MFCCs",
        r"mel[- ]?spectrograms?|mfccs?",
        r"melspectrogram|MelSpectrogram|mfcc|MFCC",
    ),
    Technique("lags", r"lag(?:ged)? features?|lags", r"shift|lag"),
    Technique("removal of duplicates", r"duplicat\w+|dedup\w+", r"drop_duplicates|unique"),
    Technique(
        "clipping of gradients",
        r"clip\w*\b.{0,10}\bgradients?|gradient[- ]clipping",
        r"clip_grad_norm_|clip_grad_value_|clip_by_global_norm",
        frozenset({"max_grad_norm", "clipnorm", "clipvalue", "gradient_clip_val"}),
    ),
    Technique(
        "dropout",
        r"drop-?out",
        r"(?:Spatial)?Dropout\w*",
        frozenset({"dropout", "dropout_rate", "drop_rate", "hidden_dropout_prob", "attention_dropout"}),
    ),
    Technique(
        "class weights",
        r"class[- ]weights?|(?:weigh|balance) the classes"
        r"|weights? of (?:the )?classes|class[- ]imbalance|imbalance of (?:the )?classes",
        r"compute_class_weight|compute_sample_weight|SMOTE|RandomOverSampler|WeightedRandomSampler",
        frozenset({"class_weight", "class_weights", "scale_pos_weight", "pos_weight", "is_unbalance"}),
    ),
    Technique("label smoothing", r"label[- ]smoothing", r"LabelSmoothing\w*", frozenset({"label_smoothing"})),
    Technique("a cosine schedule", r"cosine\b.{0,25}\bschedul\w+", r"Cosine\w+|get_cosine_schedule\w*"),
    Technique("the SGD optimiser", r"sgd|stochastic gradient descent", r"SGD|SGDClassifier|SGDRegressor"),
    Technique("an Adam optimiser", r"adamw?", r"AdamW?|Adam8bit"),
    Technique("SHAP values", r"shap", r"shap|TreeExplainer|KernelExplainer"),
    Technique(
        "calibration", r"calibrat\w+", r"CalibratedClassifierCV|IsotonicRegression|isotonic_regression"
    ),
    Technique("a split in time", r"time-?\s?series (?:split|cross)|time[- ]ordered", r"TimeSeriesSplit"),
    Technique(
        "a search of hyperparameters",
        r"(?:search|tun)\w*\b.{0,20}\bhyper-?parameters?|hyper-?parameter (?:search|tuning|optimi[sz]ation)"
        r"|grid search",
        r"\w+SearchCV|create_study|BayesianOptimization|fmin",
    ),
    Technique("a stratified split", r"stratif\w+", r"\w*Stratified\w+", frozenset({"stratify"})),
)
_OFF: frozenset[object] = frozenset({None, False, ""})
_SHOWS_ELSEWHERE = frozenset({"a split in time", "a stratified split"})
"""Validation is done for its printed figure: it need not reach the output."""


@kind
def technique(text: str, facts: Facts) -> KindFinding | None:
    """`Impute missing values`, `use dropout`, `no augmentation`."""
    return weakest(
        [
            _judged(text[: match.start()] + " " + text[match.end() :], facts, one)
            for one in _TECHNIQUES
            if (match := re.search(rf"\b(?:{one.words})\b", text, re.IGNORECASE))
        ]
    )


def _judged(around: str, facts: Facts, one: Technique) -> KindFinding:
    calls = [call for call in facts.calls if _does(call, one)]
    settings = [
        setting
        for setting in given(facts, one.settings, variables=False)
        if not facts.values(setting.node, setting.scope) & _OFF
    ]
    # `not random folds` after what is asked for negates something else
    asked = re.split(r",?\s+(?:not|instead of|rather than)\s", around, maxsplit=1)[0]
    if negated(asked):
        return forbidden([*_lines(calls), *(setting.line for setting in settings)], one.name, facts)
    if one.name not in _SHOWS_ELSEWHERE:
        calls = [call for call in calls if facts.reaches_output(call)]
        settings = [setting for setting in settings if setting.counts]
    else:
        calls = [call for call in calls if id(call.node) not in facts.ignored]
    found = required([*_lines(calls), *(setting.line for setting in settings)], one.name)
    changed = steps_changed(facts)
    if found.kept and changed:
        return KindFinding(kept=None, reason="Steps of a pipeline are replaced later.", lines=changed)
    return found


def _does(call: Call, one: Technique) -> bool:
    parts = call.name.split(".")
    return parts[0] != "own" and any(re.fullmatch(one.calls, part) for part in parts)


def _lines(calls: list[Call]) -> Iterator[int]:
    return (call.line for call in calls)
