"""The metric: as worded, and as one of the catalogue with parameters."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from mapping.evidence import quote, site_quote
from mapping.metric_names import MetricMatch, resolve
from mapping.rules.document import Document, Found, plain
from mapping.rules.sample import Sample
from mapping.rules.sections import Topic
from schema.competition import Competition
from schema.evidence import Evidence
from schema.metric import MetricCatalogue, MetricFacts
from schema.page import Page

# A metric of single values, given a file of several columns: what it then means. For root mean squared errors
# the mean is taken over all cells unless the page says column by column, which has a name of its own.
_SEVERAL_COLUMNS: Mapping[str, str] = {
    "log_loss": "multiclass_log_loss",
    "roc_auc": "mean_columnwise_roc_auc",
    "mae": "mean_columnwise_mae",
    "rmse": "pooled_rmse",
    "rmsle": "pooled_rmsle",
    "spearman": "mean_columnwise_spearman",
}
# A metric of single labels, given cells with several labels.
_SEVERAL_LABELS: Mapping[str, str] = {"micro_f1": "multilabel_micro_f1", "f1": "mean_set_f1"}


@dataclass(frozen=True, slots=True)
class MetricReading:
    """What the pages say about the metric."""

    facts: MetricFacts | None
    params: Mapping[str, object]
    name: str
    formula: str
    evidence: tuple[Evidence, ...]


_FENCED = re.compile(r"^[ \t]*```.*?^[ \t]*```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Passage:
    """A stretch of one page that is searched as a whole."""

    page: Page
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words; fenced blocks are blank, since column names there look like metrics."""
        return _FENCED.sub(lambda match: " " * len(match[0]), self.page.markdown[self.start : self.end])


def read_metric(
    document: Document, catalogue: MetricCatalogue, competition: Competition, sample: Found[Sample] | None
) -> MetricReading:
    """The metric, from the evaluation sections, else from the site's own name for it, else from all text."""
    for passage in _passages(document, evaluation=True):
        match = resolve(passage.text, catalogue)
        if match is not None:
            return _reading(passage, match, catalogue, sample)
    site_name = " ".join((competition.metric_name or "").split())
    if site_name and (match := resolve(site_name, catalogue)):
        facts = _refined(match, catalogue, sample)
        params = match.params if facts else {}
        fields = ["metric_id"] * bool(facts) + ["metric_params"] * bool(params)
        evidence = _site(competition, *fields, "metric.metric_name")
        return MetricReading(facts, params, site_name, "", evidence)
    for passage in _passages(document, evaluation=False):
        match = resolve(passage.text, catalogue, stated=True)
        if match is not None:
            return _reading(passage, match, catalogue, sample)
    return _unknown(document, competition)


def _passages(document: Document, *, evaluation: bool) -> Iterator[_Passage]:
    """Runs of neighbouring sections that are about evaluation, or all pages whole."""
    if not evaluation:
        yield from (_Passage(page, 0, len(page.markdown)) for page in document.pages)
        return
    run: _Passage | None = None
    for section in document.sections:
        if section.topic is Topic.EVALUATION:
            start = section.start - len(section.title)
            joins = run is not None and run.page is section.page
            run = (
                replace(run, end=section.end)
                if run and joins
                else _Passage(section.page, max(0, start), section.end)
            )
        elif run is not None:
            yield run
            run = None
    if run is not None:
        yield run


def _reading(
    passage: _Passage, match: MetricMatch, catalogue: MetricCatalogue, sample: Found[Sample] | None
) -> MetricReading:
    facts = _refined(match, catalogue, sample)
    page = passage.page
    start, end = passage.start + match.start, passage.start + (match.head_end or match.end)
    rest = _REST_OF_NAME.match(page.markdown, end, passage.end)
    end = rest.end() if rest else end
    field = "metric_id" if facts else "metric.metric_name"
    evidence = [quote(page, start, passage.start + match.end, field, f"alias: {match.alias}")]
    if facts is not None and facts.metric_id != match.metric_id and sample is not None:
        evidence.append(
            sample.evidence.model_copy(update={"field": "metric_id", "rule": "shape of the sample"})
        )
    evidence.append(quote(page, start, end, "metric.metric_name", "words of the page"))
    formula = _formula(page, passage.start, passage.end)
    if formula is not None:
        evidence.append(formula.evidence)
    name = re.sub(r"\]\(\S*|[\[\]]", "", plain(page.markdown[start:end]))
    stated = _stated_params(passage, match, facts)
    params = {**(stated.value if stated else {}), **match.params} if facts else {}
    if params:
        why = stated.evidence if stated and not match.params else evidence[0]
        evidence.append(why.model_copy(update={"field": "metric_params"}))
    return MetricReading(facts, params, name, formula.value if formula else "", tuple(evidence))


