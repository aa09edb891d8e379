"""What holds of every report, whatever kind of run it is about, and where unfinished runs stand."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from sparring.errors import DeliberationError
from sparring.formats.debate.flow import Debate
from sparring.formats.registry import FORMATS
from sparring.formats.views import DECISION_LIMIT, RunView, presentation, report
from sparring.reports.conclusion import height
from sparring.reports.terminal import print_first_lines
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Exhibit, Usage
from sparring.schema.debate import DebateOutcome, DebateStatus
from sparring.schema.fact_check import AgentPath, Escalation, FactCheckOutcome
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn, TurnKind
from sparring.text.tidying import for_terminal
from support import debating, fact_checking, jury_playing, playing
from support.decisions import decision, details
from support.golden import Golden
from support.playing import FAILS, PROMPTS, Special, ended, play
from support.reading import INERT, block_types, inline_types, read
from support.runs import (
    answer,
    consult_request,
    debate_request,
    failure,
    finished_consult,
    finished_several,
    opening,
    response,
    run,
    synthesis,
    turn,
)
from support.stored_runs import asked_for, said_by_all, stored, turns, unfinished
from support.terminals import terminal, written

HOSTILE = "# **Verdict**\n\x1b]0;owned\x07\x1b[31m`{x}`\u202e\n| a | [b](https://bad.example) |\n<!-- hide\n```\n1. *x*"
SPEECH = "# Verdict\n\x1b]0;owned\x07\x1b[31m{topic}\u202e\n| a | b |\n|---|---|\n<!-- hide\n```python\n# unclosed"


def broken_debate() -> Run:
    """Round 3 of 3 is broken off; speeches, topic and answers are as hostile as they get."""
    told = Usage(input_tokens=1200, cached_tokens=900, output_tokens=300, cost_usd=0.0123)
    ours = {"usage": told, "redactions": 2, "warnings": ("The effort is not supported.",)}
    said: dict[str, Special] = {
        "r1.proposer": lambda ask: playing.answer(ask, SPEECH).model_copy(update=ours),
        "r3.proposer": FAILS,
        "judge1.ab.1": playing.ballot(reasoning="Two reasons:\n\n# cost\n```\nunclosed", agreements=[]),
        "judge1.ba.1": playing.ballot("ba", unresolved_questions=["# A heading?", "1. Numbered?"]),
    }
    wanted = debating.request(rounds=3, topic="Flush?\n# Really?", notices=("[WARN] The judge was chosen.",))
    whole = play(Debate(wanted, PROMPTS), playing.replying(said, playing.well_behaved))
    return run(wanted, whole.transcript.turns, whole.outcome, notices=("A torn line was set aside.",))


def answered_consult() -> Run:
    reply = answer(SPEECH, model="opus-4", session_id="s-1", redactions=1, warnings=("The effort is not supported.",))
    return finished_consult(reply)


def fact_check_of_today() -> Run:
    """Three labels at first; then one agent moves, one quotes what stands nowhere, and one fails."""
    said: dict[str, fact_checking.Said] = {
        "r1.a1": fact_checking.SUPPORTED,
        "r1.a2": fact_checking.REFUTED,
        "r1.a3": fact_checking.analysis("NEI", fact_checking.missing("330 metres tall"), reason="It is # unclear."),
        "r2.a1": fact_checking.rebuttal("REFUTED", fact_checking.POSTER, changed_from="SUPPORTED"),
        "r2.a2": fact_checking.rebuttal(
            "REFUTED", "It is 12 metres tall", fact_checking.against("Agent 1", "SUPPORTED", fact_checking.IS_TALL, "x")
        ),
        "r2.a3": FAILS,
    }
    wanted = fact_checking.request(escalation="always")
    return ended(wanted, fact_checking.check(said, wanted)[0])


def refuted_against_code() -> Run:
    """A fact-check whose label is the opposite of what code finds."""
    shared = "The cache is shared between workers."
    parts = [fact_checking.conflict(part, shared) for part in ("The cache is shared", "between workers")]
    reading = fact_checking.readings(*[("CONTRADICTS", shared)] * 2)
    said: dict[str, fact_checking.Said] = {
        **dict.fromkeys(("r1.a1", "r1.a2"), fact_checking.analysis("REFUTED", *parts)),
        **dict.fromkeys(("r1.reading1", "r1.reading2"), reading),
    }
    sources = fact_checking.evidence(f"{shared} All that was said so far is a dream.")
    wanted = fact_checking.request("claude", "codex", claim=shared, evidence=sources, max_rounds=1)
    return ended(wanted, fact_checking.check(said, wanted)[0])


def record(whole: Run) -> str:
    return RunView(whole).result().model_dump_json(indent=2) + "\n"


OFFLINE = Participant(tool="offline")
BY_CODE: dict[str, Any] = {
    "truth": "As of 25 March, 645,000 were tested in 190 countries and territories.",
    "claim": "As of 25 March, 600,000 were tested in 190 countries.",
    **dict.fromkeys(("advocate", "skeptic", "fact_checker", "judge"), OFFLINE),
}
LEFT_OPEN = {"truth": "It is in 190 countries and territories.", "claim": "It is in 190 countries."}
STORED = (
    *("debate", "panel-debate", "fact-check", "fact-check-contested", "fact-check-no-quorum"),
    *("jury", "jury-contested", "jury-unjudged"),
    *("chaired-debate", "chaired-debate-disqualified", "chaired-debate-unjudged"),
)
FAILED: dict[str, object] = {"status": DebateStatus.UNJUDGED, "verdict": None, "judgement": None}
UNCONTESTED: dict[str, object] = {"status": DebateStatus.UNCONTESTED, "rounds_completed": 0, "ledgers": ()}
DEBATE = debating.request(rounds=3)
EXHIBIT = Exhibit(number=1, path="shop/part1.py", first=3, last=4, text="a = `1`")


def _summary(run: Run) -> str:
    return str(RunView(run).files()["summary.md"])


TEXTS: dict[str, tuple[Callable[[Run], str], Callable[[], Run]]] = {
    **{f"{name}-report.md": (report, lambda name=name: stored(name)) for name in STORED},
    **{f"{name}-decision.md": (decision, lambda name=name: stored(name)) for name in STORED},
    **{
        f"{name}-result.json": (record, lambda name=name: stored(name))
        for name in ("debate", "fact-check", "jury", "chaired-debate")
    },
    **{
        f"{name}-interrupted.md": (decision, lambda name=name: unfinished(name, 2)) for name in ("debate", "fact-check")
    },
    "jury-interrupted.md": (decision, lambda: unfinished("jury", 4)),
    "chaired-debate-interrupted.md": (decision, lambda: unfinished("chaired-debate", 7)),
    # What everybody was shown stands in the report alone.
    "blind-debate-decision.md": (
        decision,
        lambda: stored("debate", request={"blind_openings": True, "exhibits": (EXHIBIT,)}),
    ),
    "debate-of-today-report.md": (report, lambda: ended(DEBATE, debating.played({}, rounds=3))),
    "unjudged-debate-decision.md": (decision, lambda: stored("debate", **FAILED)),
    "broken-debate-report.md": (report, broken_debate),
    "uncontested-decision.md": (decision, lambda: stored("debate", turns=turns("debate", 2), **FAILED | UNCONTESTED)),
    "consult-report.md": (report, answered_consult),
    "consult-decision.md": (decision, answered_consult),
    "running-consult-report.md": (report, lambda: run(consult_request(), status=RunStatus.RUNNING)),
    "failed-consult-decision.md": (decision, lambda: finished_consult(failure(tool="claude"))),
    "fact-check-of-today-report.md": (report, fact_check_of_today),
    "fact-check-against-code-decision.md": (decision, refuted_against_code),
    "jury-of-today-report.md": (report, lambda: jury_playing.jury_run({"verdict.1": jury_playing.faithful()})),
    "jury-by-code-report.md": (report, lambda: jury_playing.jury_run({}, **BY_CODE)),
    "jury-left-open-report.md": (report, lambda: jury_playing.jury_run({}, **BY_CODE | LEFT_OPEN)),
    "chaired-debate-summary.md": (_summary, lambda: stored("chaired-debate")),
    "chaired-debate-disqualified-summary.md": (_summary, lambda: stored("chaired-debate-disqualified")),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_report_is_as_in_its_golden_file(name: str, golden: Golden) -> None:
    show, whole = TEXTS[name]
    golden.holds(f"reports/{name}", show(whole()))


@pytest.mark.parametrize("name", [name for name in TEXTS if name.endswith(".json")])
def test_a_record_round_trips_and_is_the_last_file_except_for_chaired_debates(name: str) -> None:
    whole = TEXTS[name][1]()
    kept = RunView(whole).result()
    assert type(kept).model_validate_json(record(whole)) == kept
    assert RunView(whole).last() == (None if whole.header.kind == "chaired-debate" else kept)


SHOWN: dict[str, tuple[Callable[[Run], str], ...]] = {"chaired-debate": (report, decision, _summary)}
CONTROLS = {"\x1b", "\x07", "\u202e"}


@pytest.mark.parametrize("name", STORED)
def test_quoted_text_acts_neither_outside_a_quotation_nor_on_a_terminal(name: str) -> None:
    usual = stored(name)
    hostile = said_by_all(HOSTILE, usual)
    for show in SHOWN.get(usual.header.kind, (report, decision)):
        text = show(hostile)
        shown = read(text)
        assert not CONTROLS & set(text)
        assert not [line for line in shown.headings if "Verdict**" in line]
        assert {"fence", "html_block", "ordered_list_open"}.isdisjoint(block_types(shown.outside))
        # What is said in a debate in a line may be bold, or a link.
        assert usual.header.kind == "debate" or inline_types(shown.outside) <= INERT


LONG = "word " * 400
LONGEST = ("debate", "panel-debate", "fact-check", "jury", "jury-unjudged", "chaired-debate")
HUGE: dict[str, Callable[[], Run]] = {
    **{name: lambda name=name: said_by_all(LONG, stored(name)) for name in LONGEST},
    "many agents": lambda: said_by_all(
        LONG, stored("fact-check", agents=stored_agents() * 3, request={"agents": ({"tool": "a" * 40},) * 7})
    ),
    "uncontested": lambda: run(
        debate_request(),
        (opening(answer("\n" * 20_000, model="m" * 20_000)), response(failure())),
        DebateOutcome(status=DebateStatus.UNCONTESTED, rounds_completed=0),
    ),
    "many turns": lambda: run(debate_request(topic=LONG), (opening(answer()),) * 100, notices=(LONG,)),
    "consult": lambda: finished_consult(answer("```\n" * 9_000, model="m" * 20_000, warnings=(LONG,))),
    "several": lambda: finished_several(*[answer(LONG)] * 3),
    "asked": lambda: run(consult_request(LONG)),
}


def stored_agents() -> tuple[AgentPath, ...]:
    outcome = stored("fact-check").outcome
    assert isinstance(outcome, FactCheckOutcome)
    return outcome.agents


@pytest.mark.parametrize("name", HUGE)
def test_details_are_bounded_and_the_outcome_comes_first_in_twenty_lines(name: str) -> None:
    huge = HUGE[name]()
    for limit in (2000, DECISION_LIMIT):
        assert len(details(huge, limit=limit)) < limit
    if huge.outcome is None:
        return
    first, position, _ = RunView(huge).verdict().partition("\n## Uncontested position of the proposer (claude)\n\n>")
    assert bool(position) == (name == "uncontested")
    assert len(RunView(huge).summary()) < DECISION_LIMIT // 2 + 500
    assert huge.header.run_id in first
    for width in (80, 100):
        console = terminal(width=width)
        print_first_lines(first, console, is_plain=True)
        assert len(for_terminal(written(console)).strip("\n").splitlines()) <= 20
    if name in LONGEST:
        assert first.splitlines()[0] == RunView(stored(name)).verdict().splitlines()[0]


def test_a_shortened_decision_keeps_its_most_important_parts() -> None:
    text = decision(said_by_all(LONG, stored("debate", notices=("[WARN] Nothing was cheap.",))))
    for words in ("[WARN] Nothing was cheap.", "claude had the stronger argument", "Firmness:", "Not found:"):
        assert words in text
    assert "\nDo: word word" in text


def test_warnings_without_room_are_counted_and_listed_below() -> None:
    warnings = tuple(f"[WARN] {number} {'is long ' * 30}" for number in range(12))
    whole = report(stored("debate", notices=("Told quietly.", *warnings)))
    first, rest = whole.split("\n\n## Notes\n\n")
    assert "\n[WARN] 0 is long" in first
    assert re.search(r"\n… and \d+ more, below\.", first)
    assert sum(height(line.rstrip()) for line in first.splitlines()) == 20
    assert [f"{number} is long" in rest.split("\n\n#")[0] for number in range(12)] == [True] * 12
    assert "- Told quietly." in rest


def test_an_answer_that_fits_is_whole() -> None:
    said = "word for word\n" * 500
    assert decision(finished_consult(answer(said))).endswith(f"## Answer\n\n{said}")


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_run_of_another_kind_or_one_that_has_not_ended_is_refused(name: str) -> None:
    shown = FORMATS[name].presentation()
    other = stored("jury" if name == "debate" else "debate")
    own = run(consult_request() if name == "consult" else asked_for(name))
    refusing = [(shown.view, other), (shown.view, own), (shown.remaining, other), (RunView, own)]
    for show, whole in refusing:
        with pytest.raises(DeliberationError):
            show(whole)


def debate(*said: Turn, **changes: object) -> Run:
    return run(debate_request(rounds=1, **changes), said)


OPENED = turn(TurnKind.OPENING, Role.SKEPTIC, failure(), ask_id="opening.skeptic")
CODEX = answer(tool="codex")
AGAIN = response(failure(tool="codex")).model_copy(update={"ask_id": "r1.challenger.2", "attempt": 2})
PANEL = (Participant(tool="codex"), Participant(tool="opencode"))

UNFINISHED: dict[str, Run] = {
    "a debate without a speech": debate(),
    "a debate with an opening": debate(opening(answer())),
    "a failure ends the speeches": debate(opening(answer()), response(failure())),
    "that of a speech which was returned does not": run(
        debate_request(rounds=2), (opening(answer()), response(CODEX), AGAIN)
    ),
    "a judge failed": debate(opening(answer()), response(CODEX), synthesis(failure(tool="gemini"), round_number=1)),
    "a panel judges": debate(opening(answer()), response(CODEX), panel=PANEL),
    "a fact-check without an answer": unfinished("fact-check", 0),
    "a fact-check after the blind round": unfinished("fact-check", 3, max_rounds=4),
    "a fact-check without a debate": unfinished("fact-check", 3, escalation=Escalation.NEVER),
    "a fact-check of which all is said": unfinished("fact-check", 4),
    "a jury without a word": unfinished("jury", 0),
    "who failed in the opening is asked no more": run(asked_for("jury"), (turns("jury")[0], OPENED, turns("jury")[2])),
    "a jury without its verdict": run(asked_for("jury"), turns("jury")),
    **{
        f"a chaired debate after {count} turns": unfinished("chaired-debate", count, max_rounds=2)
        for count in (0, 4, 7, 9, 12)
    },
    "a chaired debate without guests": unfinished("chaired-debate", 5, audience=None, reporter=None, max_rounds=1),
}


def test_an_unfinished_run_lists_its_missing_parts(golden: Golden) -> None:
    told = (f"== {name}\n{chr(10).join(presentation(whole).remaining(whole))}\n" for name, whole in UNFINISHED.items())
    golden.holds("reports/missing.txt", "\n".join(told))
