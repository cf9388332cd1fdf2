"""Team names as boards really show them: many scripts, accents, emoji, commas, quotes and stray spaces."""

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

_UNUSUAL = 0.12
"""Share of names that are not two plain English words."""

_FIRST = (
    "Quiet", "Second", "Overfit", "Bayesian", "Salty", "Late", "Gradient", "Lucky", "Northern", "Random",
    "Humble", "Sparse", "Golden", "Midnight", "Noisy", "Paper", "Copper", "Velvet", "Stochastic", "Patient",
)  # fmt: skip
_SECOND = (
    "Otters", "Residuals", "Forest", "Kernels", "Pelicans", "Leakers", "Priors", "Turnips", "Baselines",
    "Folds", "Lighthouse", "Tensors", "Magpies", "Quantiles", "Sandwich", "Splines", "Hedgehogs", "Pipeline",
)  # fmt: skip
_PEOPLE = (
    "Zoë Brännström", "Łukasz Żuraw", "José Ñíguez", "Anaïs Lefèvre", "Øyvind Sæther", "Ümit Çağlar",
    "Þóra Ýr", "Nguyễn Thảo", "Дарья Ковш", "Μαρία Δήμου", "דנה לוי", "ليلى حداد", "अनन्या राव",
)  # fmt: skip
_CJK = (
    "梯度不下降",
    "山中有鹿",
    "过拟合小分队",
    "海边的贝叶斯",
    "夜の勾配",
    "たぬき学習会",
    "특징공학자",
    "青柠檬",
    "随机森林漫步",
)
_EMOJI = ("🦉 night shift", "🐢🐢🐢", "team 🍜", "🏔️ climbers", "just 1 GPU 😅", "🧵 threads")
_AWKWARD = (
    "Smith, Jones & Co", 'the "A" team', "O'Hara", "-", "null", "3,14", "<b>bold</b>", "100%", "a;b",
    "N/A yet", "Best team, honestly, ever",
)  # fmt: skip
_SPACED = (" leading space", "trailing space ", "  two  inside  ", "\u3000全角 ")


def team_names(rng: Generator, count: int, *, spaces: bool) -> list[str]:
    """`count` names, some of them unusual; with `spaces` some begin or end with one.

    A few names occur twice, as on real boards.
    """
    unusual: Sequence[Sequence[str]] = (_PEOPLE, _CJK, _EMOJI, _AWKWARD, *((_SPACED,) if spaces else ()))
    names = [_plain(*numbers) for numbers in rng.integers(0, 10**6, (count, 4)).tolist()]
    # Every kind of name occurs on every board, however short; the rest is left to chance.
    sure = rng.permutation(count)[: len(unusual)].tolist()
    lucky = np.flatnonzero(rng.random(count) < _UNUSUAL).tolist()
    for turn, place in enumerate(lucky + sure):
        pool = unusual[turn % len(unusual)]
        names[place] = pool[int(rng.integers(len(pool)))]
    return names


def _plain(style: int, first: int, second: int, number: int) -> str:
    one, two = _FIRST[first % len(_FIRST)], _SECOND[second % len(_SECOND)]
    two_digits = 2 + number % 97
    styles = (f"{one} {two}", f"{one}{two}", f"{two.lower()}_{two_digits}", f"{one} {two} {two_digits}")
    return styles[style % len(styles)]
