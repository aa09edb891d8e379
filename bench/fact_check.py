"""What a fact-check by three rule-based agents is worth, beside giving every row the most frequent label.

Rows come from ``../shared/data`` where that is there. Thresholds were tuned on one half of the pages only.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from bench.intervals import INTERVALS, Agreement, Judged, accuracy, always_the_most_frequent, macro_f1
from bench.rule_based import SEAT, Bench, bench
from sparring.formats.fact_check import FactCheck
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest
from support.claim_scores import DATA, FILES, Scored, read_rows

HALVES = ("tune", "unseen")
LONG_EVIDENCE = 10_000
AIM_MS = 50


async def main() -> None:
    """Print accuracy and macro-F1 of every file and half, the baseline's, and the speed."""
    if not DATA.is_dir():
        print("no development data beside the project: nothing to measure")
        return
    print(f"three-way, against the labels; {INTERVALS}")
    print(f"{'':24} half     rows  accuracy [95 % by page]   macro-F1 [95 % by page]   always the most frequent label")
    everything: dict[int, list[Judged]] = {0: [], 1: []}
    async with bench() as runs:
        for name in (*FILES, "facttrace"):
            rows = [row for row in read_rows(name) if row["label"]]
            began = time.process_time()
            judged = [await _judged(row, runs) for row in rows]
            rows_per_s = len(rows) / (time.process_time() - began)
            for half in everything:
                of_half = [each for each, row in zip(judged, rows, strict=True) if _half(row) == half]
                everything[half] += of_half
                _print(name, half, of_half)
            print(f"{'':24} {rows_per_s:,.0f} rows/s")
        for half, of_half in everything.items():
            _print("all", half, of_half)
        await _print_speed(runs)


def _half(row: Mapping[str, Any]) -> int:
    return Scored(row, is_refuted=False).half


async def _judged(row: Mapping[str, Any], runs: Bench) -> Judged:
    outcome = await _checked(row["claim"], row["evidence"], runs)
    return Judged(str(row["meta"].get("page", row["id"])), row["label"], str(outcome.label))


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


def _print(name: str, half: int, rows: Sequence[Judged]) -> None:
    if not rows:
        return
    agreement, baseline = Agreement(rows), always_the_most_frequent(rows)
    print(
        f"{name:24} {HALVES[half]:6} {len(rows):6,}  {agreement.estimate(accuracy)}      {agreement.estimate(macro_f1)}"
        f"      {accuracy(baseline.confusion):5.1f}, macro-F1 {macro_f1(baseline.confusion):5.1f}"
    )


async def _print_speed(runs: Bench) -> None:
    texts = [text for row in read_rows("scifact") for text in row["evidence"]]
    evidence: list[str] = []
    while sum(map(len, evidence)) < LONG_EVIDENCE:
        evidence.append(texts[len(evidence)])
    claims = [row["claim"] for row in read_rows("scifact")[:20]]
    began = time.process_time()
    for claim in claims:
        await _checked(claim, ["\n".join(evidence)], runs)
    ms = 1000 * (time.process_time() - began) / len(claims)
    print(f"one fact-check of 10 KB evidence by three agents: {ms:.0f} ms of CPU  (aim < {AIM_MS} ms an agent)")


if __name__ == "__main__":
    anyio.run(main)
