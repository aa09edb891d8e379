"""What a fact-check by three agents without a model is worth, beside giving every row the most frequent label.

Thresholds were tuned on one half of the pages only.
"""

from collections.abc import Sequence

import anyio

from bench.figures import Figure, Figures, Scale
from bench.intervals import Agreement, Judged, accuracy, always_the_most_frequent, macro_f1
from bench.rows import Row, labelled, page_of
from bench.rule_based import SEAT, Bench, bench, beside_code
from sparring.formats.fact_check.rules import FactCheck
from sparring.schema.consultation import ContextPart
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest


def run(scale: Scale) -> Figures:
    """Accuracy of every file and half over the baseline's, and what three agents cost beside one look by code."""
    with bench() as runs:
        files, missing = labelled(scale)
        yield from missing
        for file in files:
            for half, rows in file.halves():
                agreement = Agreement(anyio.run(_all_judged, rows, runs))
                baseline = accuracy(always_the_most_frequent(agreement.rows).confusion)
                yield Figure(
                    f"{file.name}, {half}: accuracy / most frequent label",
                    accuracy(agreement.confusion) / baseline,
                    f"{agreement.estimate(accuracy)} over {baseline:.1f} % of {len(rows):,} rows; "
                    f"macro-F1 {agreement.estimate(macro_f1)}",
                    "> 1",
                )
        yield beside_code("three agents", scale, lambda claim, text: anyio.run(_checked, claim, [text], runs))


async def _all_judged(rows: Sequence[Row], runs: Bench) -> list[Judged]:
    return [
        Judged(page_of(row), row["label"], str((await _checked(row["claim"], row["evidence"], runs)).label))
        for row in rows
    ]


async def _checked(claim: str, evidence: Sequence[str], runs: Bench) -> FactCheckOutcome:
    parts = (
        ContextPart(name=f"source {number}", size_bytes=len(text.encode()), text=text)
        for number, text in enumerate(evidence, start=1)
    )
    request = FactCheckRequest(claim=claim, evidence=tuple(parts), agents=(SEAT, SEAT, SEAT))
    outcome = await runs.outcome(FactCheck(request, runs.prompts))
    if not isinstance(outcome, FactCheckOutcome):
        raise TypeError(f"no fact-check: {outcome}")
    return outcome
