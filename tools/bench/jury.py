"""Accuracy of a jury without a model, against labels of another kind.

The mapping: a SUPPORTED claim is FAITHFUL, a REFUTED one MUTATED, and a claim on which its evidence does not tell (NEI)
is not FAITHFUL, be it PARTIALLY_FAITHFUL or MUTATED. What code does not decide has no verdict, and is only counted.
"""

import random
from collections import Counter
from collections.abc import Sequence

import anyio

from bench.figures import Figure, Figures, LeftOut, Scale
from bench.intervals import Agreement, Confusion, Judged, accuracy
from bench.rows import Row, group_of, labelled
from bench.rule_based import SEAT, Bench, bench, beside_code
from sparring.formats.jury.flow import Jury
from sparring.schema.claims import Label
from sparring.schema.jury import Faithfulness, JuryOutcome, JuryRequest
from sparring.text.intervals import SEED

MOST_ROWS = 300
"""Of more rows in a part that many are drawn, always the same."""

NO_VERDICT = "no verdict"

AGREEING = {
    Label.SUPPORTED: {Faithfulness.FAITHFUL},
    Label.REFUTED: {Faithfulness.MUTATED},
    Label.NEI: {Faithfulness.PARTIALLY_FAITHFUL, Faithfulness.MUTATED},
}


def run(scale: Scale) -> Figures:
    """Agreement of every file and part over that of the verdict which, always given, would agree most often."""
    with bench() as runs:
        files, missing = labelled(scale)
        yield from missing
        for file in files:
            for part, rows in file.parts():
                judged = anyio.run(_all_judged, _drawn(rows), runs)
                agreement = Agreement(row for row in judged if row.given != NO_VERDICT)
                if not agreement.rows:
                    yield LeftOut(f"{file.name}, {part}", f"none of {len(judged):,} rows is decided")
                    continue
                always = {verdict: _agreeing(_given(agreement, verdict)) for verdict in ("FAITHFUL", "MUTATED")}
                best = max(always, key=lambda verdict: always[verdict])
                yield Figure(
                    f"{file.name}, {part}: agreement / always {best}",
                    _agreeing(agreement.confusion) / always[best],
                    f"{agreement.estimate(_agreeing)} over {always[best]:.1f} % of {len(agreement.rows):,} rows "
                    f"decided of {len(judged):,}; "
                    f"faithful or not {agreement.estimate(_told)}; {_table(agreement.confusion)}",
                    "> 1",
                )
        yield beside_code("a jury", scale, lambda claim, text: anyio.run(_verdict, claim, text, runs))


def _drawn(rows: Sequence[Row]) -> Sequence[Row]:
    return random.Random(SEED).sample(rows, min(MOST_ROWS, len(rows)))  # noqa: S311 -- nothing secret


async def _all_judged(rows: Sequence[Row], runs: Bench) -> list[Judged]:
    return [await _judged(row, runs) for row in rows]


async def _judged(row: Row, runs: Bench) -> Judged:
    verdict = await _verdict(row["claim"], "\n".join(row["evidence"]), runs)
    return Judged(group_of(row), str(row["label"]), verdict)


async def _verdict(claim: str, truth: str, runs: Bench) -> str:
    seats = {"advocate": SEAT, "skeptic": SEAT, "fact_checker": SEAT, "judge": SEAT}
    request = JuryRequest.model_validate({"truth": truth, "claim": claim, **seats})
    outcome = await runs.outcome(Jury(request, runs.prompts))
    if not isinstance(outcome, JuryOutcome):
        raise TypeError(f"no jury: {outcome}")
    return outcome.verdict.verdict if outcome.verdict else NO_VERDICT


def _given(agreement: Agreement, verdict: str) -> Confusion:
    return Agreement(Judged(row.page, row.label, verdict) for row in agreement.rows).confusion


def _agreeing(confusion: Confusion) -> float:
    """Per cent of the rows whose verdict agrees with their label."""
    agreeing = sum(count for (label, given), count in confusion.items() if given in AGREEING[Label(label)])
    return 100 * agreeing / confusion.total()


def _told(confusion: Confusion) -> float:
    """Per cent of the rows of which it is right whether they are FAITHFUL."""
    told: Confusion = Counter()
    for (label, given), count in confusion.items():
        told[str(label == Label.SUPPORTED), str(given == Faithfulness.FAITHFUL)] += count
    return accuracy(told)


def _table(confusion: Confusion) -> str:
    """Of each label, how many rows were given which verdict."""
    counts = (" ".join(f"{confusion[label, verdict]}" for verdict in Faithfulness) for label in Label)
    return f"{'/'.join(Faithfulness)}: " + ", ".join(f"{label} {row}" for label, row in zip(Label, counts, strict=True))
