"""Figures of a fact-check by code alone beside the most frequent label, and of the calls that readers cost."""

from collections.abc import Sequence

import anyio

from bench.figures import Figure, Figures, Scale
from bench.intervals import Agreement, Judged, accuracy, always_the_most_frequent, macro_f1
from bench.rows import Row, group_of, labelled
from bench.rule_based import Bench, bench, beside_code
from sparring.formats.fact_check.flow import FactCheck
from sparring.schema.base import Participant
from sparring.schema.consultation import ContextPart
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest


def run(scale: Scale) -> Figures:
    """Accuracy of every file and part over the baseline's; CPU beside one look by code; calls with second readers."""
    with bench() as runs:
        files, missing = labelled(scale)
        yield from missing
        for file in files:
            for part, rows in file.parts():
                agreement = Agreement(anyio.run(_all_judged, rows, runs))
                baseline = accuracy(always_the_most_frequent(agreement.rows).confusion)
                yield Figure(
                    f"{file.name}, {part}: accuracy / most frequent label",
                    accuracy(agreement.confusion) / baseline,
                    f"{agreement.estimate(accuracy)} over {baseline:.1f} % of {len(rows):,} rows; "
                    f"macro-F1 {agreement.estimate(macro_f1)}",
                    "> 1",
                )
        yield beside_code("a fact-check", scale, lambda claim, text: anyio.run(_checked, claim, [text], runs))


async def _all_judged(rows: Sequence[Row], runs: Bench) -> list[Judged]:
    return [
        Judged(group_of(row), row["label"], str((await _checked(row["claim"], row["evidence"], runs)).label))
        for row in rows
    ]


async def _checked(claim: str, evidence: Sequence[str], runs: Bench) -> FactCheckOutcome:
    outcome = await runs.outcome(FactCheck(_request(claim, evidence), runs.prompts))
    if not isinstance(outcome, FactCheckOutcome):
        raise TypeError(f"no fact-check: {outcome}")
    return outcome


def _request(claim: str, evidence: Sequence[str], agents: tuple[Participant, ...] = ()) -> FactCheckRequest:
    parts = (
        ContextPart(name=f"source {number}", size_bytes=len(text.encode()), text=text)
        for number, text in enumerate(evidence, start=1)
    )
    return FactCheckRequest(claim=claim, evidence=tuple(parts), agents=agents)
