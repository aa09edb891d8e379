"""Cost of one row of a table besides the answers: rules, prompts, redaction, retries and the runner.

Nobody takes any time to answer, and nothing is kept. So what is left is ours, and is held against one look by code at
the claim and its evidence, which every row needs and whose cost depends on the same texts and the same machine.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial

import anyio

from bench.figures import Figure, Figures, Scale, cpu_s
from bench.rows import Row, labelled
from sparring.checks.claims import check_claim
from sparring.engine.format import Rules
from sparring.engine.runner import Deliberation, deliberate
from sparring.formats.fact_check.flow import FactCheck
from sparring.formats.jury.flow import Jury
from sparring.prompts import PromptLibrary
from sparring.providers.wrappers import OF_APIS, RedactingConsultant, RetryingConsultant, no_report
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Answer, Brief, ContextPart, Question, Reply
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.jury import JuryRequest
from sparring.schema.runs import Limits, Outcome
from sparring.schema.transcript import PendingAsk, Turn
from sparring.text.redaction import Redactor
from support.playing import NobodyBefore

AT_ONCE = 64
MOST_ROWS = 600
"""More than are kept in memory of what was read, so that no row finds the texts of the one before."""

SECRETS = ("swordfish-of-the-sea-77", "hunter2-hunter2-hunter2")
_SEATS = {"advocate": "left", "skeptic": "right", "fact_checker": "third", "judge": "fourth"}
_ASKS = {"jury": 6, "fact-check": 3}


class _NoLedger:
    """Keeps nothing."""

    async def asked(self, asks: Sequence[PendingAsk], *, step: int, of: int) -> None:
        """See ``Journal.asked``."""

    async def turn(self, turn: Turn, *, step: int, of: int, index: int) -> None:
        """See ``Journal.turn``."""

    async def end(self, outcome: Outcome) -> None:
        """See ``Journal.end``."""


class _Fluent:
    """Answers at once whatever it is asked, in usable words that quote the texts."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, question: Question) -> Reply:
        """See ``Consultant.ask``."""
        self.asked += 1
        return Answer(tool="fluent", response=_said(question.brief), duration_ms=0)


def _said(brief: Brief) -> str:
    truth, claim = (" ".join(text.replace('"', " ").split()[:8]) for text in (*brief.evidence[:1], brief.topic))
    if brief.role is Role.JUDGE:
        return json.dumps(
            {
                "verdict": "PARTIALLY_FAITHFUL",
                "confidence": 0.8,
                "rationale": ["The claim says a part of it."],
                "critical_differences": [f'"{claim}" is not all that "{truth}" says.'],
                "what_would_make_it_faithful": ["Say all of it."],
                "one_sentence_summary": "A part of it.",
            }
        )
    if brief.step == "jury/checklist":
        kinds = ("numbers", "dates", "entities", "quantifiers", "causality")
        entry = {"status": "match", "severity": None, "truth": [truth], "claim": [claim], "note": "The same."}
        return json.dumps({"checklist": [{"dimension": kind, **entry} for kind in kinds]})
    if brief.step.startswith("jury/"):
        return f'- The truth has "{truth}".\n- The claim has "{claim}".\n- Both speak of it: "{claim}".'
    part = {"part": claim, "status": "MISSING", "quote": None}
    return json.dumps({"parts": [part, {**part, "part": brief.topic}], "verdict": "NEI", "reasoning_vi": "So it is."})


def run(scale: Scale) -> Figures:
    """CPU of a row of each kind over that of one check of its claim."""
    files, missing = labelled(scale)
    yield from missing
    rows = [row for file in files for row in file.rows if "\n" not in row["claim"]][: scale.of(MOST_ROWS, smoke=6)]
    alone_s = cpu_s(lambda: _checked(rows), times=3)
    prompts = PromptLibrary()
    for name, rules in (("jury", _jury), ("fact-check", _fact_check)):
        row_s = cpu_s(partial(_hold, rows, partial(rules, prompts=prompts), _ASKS[name]), times=3)
        yield Figure(
            f"CPU of a row, {name} / of one check by code",
            row_s / alone_s,
            f"{1000 * row_s / len(rows):.2f} ms, {1000 * alone_s / len(rows):.2f} ms a row; {len(rows)} rows",
        )


def _checked(rows: Sequence[Row]) -> None:
    for row in rows:
        check_claim(row["claim"], ["\n".join(row["evidence"])])


def _jury(row: Row, prompts: PromptLibrary) -> Rules:
    seats = {role: Participant(tool=tool) for role, tool in _SEATS.items()}
    truth = "\n".join(row["evidence"])
    return Jury(JuryRequest.model_validate({"truth": truth, "claim": row["claim"], **seats}), prompts)


def _fact_check(row: Row, prompts: PromptLibrary) -> Rules:
    text = "\n".join(row["evidence"])
    evidence = (ContextPart(name="evidence", size_bytes=len(text.encode()), text=text),)
    agents = tuple(Participant(tool=tool) for tool in tuple(_SEATS.values())[:3])
    request = FactCheckRequest(claim=row["claim"], evidence=evidence, agents=agents)
    return FactCheck(request, prompts)


def _hold(rows: Sequence[Row], rules: Callable[[Row], Rules], asks: int) -> None:
    """Hold all ``rows``, of each of which at least so many ``asks`` are put."""
    fluent = _Fluent()
    consultant = RedactingConsultant(fluent, Redactor(SECRETS))

    async def hold(row: Row, places: anyio.Semaphore) -> None:
        async with places:
            await deliberate(
                Deliberation(
                    run_id="bench-20260301T120000Z-c0de",
                    format=rules(row),
                    consultant=lambda _: RetryingConsultant(consultant, OF_APIS, no_report),
                    journal=_NoLedger(),
                    limits=Limits(),
                    observe=None,
                    calls=NobodyBefore(),
                )
            )

    async def hold_all() -> None:
        places = anyio.Semaphore(AT_ONCE)
        async with anyio.create_task_group() as group:
            for row in rows:
                group.start_soon(hold, row, places)

    anyio.run(hold_all)
    if fluent.asked < asks * len(rows):
        raise AssertionError(f"{fluent.asked} asks for {len(rows)} rows")
