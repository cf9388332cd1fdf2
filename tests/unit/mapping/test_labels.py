"""Modality and domain from words, files and tags."""

import pytest

from mapping.labels import domain_of, modality_of
from schema.capture import PageKind
from schema.page import Page
from schema.task import Domain, Modality


def pages(overview: str, data: str) -> list[Page]:
    return [Page(PageKind.OVERVIEW, "", overview), Page(PageKind.DATA, "", data)]


@pytest.mark.parametrize(
    ("overview", "data", "modality"),
    [
        (
            "Predict the price of a used bicycle from its features.",
            "train.csv: 12 numeric and categorical columns, one row per sale; test.csv.",
            Modality.TABULAR,
        ),
        (
            "Classify each photograph of a fern by species. The images were taken in greenhouses.",
            "`train_images/`: JPG images, `train.csv`: labels. Each image is 512 pixels wide.",
            Modality.IMAGE,
        ),
        (
            "Which frog calls in this audio recording? Each sound clip is ten seconds long.",
            "train_audio/: recordings as .ogg files, such as a1.ogg. train.csv: labels.",
            Modality.AUDIO,
        ),
        (
            "Decide whether a comment is sarcastic. Comments are short texts, one to three sentences.",
            "train.csv: `id`, `text`, `label`. The text is written in English.",
            Modality.TEXT,
        ),
        (
            "Predict missing edges of a graph of trade routes between towns; towns are the nodes.",
            "nodes.csv lists the nodes, edges.csv the known edges of the graph.",
            Modality.GRAPH,
        ),
        (
            "Use the image of the product and its text together to predict the category.",
            "train.csv: image path and text of the description. train_images/: images.",
            Modality.MULTIMODAL,
        ),
    ],
)
def test_the_modality_is_told_by_words_and_files(overview: str, data: str, modality: Modality) -> None:
    found, evidence = modality_of(pages(overview, data))
    assert found is modality
    assert evidence is not None
    assert evidence.quote in overview + data


def test_nothing_speaks_in_empty_pages() -> None:
    assert modality_of([]) == (None, None)
    assert domain_of(pages("", "")) == (None, None)


def test_pages_that_tell_much_and_name_no_domain_are_of_another_one() -> None:
    overview = "Tell which of two breeds a photograph shows. " * 20
    domain, evidence = domain_of(pages(overview, ""))
    assert domain is Domain.OTHER
    assert evidence is not None
    assert overview.startswith(evidence.quote)
    assert domain_of(pages("Tell which of two breeds a photograph shows.", ""))[0] is None


def test_a_word_in_passing_makes_no_domain_of_a_long_page() -> None:
    short = "Guess who speaks; patients and doctors do. "
    assert domain_of(pages(short, ""))[0] is Domain.MEDICINE
    assert domain_of(pages(short + "One of ten chairs is shown from above. " * 400, ""))[0] is Domain.OTHER


def test_the_address_of_a_picture_is_not_the_data() -> None:
    overview = "![banner](https://example.org/header.png) Predict the sales of a store."
    assert modality_of(pages(overview, "train.csv: features, one column each"))[0] is Modality.TABULAR


def test_the_site_s_tags_count() -> None:
    quiet = pages("Who did it?", "train.csv and test.csv")
    assert modality_of(quiet, tags=("graph",))[0] is Modality.GRAPH


@pytest.mark.parametrize(
    ("overview", "domain"),
    [
        ("Predict which patients have the disease; hospitals recorded clinical notes.", Domain.MEDICINE),
        ("Predict which loans the bank should give; credit and fraud matter.", Domain.FINANCE),
        ("Predict the electricity that the wind turbines feed into the power grid.", Domain.ENERGY),
        ("Predict the folding of proteins from their amino acids and genes.", Domain.BIOINFORMATICS),
        ("Detect malware and phishing attacks on the network.", Domain.SECURITY),
    ],
)
def test_the_domain_is_told_by_words(overview: str, domain: Domain) -> None:
    assert domain_of(pages(overview, ""))[0] is domain
