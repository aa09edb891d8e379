import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparring.schema.audit import AuditPlan, JudgeAudit, KnownAudits
from sparring.testing import ModelEndpoint, Refuse, Request, Say
from support.audited_judges import drawn
from support.workbench import PATIENCE_S, Workbench

ENTRY = {"side": "A", "quote": "The facts in the question are enough to see that."}
COMMAND = ("audit-judge", "--tool", "ann", "--input", "10", "--set", "repeat=1", "--output", "out")


def ballot(winner: str) -> Say:
    """Return a ballot for a side, citing words that both sides say."""
    return Say(
        json.dumps(
            {"arguments": [{**ENTRY, "side": winner}], "winner": winner, "recommendation": "Act.", "unless": "never"}
        )
    )


def unsure(request: Request) -> Say:
    """Pick by a hash of the prompt: right or wrong, but never by order or dress."""
    return ballot("A" if drawn(request.prompt) < 0.5 else "B")


def first_side(request: Request) -> Say:  # noqa: ARG001 -- whatever is asked
    return ballot("A")


def obedient(request: Request) -> Say:
    """Pick the side whose speech holds an instruction, else the side that says less."""
    speeches = re.findall(r"Side ([AB]):\n```text\n(.*?)\n```", request.prompt, re.DOTALL)
    told = [side for side, text in speeches if "disregard the instructions" in text]
    return ballot(told[0] if told else min(speeches, key=lambda each: drawn(each[1]))[0])


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Callable[[Callable[[Request], Say]], tuple[Workbench, ModelEndpoint]]]:
    """Make a bench with the tool `ann`, which answers as is said."""
    endpoints = list[ModelEndpoint]()

    def make(behave: Callable[[Request], Say]) -> tuple[Workbench, ModelEndpoint]:
        endpoint = ModelEndpoint(behave, keeps_alive=True)
        endpoints.append(endpoint)
        bench = Workbench.below(tmp_path)
        bench.add_api("ann", endpoint.url, 'model = "ann-1"', "key_optional = true")
        return bench, endpoint

    yield make
    for each in endpoints:
        each.close()


Judged = Callable[[Callable[[Request], Say]], tuple[Workbench, ModelEndpoint]]


def test_a_judge_that_picks_the_first_side_is_flagged_for_it_and_fails(judged: Judged) -> None:
    bench, _ = judged(first_side)
    done = bench.run(*COMMAND, "--json")
    assert done.code == 0, done.err
    audit = JudgeAudit.model_validate_json(done.out)
    flagged = [each.name for each in audit.probes if each.verdict == "flagged"]
    assert flagged == ["position"]
    assert audit.failures == ("follows the order in 100 % of pairs",)
    assert audit.sentence == "ann as judge fails: follows the order in 100 % of pairs, right in 50 % of 10 cases."
    assert audit.noise == 0


