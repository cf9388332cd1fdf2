from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from difficulty.subsets import Candidate, Previous, Rejected, cut_subset
from schema.difficulty import Level
from schema.subset import Nearest, Rules, Subset, SubsetName
from schema.task import Modality

CANDIDATES = st.lists(
    st.builds(
        Candidate,
        task_id=st.from_regex(r"[a-z]{1,8}", fullmatch=True),
        modality=st.sampled_from(list(Modality)),
        level=st.sampled_from(list(Level)),
        platform=st.sampled_from(["kaggle", "aicrowd", "biendata"]),
        domain=st.sampled_from([None, "finance", "medicine"]),
        deadline=st.none() | st.dates(date(2023, 1, 1), date(2026, 1, 1)),
        uncertain=st.booleans(),
    ),
    max_size=120,
    unique_by=lambda candidate: candidate.task_id,
)


def cut(
    name: SubsetName,
    candidates: list[Candidate],
    seed: int = 0,
    previous: Previous | None = None,
    **rules: object,
) -> Subset:
    asked = Rules.model_validate({"seed": seed, "scorer": "formula"} | rules)
    return cut_subset(name, candidates, asked, previous=previous)


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


@given(CANDIDATES, st.sampled_from(list(Modality)), st.sampled_from(list(Level)))
def test_one_more_candidate_removes_no_member_and_joins_only_an_unfilled_cell(
    candidates: list[Candidate], modality: Modality, level: Level
) -> None:
    before = cut(SubsetName.LITE, candidates)
    added = Candidate("0-new", modality, level, "kaggle", None)
    after = cut(SubsetName.LITE, [*candidates, added], previous=Previous(own=frozenset(ids(before))))
    assert ids(before) <= ids(after)
    assert ids(after) - ids(before) == ({"0-new"} if before.count(modality, level) == 0 else set())


@given(CANDIDATES)
def test_a_larger_cut_keeps_its_own_members_and_those_of_lite(candidates: list[Candidate]) -> None:
    lite, medium = cut(SubsetName.LITE, candidates), cut(SubsetName.MEDIUM, candidates)
    again = cut(
        SubsetName.MEDIUM,
        candidates[::-1],
        previous=Previous(lite=frozenset(ids(lite)), own=frozenset(ids(medium))),
    )
    assert ids(again) == ids(medium)
    assert again.changes == ()


@given(CANDIDATES, st.data())
def test_a_task_that_is_lost_is_replaced_alone_and_both_are_told(
    candidates: list[Candidate], data: st.DataObject
) -> None:
    before = cut(SubsetName.LITE, candidates)
    if not before.members:
        return
    lost = data.draw(st.sampled_from(sorted(ids(before))))
    left = [candidate for candidate in candidates if candidate.task_id != lost]
    after = cut(SubsetName.LITE, left, previous=Previous(own=frozenset(ids(before))))
    assert ids(before) - ids(after) == {lost}
    assert len(ids(after) - ids(before)) <= 1
    told = {(change.task_id, change.joined) for change in after.changes}
    assert told == {(lost, False)} | {(joined, True) for joined in ids(after) - ids(before)}


@given(CANDIDATES, st.data())
def test_lists_of_what_must_and_must_not_be_in_are_kept_to(
    candidates: list[Candidate], data: st.DataObject
) -> None:
    names = sorted(candidate.task_id for candidate in candidates)
    wanted = data.draw(st.sampled_from(names)) if names else ""
    unwanted = [name for name in names if name != wanted][:3]
    found = ids(cut(SubsetName.LITE, candidates, include=(wanted,), exclude=tuple(unwanted)))
    assert not found & set(unwanted)
    assert not names or wanted in found


def test_certain_levels_come_first_then_rare_domains_then_recent_deadlines() -> None:
    here = (Modality.TEXT, Level.EASY, "kaggle")
    old, new = date(2023, 2, 1), date(2025, 2, 1)
    doubtful = Candidate("doubtful", *here, "law", new, uncertain=True)
    common = Candidate("common", *here, "finance", new)
    earlier = Candidate("earlier", *here, "medicine", old)
    later = Candidate("later", *here, "medicine", new)
    other = Candidate("other", Modality.TABULAR, Level.EASY, "kaggle", "finance", new)
    medium = cut(SubsetName.MEDIUM, [doubtful, common, earlier, later, other])
    taken = [member.task_id for member in medium.members if member.modality is Modality.TEXT]
    assert taken == ["later", "common", "earlier"]


def test_an_unfilled_cell_names_what_comes_nearest_and_why_it_is_not_in() -> None:
    spare = [
        Candidate(f"t{i}", Modality.TEXT, Level.EASY, "kaggle", None, uncertain=i == 2) for i in range(3)
    ]
    rejected = [Rejected("closed", Modality.TEXT, Level.HARD, "closed_since: ended in 2019")]
    rules = Rules(seed=0, scorer="formula")
    lite = cut_subset(SubsetName.LITE, spare, rules, rejected=rejected)
    cell = next(cell for cell in lite.unfilled if (cell.modality, cell.level) == (Modality.TEXT, Level.HARD))
    assert cell.nearest[0] == Nearest(task_id="closed", reason="closed_since: ended in 2019")
    assert cell.nearest[1] == Nearest(task_id="t2", reason="is easy, but uncertain")
    graph = next(cell for cell in lite.unfilled if cell.modality is Modality.GRAPH)
    assert graph.nearest == ()


def test_another_seed_draws_another_subset() -> None:
    candidates = [Candidate(f"t{i}", Modality.TEXT, Level.EASY, "kaggle", None) for i in range(50)]
    drawn = {next(iter(ids(cut(SubsetName.LITE, candidates, seed)))) for seed in range(20)}
    assert len(drawn) > 1
