"""A jury on one case, and participants who do what is asked unless a test has them do something else."""

import json
from collections.abc import Mapping
from typing import Any

from sparring.formats.jury.flow import Jury
from sparring.schema.base import Participant
from sparring.schema.jury import JuryOutcome, JuryRequest
from sparring.schema.runs import Run
from sparring.schema.transcript import Ask
from support.playing import PROMPTS, Played, Special, ended, play, replying

TRUTH = "By 25 March 2020, more than 645,000 cases had been reported in 190 countries and territories."
CLAIM = "By 25 March 2020, fewer than 600,000 cases had been reported in 190 countries."
FAITHFUL_CLAIM = "By 25 March 2020, more than 645,000 cases had been confirmed in 190 countries and territories."

ADVOCATE = """\
- The day is the same: "25 March 2020".
- So is the event: the truth has "cases had been reported".
- So are the places: "190 countries"."""

SKEPTIC = """\
- The number is another one: "600,000" stands for "645,000".
- The bound is turned round: “fewer than” for “more than”.
- The scope is smaller: "and territories" is gone."""

REBUTTAL = '- The truth says "more than 645,000 cases", and that is what counts.'


def _entry(
    dimension: str, status: str, severity: str | None, truth: list[str], claim: list[str], note: str
) -> dict[str, object]:
    words = {"truth": truth, "claim": claim, "note": note}
    return {"dimension": dimension, "status": status, "severity": severity, **words}


ENTRIES = (
    _entry("numbers", "mismatch", "critical", ["more than 645,000"], ["fewer than 600,000"], "Another number."),
    _entry("dates", "match", None, ["25 March 2020"], ["25 March 2020"], "The same day."),
    _entry(
        "entities", "mismatch", "minor", ["countries and territories"], ["190 countries"], "Territories are missing."
    ),
    _entry("quantifiers", "mismatch", "critical", ["more than"], ["fewer than"], "The bound is turned round."),
    _entry("causality", "absent", None, [], [], ""),
)

VERDICT: Mapping[str, object] = {
    "verdict": "MUTATED",
    "confidence": 0.9,
    "rationale": ["The number and its bound have changed."],
    "critical_differences": ["The claim says “fewer than 600,000”, the truth “more than 645,000”."],
    "what_would_make_it_faithful": ["Say “more than 645,000”."],
    "one_sentence_summary": "The claim turns a lower bound into a smaller upper bound.",
}


def verdict(**changes: object) -> str:
    return json.dumps({**VERDICT, **changes})


def faithful(**changes: object) -> str:
    return verdict(verdict="FAITHFUL", critical_differences=[], **changes)


def checklist(**changes: Mapping[str, object]) -> str:
    """The checklist, with changes to the entry of each dimension named."""
    entries = [{**entry, **changes.get(str(entry["dimension"]), {})} for entry in ENTRIES]
    return json.dumps({"checklist": entries})


def jury_request(**changes: object) -> JuryRequest:
    fields: dict[str, object] = {
        "truth": TRUTH,
        "claim": CLAIM,
        "advocate": Participant(tool="claude", model="opus"),
        "skeptic": Participant(tool="codex"),
        "fact_checker": Participant(tool="gemini"),
        "judge": Participant(tool="opencode"),
    }
    return JuryRequest.model_validate(fields | changes)


def well_behaved(ask: Ask) -> str:
    """Return the reply of a participant that follows its prompt."""
    match ask.question.brief.step, ask.role:
        case "jury/checklist", _:
            return checklist()
        case (("jury/verdict" | "jury/reconsider"), _):
            return verdict()
        case "jury/advocate-opening", _:
            return ADVOCATE
        case "jury/skeptic-opening", _:
            return SKEPTIC
        case _, role:
            return f"{REBUTTAL} So says the {role} in round {ask.round}."


def said(name: str, written: Any) -> Any:
    """Return the reply that a table of plays describes: a changed checklist or verdict, or the text itself."""
    if isinstance(written, str) or "." not in name:
        return written
    return checklist(**written) if name.startswith("checklist") else verdict(**written)


def play_jury(special: Mapping[str, Special] | None = None, **changes: object) -> Played:
    """Play a jury in which everybody behaves well but for the asks that ``special`` names."""
    return play(Jury(jury_request(**changes), PROMPTS), replying(special or {}, well_behaved))


def jury_run(special: Mapping[str, Special] | None = None, **changes: object) -> Run:
    """The same as a run that has ended."""
    return ended(jury_request(**changes), play_jury(special, **changes))


def outcome(played: Played) -> JuryOutcome:
    assert isinstance(played.outcome, JuryOutcome)
    return played.outcome
