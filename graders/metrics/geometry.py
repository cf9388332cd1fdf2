"""Directions, positions on the globe and camera poses."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from graders.metrics.cells import Floats
from graders.metrics.frame import Frame
from graders.metrics.problems import InvalidPredictionError, UndefinedScoreError
from graders.metrics.registry import PredictionKind, metric
from graders.metrics.scoring import check_range
from schema.metric import Direction

_KIND = PredictionKind.NUMERIC_COLUMNS
_TRIPLE = 3
_CHUNK = 4096


@metric(
    "mean_angular_error",
    Direction.MINIMIZE,
    bounds=(0, 3.141592653589793),
    kind=_KIND,
    aliases=(
        "mean angular error",
        "mean angular distance",
        "mean angle error",
        "mean angle between the predicted and true",
        "mean angle between the true and predicted",
    ),
)
def mean_angular_error(truth: Floats, predicted: Floats, *, unit: str = "radian") -> float:
    """Mean angular error: mean of arccos of the dot product of true and predicted directions.

    Columns are azimuth a and zenith z in radians, the direction is (sin z cos a, sin z sin a, cos z); angles
    are not bounded. `unit` "degree" gives the result in degrees. Source: Kaggle, IceCube - Neutrinos in Deep
    Ice.
    """
    dots = np.sum(_directions(truth) * _directions(predicted), axis=1)
    error = float(np.mean(np.arccos(np.clip(dots, -1, 1))))
    return float(np.degrees(error)) if unit.startswith("degree") else error


def _directions(angles: Floats) -> Floats:
    azimuth, zenith = angles.T
    return np.column_stack(
        [np.sin(zenith) * np.cos(azimuth), np.sin(zenith) * np.sin(azimuth), np.cos(zenith)]
    )


@metric(
    "position_error_percentile_mean",
    Direction.MINIMIZE,
    bounds=(0, None),
    kind=_KIND,
    aliases=(
        "50th and 95th percentile errors",
        "percentile distance errors",
        "mean of the 50th and 95th percentile",
    ),
)
def position_error_percentile_mean(
    frame: Frame,
    *,
    radius_m: float = 6371000,
    quantiles: Sequence[float] = (0.5, 0.95),
    quantile_interpolation: str = "linear",
    group: str = "tripId",
) -> float:
    """Mean of percentiles of position errors: `quantiles` of distances, mean per group, then over groups.

    Columns are latitude and longitude in degrees, the distance is the great circle's (haversine) in metres;
    latitudes beyond 90 and longitudes beyond 360 are refused (out_of_range). Groups are values of the
    answers' column `group`. Source: Kaggle, Smartphone Decimeter Challenge 2022.
    """
    truth, predicted = frame.truth_matrix(), frame.predicted_matrix()
    check_range(predicted[:, 0], (-90, 90))
    check_range(predicted[:, 1], (-360, 360))
    distances = _haversine(np.radians(truth), np.radians(predicted), radius_m)
    _, groups = np.unique(np.array(frame.answer_texts(group)), return_inverse=True)
    means = [
        np.quantile(distances[groups == index], quantiles, method=quantile_interpolation).mean()  # type: ignore[call-overload]
        for index in range(int(groups.max()) + 1)
    ]
    return float(np.mean(means))


def _haversine(left: Floats, right: Floats, radius: float) -> Floats:
    latitude, longitude = ((right - left) / 2).T
    chord = np.sin(latitude) ** 2 + np.cos(left[:, 0]) * np.cos(right[:, 0]) * np.sin(longitude) ** 2
    return np.asarray(2 * radius * np.arcsin(np.sqrt(np.clip(chord, 0, 1))))


@metric(
    "camera_centre_inlier_ratio",
    Direction.MAXIMIZE,
    bounds=(0, 1),
    kind=_KIND,
    aliases=(
        "camera centre inlier ratio",
        "mean average accuracy",
        "mean average accuracy ... camera centers",
    ),
)
def camera_centre_inlier_ratio(
    frame: Frame,
    *,
    threshold: float = 0.5,
    comparison: str = "<",
    alignment_model: str = "similarity from every triple of common images",
) -> float:
    """Camera centre inlier ratio: best share of centres within `threshold` after aligning by three.

    Targets are the nine numbers of R, row by row, then the three of T; a centre is -R^T T. For every triple
    of images the similarity that maps the predicted centres to the true ones by least squares (Umeyama 1991)
    is applied to all predicted centres. Undefined below three images. Source: Kaggle, Image Matching
    Challenge 2024, TAM-Bench's form.
    """
    del alignment_model  # the definition in words; there is one
    true, guess = _centres(frame.truth_matrix()), _centres(frame.predicted_matrix())
    if len(true) < _TRIPLE:
        raise UndefinedScoreError("The inlier ratio has no value: there are fewer than three images.")
    triples = np.array(list(combinations(range(len(true)), _TRIPLE)))
    chunks = [triples[start : start + _CHUNK] for start in range(0, len(triples), _CHUNK)]
    best = max(int(_inliers(true, guess, chunk, threshold, comparison).max()) for chunk in chunks)
    return best / len(true)


def _centres(poses: Floats) -> Floats:
    if poses.shape[1] != 12:
        raise InvalidPredictionError("missing_column", "A pose needs nine numbers of R and three of T.")
    rotation, shift = poses[:, :9].reshape(-1, 3, 3), poses[:, 9:]
    return np.asarray(-np.einsum("nji,nj->ni", rotation, shift))


def _inliers(true: Floats, guess: Floats, triples: Floats, threshold: float, comparison: str) -> Floats:
    """For each triple how many centres lie within the threshold."""
    source, target = guess[triples], true[triples]
    source_mean, target_mean = source.mean(axis=1, keepdims=True), target.mean(axis=1, keepdims=True)
    source, target = source - source_mean, target - target_mean
    u, _, vt = np.linalg.svd(np.einsum("tni,tnj->tij", source, target))
    flip = np.where(np.linalg.det(np.einsum("tji,tkj->tik", vt, u)) < 0, -1.0, 1.0)
    vt[:, 2, :] *= flip[:, None]
    rotation = np.einsum("tji,tkj->tik", vt, u)
    covariance = np.einsum("tni,tnj->tij", source, target)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.einsum("tij,tji->t", rotation, covariance) / np.sum(source**2, axis=(1, 2))
        moved = np.einsum("tij,tnj->tni", rotation, guess[None] - source_mean) * scale[:, None, None]
        distance = np.linalg.norm(moved + target_mean - true[None], axis=2)
    within = distance < threshold if comparison == "<" else distance <= threshold
    return np.asarray(within.sum(axis=1))
