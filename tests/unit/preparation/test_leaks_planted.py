"""Every class of leak is named with its place and its skill; data sets that tell nothing are not accused."""

from pathlib import Path

import pytest

from preparation.leaks.leak import LeakError
from preparation.prepare import prepare
from tests.data_sets import write_files
from tests.planted_leaks import PLANTED, clean_sets


@pytest.mark.parametrize("case", sorted(PLANTED))
def test_a_planted_leak_is_named_with_its_place_and_figure(tmp_path: Path, case: str) -> None:
    make, spec, said = PLANTED[case]
    data = write_files(make(), tmp_path / "data")
    with pytest.raises(LeakError) as refused:
        prepare(data, spec, tmp_path / "out")
    named = [leak for leak in refused.value.leaks if said in leak.said]
    assert named, refused.value
    assert named[0].figure >= 0.85
    assert named[0].place in refused.value.args[0]


@pytest.mark.long
def test_at_most_one_of_forty_data_sets_that_tell_nothing_is_accused(tmp_path: Path) -> None:
    accused, sets = dict[str, str](), list(clean_sets())
    for name, files, spec in sets:
        try:
            prepare(write_files(files, tmp_path / name), spec, tmp_path / "out")
        except LeakError as refused:
            accused[name] = str(refused)
    assert len(sets) >= 40
    assert len(accused) <= 1, accused
