"""What a row's file is beside its content: its size, header, first and last bytes, and their number."""

import gzip
import struct
import warnings
import wave
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np
from PIL.Image import DecompressionBombError

from preparation.leaks.leak import Leak, LeakKind
from preparation.leaks.parts import Parts, shown
from preparation.leaks.skill import Floats
from preparation.leaks.views import best_value

_HEAD, _TAIL = 64, 8
"""Bytes looked at from the front and from the back."""
_HEADER = (
    "format",
    "mode",
    "channels",
    "sample rate",
    "bytes of a sample",
    "header field",
    "EXIF field",
    "time of packing",
)
"""Features that content does not set, only the way in which a file was written."""
_SMALL = 256 << 10
"""Bytes of a file that is read whole, as a text may be."""
_LETTERS = 80
_CONTAINER = "whole header"
_SIDE = 16
_PICTURE_FAULTS = (OSError, ValueError, SyntaxError, ArithmeticError, LookupError, DecompressionBombError)


def telling_features(parts: Parts, threshold: float) -> Iterator[Leak]:
    """Sizes, headers and first bytes of a row's files that predict a target."""
    if parts.links is None:
        return
    folders = Counter(PurePosixPath(name).parent for name in parts.public_files)
    train, test = (
        [_features(parts.folder, files, folders) for files in links.files] for links in parts.links
    )
    names = sorted({name for features in (*train, *test) for name in features})
    leaks = []
    for name in names:
        cells = [features.get(name, "") for features in train], [features.get(name, "") for features in test]
        told = best_value(parts.truths, *cells, tried=len(names), pooled=parts.pooled)
        if told is not None:
            told = replace(told, meaningless=name.startswith((*_HEADER, _CONTAINER)))
            if told.is_leak(threshold):
                leaks.append((told, name))
    if leaks:
        leaks.sort(
            key=lambda leak: (-leak[0].skill, leak[1].startswith("byte"), not leak[1].startswith(_HEADER))
        )
        told, name = leaks[0]
        example = next(min(files) for files in parts.links[1].files if files)
        more = f" So do {shown([other for _, other in leaks[1:]])}." if len(leaks) > 1 else ""
        said = told.sentence(f"{name} of the test part's files ({example} is one)") + more
        yield Leak(
            kind=LeakKind.FILE_FEATURE, file=example, column=name, figure=round(told.skill, 6), said=said
        )


def _features(root: Path, files: Sequence[str], folders: Counter[PurePosixPath]) -> dict[str, str]:
    if not files:
        return {}
    first = min(files)
    path = root / first
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_SMALL)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
    found = {
        "size": str(size),
        "number of files": str(len(files)),
        "number of files in the folder": str(folders[PurePosixPath(first).parent]),
        **{f"byte {place}": str(byte) for place, byte in enumerate(head[:_HEAD])},
        **{f"byte {len(tail) - place} from the end": str(byte) for place, byte in enumerate(tail)},
        **_image(path),
        **_sound(path),
        **_gzip(path),
        **(_text(head) if size <= _SMALL else {}),
    }
    header = [f"{name} {value}" for name, value in found.items() if name.startswith(_HEADER)]
    return found | {_CONTAINER: ", ".join(header)} if header else found


def _image(path: Path) -> dict[str, str]:
    """Size, mode, and what else a picture's header says; nothing for what is no picture."""
    from PIL import ExifTags, Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(path) as image:
                found = {
                    "format": str(image.format),
                    "mode": image.mode,
                    "width": str(image.width),
                    "height": str(image.height),
                }
                found |= {
                    f"header field {name}": str(value)[:_LETTERS]
                    for name, value in image.info.items()
                    if isinstance(value, str | int | float | tuple)
                }
                for tag, value in image.getexif().items():
                    found[f"EXIF field {ExifTags.TAGS.get(tag, tag)}"] = str(value)[:_LETTERS]
                return found
        except _PICTURE_FAULTS:
            return {}


def _sound(path: Path) -> dict[str, str]:
    """What the header of a WAV file says."""
    try:
        with wave.open(str(path)) as sound:
            return {
                "channels": str(sound.getnchannels()),
                "sample rate": str(sound.getframerate()),
                "bytes of a sample": str(sound.getsampwidth()),
                "duration": f"{sound.getnframes() / max(1, sound.getframerate()):.4f}",
            }
    except (wave.Error, EOFError, RuntimeError, ValueError):
        return {}


def _gzip(path: Path) -> dict[str, str]:
    try:
        with gzip.open(path) as packed:
            packed.read(1)
            return {"time of packing": str(packed.mtime)}
    except (OSError, EOFError, zlib.error):
        return {}


def _text(data: bytes) -> dict[str, str]:
    """How a text is written; nothing for what is none."""
    if b"\0" in data:
        return {}
    ends = defaultdict(int, {"crlf": data.count(b"\r\n"), "lf": data.count(b"\n"), "cr": data.count(b"\r")})
    return {
        "line ends": " ".join(name for name in ends if ends[name]),
        "number of lines": str(ends["lf"]),
        "letters beyond ASCII": str(not data.isascii()),
    }


def fingerprint(path: Path) -> Floats | None:
    """A picture or a WAV file in 256 numbers, as an eye or ear would compare it; None for others."""
    found = _picture_print(path)
    return found if found is not None else _sound_print(path)


def _picture_print(path: Path) -> Floats | None:
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(path) as image:
                image.draft("L", (_SIDE * 4, _SIDE * 4))
                small = image.convert("L").resize((_SIDE, _SIDE), Image.Resampling.BOX)
                return np.asarray(small, dtype=np.float64).ravel()
        except _PICTURE_FAULTS:
            return None


def _sound_print(path: Path) -> Floats | None:
    """Energies of 16 bands in 16 pieces."""
    from scipy.io import wavfile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _, samples = wavfile.read(path)
        except (OSError, ValueError, ArithmeticError, LookupError, struct.error):
            return None
    values = np.asarray(samples, dtype=np.float64).reshape(len(samples), -1).mean(axis=1)
    if len(values) < _SIDE * _SIDE:
        return None
    pieces = np.array_split(values, _SIDE)
    spectra = [np.abs(np.fft.rfft(piece, max(len(piece), 4 * _SIDE))) for piece in pieces]
    bands = [[band.mean() for band in np.array_split(spectrum, _SIDE)] for spectrum in spectra]
    return np.log1p(np.array(bands)).ravel()
