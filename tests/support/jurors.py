"""Scripted jurors: usable answers for every step of a jury."""

import json
from collections.abc import Mapping
from typing import Any

from support.workbench import Workbench

VERDICT: Mapping[str, Any] = {
    "verdict": "MUTATED",
    "confidence": 0.9,
    "rationale": ["The claim turns the threshold around."],
    "critical_differences": ['"Under 650,000" where the truth has "more than 645,000".'],
    "what_would_make_it_faithful": ["Say more than 645,000."],
    "one_sentence_summary": "A lower bound became an upper bound.",
}
CHECKLIST: Mapping[str, Any] = {
    "checklist": [
        {"dimension": name, "status": "absent", "severity": None, "truth": [], "claim": [], "note": ""}
        for name in ("numbers", "dates", "entities", "quantifiers", "causality")
    ]
}
BULLETS = '- It has "cases".\n- It has "cases", too.\n- And again "cases".'

REPLIES: tuple[Mapping[str, object], ...] = (
    {"match": {"role": "judge"}, "response": json.dumps(VERDICT), "usage": {"cost_usd": 0.01}},
    {"match": {"role": "fact_checker"}, "response": json.dumps(CHECKLIST), "usage": {"cost_usd": 0.01}},
    {"response": BULLETS, "usage": {"cost_usd": 0.01}},
)
"""Replies of a scripted tool in any seat; each answer costs a cent."""

SAID: Mapping[str, str] = {"any": BULLETS, "list": json.dumps(CHECKLIST), "judge": json.dumps(VERDICT)}
"""Answers of the models that ``add_apis`` names."""


def add_apis(bench: Workbench, url: str) -> None:
    """``ann`` for any seat, ``bob`` for the checker of facts and ``cy`` for the judge, behind an API."""
    for name, model in zip(("ann", "bob", "cy"), SAID, strict=True):
        bench.add_api(name, url, f'model = "{model}"')
