"""Usable first replies and calls per deliberation of a real small model, with and without a schema of the answer.

The model is that of `make real` (SmolLM2-135M): figures say what the prompts and the reader are worth to a model that
is too small to be of any use, and nothing about larger ones.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, Figures, LeftOut, Scale
from sparring.schema.transcript import Turn, TurnKind
from sparring.store.journal import read_journal
from support.real_model import SEATS, RealModel, running, why_not
from support.workbench import Workbench

LEFT, RIGHT, THIRD = SEATS
_FORMS = {
    "debate": frozenset({TurnKind.SYNTHESIS}),
    "fact-check": frozenset({TurnKind.ANALYSIS, TurnKind.REBUTTAL}),
    "jury": frozenset({TurnKind.CHECKLIST, TurnKind.VERDICT}),
}
"""The kinds of turns whose reply is a form; the others are prose."""

_TOPICS = (
    "Should the client retry a failed payment after a timeout?",
    "Should a small team write its documentation before the code?",
    "Is a monolith better than microservices for a new product?",
)
_PAIRS = (
    ("The library reopened in June 2020.", "The library closed in 2019 and reopened in June 2021."),
    ("The tower has 12 bells.", "The tower has 12 bells and was built in 1889."),
    ("The timeout is 30 seconds.", "Requests wait for an answer. The timeout is 60 seconds."),
)
_STRUCTURED = ("constrained", "none")


def run(scale: Scale) -> Figures:
    """For each form the share of first replies that can be used, and the calls of a deliberation over the expected."""
    if why := why_not():
        yield LeftOut("a real small model", why)
        return
    count = scale.of(3, smoke=1)
    for structured in _STRUCTURED:
        for format_ in scale.of(tuple(_FORMS), smoke=("jury",)):
            yield from _figures(format_, structured, count)


def _figures(format_: str, structured: str, count: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as model:
        bench = Workbench.below(Path(folder) / "bench")
        model.add_to(bench, limits=f'structured = "{structured}"')
        turns, expected, decided = list[Turn](), 0, 0
        for command in _commands(format_)[:count]:
            decided += bench.run(*command, "--timeout", "600").code == 0
            journal = read_journal(max((bench.state / format_ / "runs").iterdir()))
            turns += [turn for step in journal.steps for turn in step]
            expected += journal.header.estimate.usual if journal.header.estimate else 1
        yield from _of(format_, structured, turns, model, expected, decided, count)


def _of(
    format_: str, structured: str, turns: list[Turn], model: RealModel, expected: int, decided: int, count: int
) -> Iterator[Figure]:
    forms = [turn for turn in turns if turn.kind in _FORMS[format_]]
    first = sum(turn.attempt == 1 for turn in forms)
    again = sum(turn.attempt == 2 for turn in forms)
    seconds = sum(turn.reply.duration_ms for turn in turns) / 1000
    label = f"{format_}, structured = {structured}"
    yield Figure(
        f"{label}: usable first replies / all",
        (first - again) / max(first, 1),
        f"{first - again} of {first} forms; {decided} of {count} ended with a verdict",
    )
    yield Figure(
        f"{label}: calls / usual calls",
        len(model.answered) / max(expected, 1),
        f"{len(model.answered)} calls in {count} deliberations, {seconds:.0f} s of answers",
    )


def _commands(format_: str) -> list[tuple[str, ...]]:
    seats = ("--proposer", LEFT, "--challenger", RIGHT, "--seat", f"judge={THIRD}")
    match format_:
        case "debate":
            return [("debate", topic, *seats, "--rounds", "1", "--set", "exhibits=none") for topic in _TOPICS]
        case "fact-check":
            return [("fact-check", claim, "--evidence", text, "--with", ",".join(SEATS)) for claim, text in _PAIRS]
        case _:
            return [("jury", claim, "--truth", text, "--with", LEFT) for claim, text in _PAIRS]
