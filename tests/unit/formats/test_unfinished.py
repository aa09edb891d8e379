"""Where unfinished runs stand: who has spoken, who is missing, and how to go on."""

from sparring.formats.reports import presentation, report
from sparring.schema.base import Participant, Role
from sparring.schema.fact_check import Escalation
from sparring.schema.runs import Run, RunStatus
from sparring.schema.transcript import Turn, TurnKind
from support.golden import Golden
from support.runs import answer, consult_request, debate_request, failure, opening, response, run, synthesis, turn
from support.stored_runs import asked_for, turns, unfinished


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


def test_an_unfinished_run_says_what_is_missing(golden: Golden) -> None:
    told = (f"== {name}\n{chr(10).join(presentation(whole).remaining(whole))}\n" for name, whole in UNFINISHED.items())
    golden.holds("reports/missing.txt", "\n".join(told))


def test_a_running_consultation_says_who_is_asked() -> None:
    assert report(run(consult_request(), status=RunStatus.RUNNING)) == (
        "# Consult: running\n\nIs this safe?\n\n## Spoken so far\n\nNobody.\n\n## Missing\n\n- the answer of claude\n"
    )