_REST_OF_NAME = re.compile(
    r"(?:['’]s)?"
    r"(?:[- ](?:rank|correlation|coefficients?|scores?|errors?|loss|curve|distance|index|similarity)\b"
    r"|[ ]?\([A-Z][\w@-]{1,9}\))*"
)
"""Words after an alias that still belong to the name; it always matches, if with nothing."""


def _refined(
    match: MetricMatch, catalogue: MetricCatalogue, sample: Found[Sample] | None
) -> MetricFacts | None:
    """The metric after a look at the sample: several columns or several labels make another one of some."""
    metric_id = match.metric_id
    if sample is not None:
        if sample.value.several_columns:
            metric_id = _SEVERAL_COLUMNS.get(metric_id, metric_id)
        elif sample.value.several_labels:
            metric_id = _SEVERAL_LABELS.get(metric_id, metric_id)
    return catalogue.get(metric_id) or catalogue.get(match.metric_id)


_K = re.compile(r"(?:@\s?|\btop[- ]|\bk\s?=\s?\$?|\bup to |\bfirst )(\d{1,4})\b", re.IGNORECASE)


def _stated_params(
    passage: _Passage, match: MetricMatch, facts: MetricFacts | None
) -> Found[dict[str, object]] | None:
    """The cut-off `k` where the name stands without it and the passage gives one."""
    if facts is None or ("k" not in facts.params and not facts.metric_id.endswith("_at_k")):
        return None
    found = _K.search(passage.text, match.start)
    if found is None:
        return None
    start, end = (passage.start + place for place in found.span())
    return Found(
        {"k": int(found[1])}, quote(passage.page, start, end, "metric_params", "cut-off of the page")
    )


_FORMULA = re.compile(
    r"\$\$.+?\$\$|\\\[.+?\\\]|\\begin\{(\w+\*?)\}.+?\\end\{\1\}|^[^\n]*\\(?:frac|sum|sqrt|log)\b[^\n]*$",
    re.DOTALL | re.MULTILINE,
)


def _formula(page: Page, start: int, end: int) -> Found[str] | None:
    match = _FORMULA.search(page.markdown, start, end)
    if match is None:
        return None
    evidence = quote(
        page, match.start(), match.end(), "metric.metric_formula", "first formula of the evaluation"
    )
    return Found(match.group().strip(), evidence)


_STATED = re.compile(
    r"(?:evaluated|scored|judged|ranked)\s+(?:on|by|using|with|according to"
    r"|based on)\s+(?:the |their |its |an? )?"
    r"(?P<name>[^.\n]{3,90})|metric\s+(?:is|will be)\s+(?:the |an? )?(?P<other>[^.\n]{3,90})",
    re.IGNORECASE,
)


def _unknown(document: Document, competition: Competition) -> MetricReading:
    """The words for a metric that the catalogue does not have."""
    for passage in _passages(document, evaluation=True):
        match = _STATED.search(passage.text)
        if match is not None:
            group = "name" if match["name"] else "other"
            start, end = (passage.start + place for place in match.span(group))
            evidence = quote(passage.page, start, end, "metric.metric_name", "evaluated on")
            formula = _formula(passage.page, passage.start, passage.end)
            found = (evidence, formula.evidence) if formula else (evidence,)
            return MetricReading(None, {}, match[group].strip(), formula.value if formula else "", found)
    site_name = " ".join((competition.metric_name or "").split())
    return MetricReading(None, {}, site_name, "", _site(competition, "metric.metric_name"))


def _site(competition: Competition, *fields: str) -> tuple[Evidence, ...]:
    found = (site_quote(competition, "metric_name", field) for field in fields)
    return tuple(evidence for evidence in found if evidence)
