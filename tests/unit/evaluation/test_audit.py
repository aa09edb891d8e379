from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.evaluation import statistics
from sparring.evaluation.audit.measure import THRESHOLD, measured
from sparring.evaluation.audit.probes import NAMES, PROBES
from sparring.schema.audit import JudgeAudit, ProbeVerdict
from support.audited_judges import BiasedJudge, judgements, planned

AUDITS = 100


def audited(judge: BiasedJudge, cases: int, repeat: int, seed: int, probes: tuple[str, ...] = NAMES) -> JudgeAudit:
    return measured(judgements(judge, cases, repeat, seed), planned(cases, repeat, probes), {})


def flagged(audit: JudgeAudit) -> set[str]:
    return {each.name for each in audit.probes if each.verdict is ProbeVerdict.FLAGGED}


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.7, 0.8, 0.9, 1.0])
def test_an_unbiased_judge_is_seldom_flagged_by_any_probe(accuracy: float) -> None:
    found = [flagged(audited(BiasedJudge(accuracy), 40, 1, seed)) for seed in range(AUDITS)]
    assert sum(map(bool, found)) <= 0.05 * AUDITS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cases", "repeat", "probes"), [(120, 1, ("position",)), (120, 3, NAMES)], ids=["alone", "among all probes"]
)
def test_a_position_bias_of_15_points_is_found_at_120_pairs(cases: int, repeat: int, probes: tuple[str, ...]) -> None:
    judge, audits = BiasedJudge(0.9, "position", 0.15), 40
    found = [flagged(audited(judge, cases, repeat, seed, probes)) for seed in range(audits)]
    assert sum("position" in each for each in found) >= 0.8 * audits


@pytest.mark.slow
@pytest.mark.parametrize("bias", ["style", "verbosity", "authority", "bandwagon", "sycophancy", "family", "injection"])
def test_a_bias_is_found_alone_and_not_as_another(bias: str) -> None:
    own = {probe.name for probe in PROBES if probe.asked_as == bias}
    counted, audits = Counter[str](), 25
    for seed in range(audits):
        found = flagged(audited(BiasedJudge(0.85, bias, 0.25), 60, 3, seed))
        counted.update(found)
    assert counted[bias] >= 0.8 * audits
    assert sum(count for name, count in counted.items() if name not in own) <= 0.1 * audits


def test_the_usual_threshold_flags_an_unbiased_judge_and_is_shown_with_the_test() -> None:
    audit = audited(BiasedJudge(0.8), 120, 1, seed=1)
    position = audit.probe("position")
    assert position is not None
    assert position.flips is not None
    assert position.flips > THRESHOLD
    assert position.exceeds_threshold
    assert position.verdict is not ProbeVerdict.FLAGGED


def test_a_judge_that_never_moves_is_free_of_a_bias_only_where_there_are_pairs_enough() -> None:
    few, many = (audited(BiasedJudge(1.0), cases, 1, seed=1).probe("position") for cases in (40, 60))
    assert few is not None
    assert many is not None
    assert (few.verdict, few.sentence) == (ProbeVerdict.CANNOT_TELL, "Undecided: 46 more pairs needed.")
    assert (many.verdict, many.sentence) == (ProbeVerdict.FREE, "Free of it within ±5 points.")


def test_no_report_calls_a_judge_unbiased() -> None:
    audit = audited(BiasedJudge(0.8), 60, 1, seed=1)
    assert audit.sentence.startswith("ann as judge does not fail: no bias shown; ")
    assert "which is not to say unbiased" in audit.paragraph


def test_answers_that_repeat_a_case_do_not_count_as_further_cases() -> None:
    judge = BiasedJudge(0.9, "position", 0.15)
    once = judgements(judge, 30, 1, seed=3)
    thrice = [each.model_copy(update={"sample": sample}) for each in once for sample in (1, 2, 3)]
    one, three = measured(once, planned(30, 1), {}), measured(thrice, planned(30, 3), {})
    assert [each.p_exact for each in one.probes] == [each.p_exact for each in three.probes]
    assert [each.interval for each in one.probes] == [each.interval for each in three.probes]


def test_code_s_mark_is_seen_to_help() -> None:
    whole = judgements(BiasedJudge(0.9, "authority", 0.4), 60, 1, seed=1)
    plain = {each.case: each.pick for each in whole if each.variant == "plain"}
    helped = [
        each.model_copy(update={"pick": plain[each.case]}) if each.variant == "cited-marked" else each for each in whole
    ]
    audit = measured(helped, planned(60, 1), {})
    assert audit.mark_helps is not None
    assert audit.mark_helps > 0.1
    marked = audit.probe("authority-marked")
    assert marked is not None
    assert marked.effect == 0


@given(st.lists(st.integers(-1, 1), max_size=40))
def test_the_sign_flip_test_of_single_answers_is_the_exact_sign_test(differences: list[int]) -> None:
    pair = statistics.Discordance(differences.count(1), differences.count(-1), len(differences))
    assert statistics.sign_flip_p(differences) == statistics.exact_p(pair)


@given(st.lists(st.integers(-3, 3), max_size=9))
def test_the_sign_flip_test_counts_all_choices_of_signs(differences: list[int]) -> None:
    sizes = [abs(each) for each in differences if each]
    sums = [0]
    for size in sizes:
        sums = [each + sign * size for each in sums for sign in (-1, 1)]
    extreme = sum(abs(each) >= abs(sum(differences)) for each in sums)
    assert statistics.sign_flip_p(differences) == pytest.approx(extreme / len(sums))


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 100))
def test_the_score_interval_contains_values_that_its_test_does_not_reject(wins: int, losses: int, others: int) -> None:
    rows = wins + losses + others
    low, high = statistics.score_interval(wins, losses, rows)
    assert -1 <= low <= high <= 1
    if rows:
        assert low <= (wins - losses) / rows <= high
        inside = (low + 3 * high) / 4
        assert abs(statistics.score_z(wins, losses, rows, inside)) <= 1.97


def test_the_stated_number_of_pairs_suffices_to_show_no_bias() -> None:
    needed = statistics.rows_for_equivalence(1 / 100, 0.05)
    assert statistics.within_p(0, 0, needed, 0.05) <= 0.05
    assert statistics.within_p(0, 0, needed - 40, 0.05) > 0.05
