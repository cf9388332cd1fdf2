from hypothesis import given
from hypothesis import strategies as st

from difficulty.subsets import Candidate, cut_subset
from schema.difficulty import Level
from schema.subset import Subset, SubsetName
from schema.task import Modality

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        task_id=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
        modality=st.sampled_from(list(Modality)),
        level=st.sampled_from(list(Level)),
        platform=st.sampled_from(["kaggle", "aicrowd", "biendata"]),
        domain=st.none(),
    ),
    max_size=120,
    unique_by=lambda candidate: candidate.task_id,
)


def cut(name: SubsetName, candidates: list[Candidate], seed: int = 0) -> Subset:
    return cut_subset(name, candidates, seed=seed, scorer="formula")


def ids(subset: Subset) -> set[str]:
    return {member.task_id for member in subset.members}


@given(CANDIDATES)
def test_no_cell_has_more_than_its_share(candidates: list[Candidate]) -> None:
    lite = cut(SubsetName.LITE, candidates)
    assert max((lite.count(m, level) for m in Modality for level in Level), default=0) <= 1


@given(CANDIDATES)
def test_every_cell_is_filled_or_reported(candidates: list[Candidate]) -> None:
    medium = cut(SubsetName.MEDIUM, candidates)
    reported = {(cell.modality, cell.level): cell.found for cell in medium.unfilled}
    for modality in Modality:
        for level in Level:
            count = medium.count(modality, level)
            assert count == reported.get((modality, level), 3)


@given(CANDIDATES)
def test_larger_subsets_contain_smaller_ones(candidates: list[Candidate]) -> None:
    lite, medium, full = (ids(cut(name, candidates)) for name in SubsetName)
    assert lite <= medium <= full
    assert full == {candidate.task_id for candidate in candidates}


@given(CANDIDATES, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(candidates: list[Candidate], random: object) -> None:
    shuffled = candidates[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ids(cut(SubsetName.LITE, shuffled)) == ids(cut(SubsetName.LITE, candidates))


@given(CANDIDATES)
def test_one_more_candidate_changes_at_most_its_own_cell(candidates: list[Candidate]) -> None:
    added = Candidate("0-new", Modality.AUDIO, Level.HARD, "kaggle", None)
    before, after = cut(SubsetName.LITE, candidates), cut(SubsetName.LITE, [*candidates, added])
    changed = ids(before) ^ ids(after)
    cells = {
        (member.modality, member.level)
        for member in (*before.members, *after.members)
        if member.task_id in changed
    }
    assert cells <= {(Modality.AUDIO, Level.HARD)}


def test_another_seed_draws_another_subset() -> None:
    candidates = [Candidate(f"t{i}", Modality.TEXT, Level.EASY, "kaggle", None) for i in range(50)]
    drawn = {next(iter(ids(cut(SubsetName.LITE, candidates, seed)))) for seed in range(20)}
    assert len(drawn) > 1
