"""Feature columns that show hidden values: numbers, words, small images, short sounds and graphs.

Every row of a data set has three hidden standard normal values. A column shows some of them with some noise;
the target (`demo.targets`) depends on the same values, so there is something to learn, and a limit to it.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtr

from demo.specs import ColumnSpec

Floats = NDArray[np.float64]
"""A column of numbers, or rows × hidden values."""
Cells = dict[str, list[str]]
"""Printed cells by column name."""
HIDDEN = 3


def render(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    """The printed column or columns of `spec`; `hidden` is rows × `HIDDEN`."""
    return _RENDERERS[spec.kind](spec, hidden, rng)


def blurred(values: Floats, noise: float, rng: Generator) -> Floats:
    """`values` (standard normal) mixed with chance so that they stay standard normal."""
    return np.asarray(np.sqrt(1 - noise**2) * values + noise * rng.standard_normal(values.shape))


def bins(values: Floats, count: int) -> NDArray[np.int64]:
    """Which of `count` equally likely bins a standard normal value falls into."""
    return np.minimum((ndtr(values) * count).astype(np.int64), count - 1)


def _number(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    values = spec.mean + spec.sd * blurred(hidden[:, spec.of], spec.noise, rng)
    return {spec.name: [f"{value:.{spec.decimals}f}" for value in values]}


def _category(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    chosen = bins(blurred(hidden[:, spec.of], spec.noise, rng), len(spec.levels))
    return {spec.name: [spec.levels[place] for place in chosen]}


def _text(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    """Two sentences a row; each word is drawn from the group that its hidden value points to."""
    texts = []
    for row in hidden:
        sentences = []
        for _ in range(2):
            frame = spec.frames[int(rng.integers(len(spec.frames)))]
            seen = blurred(row, spec.noise, rng)
            groups = [pool[bins(seen[[place]], len(pool))[0]] for place, pool in enumerate(spec.pools)]
            sentences.append(frame.format(*(group[int(rng.integers(len(group)))] for group in groups)))
        texts.append(" ".join(sentences))
    return {spec.name: texts}


def _image(spec: ColumnSpec, hidden: Floats, rng: Generator) -> NDArray[np.int64]:
    """Rows × side² grey values; brightness, height of a bright patch and strength of stripes are hidden."""
    side = spec.size
    down, across = np.mgrid[0:side, 0:side] / (side - 1)
    level, height, stripes = (hidden[:, place, None, None] for place in range(HIDDEN))
    patch = np.exp(-8 * ((down - ndtr(height)) ** 2 + (across - 0.5) ** 2))
    picture = 110 + 22 * level + 70 * patch + 16 * stripes * np.cos(3 * np.pi * across)
    picture = picture + 60 * spec.noise * rng.standard_normal(picture.shape)
    return np.asarray(np.clip(np.rint(picture), 0, 255).reshape(len(hidden), -1), dtype=np.int64)


def _pixels(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    return _many(spec.name, _image(spec, hidden, rng).astype(str))


def _pixel_text(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    return {spec.name: [" ".join(row) for row in _image(spec, hidden, rng).astype(str)]}


def _waveform(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    """One cell of samples: pitch, overtone and hiss are hidden values; the phase is chance."""
    time = np.arange(spec.size) / spec.size
    pitch = 6 + 3 * ndtr(hidden[:, [0]])
    phase = rng.uniform(0, 2 * np.pi, (len(hidden), 1))
    wave = np.sin(2 * np.pi * pitch * time + phase)
    wave = wave + (0.2 + ndtr(hidden[:, [1]])) * np.sin(2 * np.pi * 2.5 * pitch * time + phase)
    hiss = (spec.noise + 0.8 * ndtr(hidden[:, [2]])) * rng.standard_normal(wave.shape)
    samples = np.rint(1000 * (wave + hiss)).astype(np.int64).astype(str)
    return {spec.name: [" ".join(row) for row in samples]}


def _spectrum(spec: ColumnSpec, hidden: Floats, rng: Generator) -> Cells:
    """Decibels per band: two humps whose places are hidden values, and a slope that is the third."""
    band = np.linspace(-2, 2, spec.size)
    first, second, slope = (hidden[:, [place]] for place in range(HIDDEN))
    decibels = (
        -60 + 18 * np.exp(-((band - first) ** 2)) + 12 * np.exp(-((band + second) ** 2)) + 4 * slope * band
    )
    decibels = decibels + 10 * spec.noise * rng.standard_normal(decibels.shape)
    return _many(spec.name, np.char.mod("%.1f", decibels))


def _many(name: str, cells: "NDArray[np.str_]") -> Cells:
    width = len(str(cells.shape[1] - 1))
    return {f"{name}_{place:0{width}d}": cells[:, place].tolist() for place in range(cells.shape[1])}


_RENDERERS: Mapping[str, Callable[[ColumnSpec, Floats, Generator], Cells]] = {
    "number": _number,
    "category": _category,
    "text": _text,
    "pixels": _pixels,
    "pixel_text": _pixel_text,
    "waveform": _waveform,
    "spectrum": _spectrum,
}