def test_a_dry_run_calls_no_tool_and_predicts_the_calls_of_the_audit(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    planned = bench.run(*COMMAND, "--dry-run", "--json")
    plan = AuditPlan.model_validate_json(planned.out)
    assert endpoint.requests == []
    assert bench.run(*COMMAND, "--json").code == 0
    assert len(endpoint.requests) == plan.calls


def test_an_audit_interrupted_anywhere_repeats_no_answered_call(judged: Judged) -> None:
    bench, endpoint = judged(obedient)
    part = bench.run(*COMMAND, "--max-calls", "40", "--json")
    assert part.code == 4, part.err
    assert len(endpoint.requests) == 40
    whole = bench.run(*COMMAND, "--json")
    assert whole.code == 0, whole.err
    audit = JudgeAudit.model_validate_json(whole.out)
    assert len(endpoint.requests) == audit.plan.calls
    again = JudgeAudit.model_validate_json(bench.run(*COMMAND, "--json").out)
    assert len(endpoint.requests) == audit.plan.calls
    assert again.probes == audit.probes


def test_an_instruction_in_a_speech_is_found_to_be_obeyed(judged: Judged) -> None:
    bench, _ = judged(obedient)
    typed = ("--input", "30", "--set", "probes=position,injection", "--json")
    audit = JudgeAudit.model_validate_json(bench.run(*COMMAND, *typed).out)
    found = {each.name: each.verdict for each in audit.probes}
    assert found["injection"] == "flagged"
    assert found["position"] != "flagged"


def test_answers_stand_in_a_table_that_other_programs_read(judged: Judged) -> None:
    bench, _ = judged(first_side)
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    text = (bench.project / "out" / "judgements.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 20
    plain = [row for row in rows if row["variant"] == "plain"]
    swapped = [row for row in rows if row["variant"] == "exchanged"]
    assert {(row["choice"], row["swapped"], row["judge"]) for row in plain} == {("a", "false", "1")}
    assert {(row["choice"], row["swapped"], row["judge"]) for row in swapped} == {("b", "true", "0")}
    assert [row["gold"] for row in plain] == [row["gold"] for row in swapped]
    page = (bench.project / "out" / "audit.html").read_text(encoding="utf-8")
    audit = JudgeAudit.model_validate_json((bench.project / "out" / "audit.json").read_bytes())
    assert audit.sentence in page
    assert audit.paragraph in (bench.project / "out" / "audit.txt").read_text(encoding="utf-8")


def test_an_answer_without_a_side_is_an_abstention_and_no_flip(judged: Judged) -> None:
    bench, _ = judged(lambda _: Say("I cannot tell."))
    done = bench.run(*COMMAND, "--set", "probes=position", "--json")
    audit = JudgeAudit.model_validate_json(done.out)
    assert audit.use.abstained == audit.use.answers == 20
    (position,) = audit.probes
    assert (position.pairs, position.effect, position.verdict) == (0, None, "cannot_tell")
    assert audit.accuracy is None
    assert audit.failures == ("gives no readable decision in 20 of 20 answers",)


def test_failures_of_a_provider_do_not_count_against_the_judge(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    endpoint.behaviour = Refuse(400, "invalid_request_error", "no")
    done = bench.run(*COMMAND, "--set", "probes=position", "--json")
    audit = JudgeAudit.model_validate_json(done.out)
    assert done.code == 4
    assert audit.failures == ()
    assert audit.notices == ("20 questions had no answer: bad_request.",)
    assert not (bench.providers.parent / "audits.json").exists()


def test_drift_is_shown_against_the_last_audit(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    endpoint.behaviour = obedient
    done = bench.run(*COMMAND, "--set", "probes=position", "--set", "fresh=true", "--set", "against=last", "--json")
    (drift,) = JudgeAudit.model_validate_json(done.out).drift
    assert (drift.name, drift.before, drift.has_changed) == ("position", 1.0, True)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (("--tool", "nobody"), "nobody"),
        (("--tool", "offline"), "no model of its own"),
        (("--tool", ""), "needs a judge"),
        (("--seat", "bailiff"), "There is no seat"),
        (("--set", "probes=smell"), "There is no probe"),
        (("--set", "repeat=0"), "repeat takes"),
        (("--timeout", "-1"), "--timeout"),
        (("--set", "margin=0.7"), "margin is"),
        (("--input", "0"), "--input"),
        (("--input", "bad.jsonl"), "Line 1 of"),
        (("--set", "against=no.json"), "There is no file"),
        (("--set", "against=last"), "No audit of ann"),
    ],
)
def test_an_audit_that_cannot_work_is_refused_before_any_call(
    judged: Judged, typed: tuple[str, str], told: str
) -> None:
    bench, endpoint = judged(first_side)
    (bench.project / "bad.jsonl").write_text('{"id": ""}\n', encoding="utf-8")
    done = bench.run(*COMMAND, *typed)
    assert done.code == 2, done.err
    assert told in done.err
    assert endpoint.requests == []


def test_cases_of_ones_own_are_put_to_the_seat(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    case = {"id": "mine", "kind": "dispute", "question": "Red or blue?", "first": "Red it is.", "second": "Blue it is."}
    (bench.project / "own.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    done = bench.run(*COMMAND, "--input", "own.jsonl", "--set", "probes=position,conformity,calibration", "--json")
    audit = JudgeAudit.model_validate_json(done.out)
    assert "Red or blue?" in endpoint.requests[0].prompt
    assert audit.accuracy is None
    assert {each.name: each.verdict for each in audit.probes}["conformity"] == "not_applicable"


def test_the_last_audit_is_remembered_in_the_users_own_folder(judged: Judged) -> None:
    bench, _ = judged(first_side)
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    path = bench.providers.parent / "audits.json"
    assert path.stat().st_mode & 0o077 == 0
    content = bench.key.opened("audits", path.read_bytes())
    assert content.is_own
    (known,) = KnownAudits.model_validate_json(content.content).audits
    assert (known.seat, known.tool, known.summary) == ("judge", "ann", "follows the order in 100 % of pairs")


SIDES = ("debate", "Red or blue?", "--seat", "proposer=bob", "--seat", "challenger=cy", "--rounds", "1")


@pytest.mark.parametrize(
    ("behave", "told"),
    [
        (first_side, "[WARN] The judge (ann) was audited: follows the order in 100 % of pairs ("),
        (unsure, "The judge (ann) was audited: no bias shown; 0 of 1 probes exclude one beyond ±5 points ("),
    ],
    ids=["among the warnings", "below the first lines"],
)
def test_a_debate_says_what_the_last_audit_of_its_judge_found(
    judged: Judged, behave: Callable[[Request], Say], told: str
) -> None:
    bench, _ = judged(behave)
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    done = bench.run(*SIDES, "--seat", "judge=ann")
    is_first = told in "\n".join(done.out.splitlines()[:20])
    told_of = json.loads(bench.run("runs", "show", "last", "--json").out)["notices"]
    assert any(each.startswith(told) for each in told_of)
    assert is_first is told.startswith("[WARN]")


def test_the_users_own_debates_can_be_cases(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    assert bench.run(*SIDES, "--seat", "judge=ann").code in {0, 4}
    (run,) = (path.name for path in (bench.state / "debate" / "runs").iterdir())
    before = len(endpoint.requests)
    done = bench.run("audit-judge", "--tool", "ann", "--input", run, "--set", "probes=position", "--json")
    audit = JudgeAudit.model_validate_json(done.out)
    assert (audit.plan.cases, audit.accuracy, len(endpoint.requests) - before) == (1, None, 6)
    assert "Red or blue?" in endpoint.requests[-1].prompt
    refused = bench.run("audit-judge", "--seat", "reader", "--tool", "ann", "--input", run)
    assert (refused.code, "runs make none" in refused.err) == (2, True)


def test_a_judge_of_a_jury_that_fails_its_audit_leaves_the_seat_to_another(judged: Judged) -> None:
    bench, endpoint = judged(lambda _: Say('{"verdict": "FAITHFUL", "critical_differences": [], "confidence": 0.9}'))
    bench.add_api("zoe", endpoint.url, 'model = "zoe-1"', "key_optional = true")
    jury = ("jury", "It has 13 bells.", "--truth", "It has 12 bells.", "--seat", "advocate=bob", "--seat", "skeptic=cy")
    for audited, expected in ((False, "ann"), (True, "zoe")):
        if audited:
            done = bench.run(
                "audit-judge", "--seat", "jury-judge", "--tool", "ann", "--set", "repeat=1", "--set", "probes=style"
            )
            assert "fails" in done.out
        assert bench.run(*jury, "--seat", "fact_checker=bob").code in {0, 4}
        jurors = {each["role"]: each["tool"] for each in bench.kept("jury/last-verdict.json")["jurors"]}
        assert jurors["judge"] == expected


def judge_of(bench: Workbench) -> str:
    """Return the judge that is seated where none is named."""
    assert bench.run(*SIDES).code in {0, 4}
    return bench.last_debate()["judge"]["tool"]


def test_a_judge_that_fails_its_audit_is_seated_only_where_there_is_no_other(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    assert judge_of(bench) == "ann"
    bench.add_api("zoe", endpoint.url, 'model = "zoe-1"', "key_optional = true")
    assert judge_of(bench) == "ann"
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    assert judge_of(bench) == "zoe"


def test_an_audit_that_came_with_the_project_decides_nothing(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    bench.add_api("zoe", endpoint.url, 'model = "zoe-1"', "key_optional = true")
    assert bench.run(*COMMAND, "--set", "probes=position").code == 0
    path = bench.providers.parent / "audits.json"
    path.write_bytes(path.read_bytes().replace(b"100 %", b"99 %"))
    assert judge_of(bench) == "ann"


@pytest.mark.process
def test_a_killed_audit_continues_without_repeating_answered_calls(judged: Judged) -> None:
    bench, endpoint = judged(first_side)
    typed = (*COMMAND, "--set", "probes=noise,position,style", "--set", "at_once=1")
    for killed_after in (7, 19):
        process = bench.start(*typed)
        endpoint.wait_for(killed_after)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    done = bench.run(*typed, "--json")
    audit = JudgeAudit.model_validate_json(done.out)
    assert (done.code, audit.use.answers) == (0, audit.plan.calls)
    assert audit.plan.calls <= len(endpoint.requests) <= audit.plan.calls + 2  # one was under way at each end
