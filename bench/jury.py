"""What a rule-based jury is worth: how often its verdicts agree with the labels of the rows, which are of another kind.

The mapping: a SUPPORTED claim is FAITHFUL, a REFUTED one MUTATED, and a claim on which its evidence does not tell (NEI)
is not FAITHFUL, be it PARTIALLY_FAITHFUL or MUTATED. Rows come from ``../shared/data`` where that is there.
"""

import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from bench.intervals import INTERVALS, SEED, Agreement, Confusion, Judged, accuracy
from bench.rule_based import SEAT, Bench, bench
from sparring.formats.jury import Jury
from sparring.schema.claims import Label
from sparring.schema.jury import Faithfulness, JuryOutcome, JuryRequest
from support.claim_scores import DATA, FILES, Scored, read_rows

HALVES = ("tune", "unseen")
ROWS_OF_A_FILE = 600
"""Of longer files that many are drawn, always the same: a jury is six consultations."""

AGREEING = {
    Label.SUPPORTED: {Faithfulness.FAITHFUL},
    Label.REFUTED: {Faithfulness.MUTATED},
    Label.NEI: {Faithfulness.PARTIALLY_FAITHFUL, Faithfulness.MUTATED},
}


async def main() -> None:
    """Print the agreement of every file and half, the baselines', the confusion tables and the speed."""
    if not DATA.is_dir():
        print("no development data beside the project: nothing to measure")
        return
    print("agreement: SUPPORTED with FAITHFUL, REFUTED with MUTATED, NEI with PARTIALLY_FAITHFUL or MUTATED")
    print(f"{ROWS_OF_A_FILE} rows of each longer file, drawn at random with seed {SEED}; {INTERVALS}")
    print(f"{'':24} half     rows  agreement [95 % by page]  faithful or not           always FAITHFUL, MUTATED")
    everything: dict[int, list[Judged]] = {0: [], 1: []}
    async with bench() as runs:
        for name in FILES:
            rows = _sampled(read_rows(name))
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
            _print_table(Agreement(of_half).confusion)
        await _print_unlabelled(runs)


def _sampled(rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if len(rows) <= ROWS_OF_A_FILE:
        return rows
    return random.Random(SEED).sample(rows, ROWS_OF_A_FILE)  # noqa: S311 -- nothing secret


def _half(row: Mapping[str, Any]) -> int:
    return Scored(row, is_refuted=False).half


async def _judged(row: Mapping[str, Any], runs: Bench) -> Judged:
    request = JuryRequest(
        truth="\n".join(row["evidence"]),
        claim=row["claim"],
        advocate=SEAT,
        skeptic=SEAT,
        fact_checker=SEAT,
        judge=SEAT,
    )
    outcome = await runs.outcome(Jury(request, runs.prompts))
    if not isinstance(outcome, JuryOutcome) or outcome.verdict is None:
        raise TypeError(f"no verdict: {outcome}")
    return Judged(str(row["meta"].get("page", row["id"])), str(row["label"]), outcome.verdict.verdict)


def _print(name: str, half: int, rows: Sequence[Judged]) -> None:
    agreement = Agreement(rows)
    always = (Agreement(Judged(row.page, row.label, verdict) for row in rows) for verdict in ("FAITHFUL", "MUTATED"))
    baselines = ", ".join(f"{_agreeing(each.confusion):5.1f}" for each in always)
    print(
        f"{name:24} {HALVES[half]:6} {len(rows):6,}  {agreement.estimate(_agreeing)}      {agreement.estimate(_told)}"
        f"      {baselines}"
    )


def _agreeing(confusion: Confusion) -> float:
    """Per cent of the rows whose verdict agrees with their label."""
    agreeing = sum(count for (label, given), count in confusion.items() if given in AGREEING[Label(label)])
    return 100 * agreeing / confusion.total()


def _told(confusion: Confusion) -> float:
    """Per cent of the rows of which it is right whether they are FAITHFUL."""
    return accuracy(_by_faithfulness(confusion))


def _by_faithfulness(confusion: Confusion) -> Confusion:
    told: Confusion = Counter()
    for (label, given), count in confusion.items():
        told[str(label == Label.SUPPORTED), str(given == Faithfulness.FAITHFUL)] += count
    return told


def _print_table(confusion: Confusion) -> None:
    print(f"    {'':12}" + "".join(f"{verdict:>20}" for verdict in Faithfulness))
    for label in Label:
        print(f"    {label:12}" + "".join(f"{confusion[label, verdict]:20,}" for verdict in Faithfulness))


async def _print_unlabelled(runs: Bench) -> None:
    verdicts = Counter([(await _judged(row, runs)).given for row in read_rows("facttrace")])
    print(
        "facttrace, most of it without labels: "
        + ", ".join(f"{verdict} {verdicts[verdict]}" for verdict in Faithfulness)
    )


if __name__ == "__main__":
    anyio.run(main)
