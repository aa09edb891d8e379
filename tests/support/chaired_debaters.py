"""Script of a chaired debate: sources that code refuses, a question, a ruling, a decision."""

import json
from collections.abc import Mapping
from functools import partial

from support.chaired_playing import action

TOPIC = "A payment is to be retried"
CHAIRED = (
    *("chaired-debate", TOPIC, "--seat", "promoter=ann", "--seat", "detractor=bob", "--seat", "chair=cy"),
    *("--seat", "audience=cy", "--seat", "reporter=cy", "--set", "min_rounds=1", "--max-rounds", "2"),
)
"""Seqs: 1 opening, 2 its check, 3 a warning, 4 opening; 5 point, 6 rebuttal, 7 its check, 8 a warning."""

PRIVATE = {
    "url": "http://10.0.0.1/retries",
    "title": "Retries",
    "accessed": "2026-02-21",
    "quote": "A retry costs one more request.",
}
"""An address that is never asked, so that every run finds the same with or without a network."""

entry = partial(action, sources=[])
"""A debater's reply."""


def _reply(role: str, step: str, response: str, **match: object) -> Mapping[str, object]:
    return {"match": {"role": role, "step": f"chaired-debate/{step}"} | match, "response": response}


CHAIRED_SPEECHES: tuple[Mapping[str, object], ...] = (
    _reply("promoter", "ready", f"Promoter ready. Topic: {TOPIC}. Awaiting opening statement cue."),
    _reply("detractor", "ready", f"Detractor ready. Topic: {TOPIC}. Awaiting opening statement cue."),
    _reply("promoter", "opening", entry("opening_statement", "A retry costs one more request [1].", sources=[PRIVATE])),
    _reply("detractor", "opening", entry("opening_statement", "[CONJECTURE] A customer may pay twice.")),
    _reply("promoter", "action", entry("conjecture", "[CONJECTURE] A key may tell a retry apart."), round=1),
    _reply(
        *("detractor", "action"),
        entry("rebuttal", "One more request is one more payment [1].", sources=[PRIVATE], rebuttal_to_seq=1),
        round=1,
    ),
    _reply("promoter", "action", entry("conjecture", "[CONJECTURE] The key may be the order's own number.")),
    _reply("detractor", "action", entry("conjecture", "[CONJECTURE] Not every bank may look at the key.")),
    _reply("detractor", "closing", entry("closing_statement", "What was asked in (seq 4) is open.")),
    _reply("promoter", "closing", entry("closing_statement", "What was said in (seq 1) stands.")),
    _reply("audience", "questions", json.dumps({"questions": ["To both: who pays for the second request?"]})),
    _reply("chair", "review", json.dumps({"rulings": [], "continue": True, "reason": "One question is open."})),
    _reply(
        *("chair", "conclusion"),
        json.dumps({"outcome": "negative_wins", "reasoning": "Nobody answered (seq 4).", "decisive": [4, 6]}),
    ),
    _reply("reporter", "report", "The detractor asked who pays twice (seq 4); nobody answered."),
    {"response": "An answer."},
)
