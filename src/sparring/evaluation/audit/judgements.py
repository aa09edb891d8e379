"""The answers of an audit as a table, in the columns of judgekit (pairwise verdicts) and of truescore."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from sparring.schema.audit import AuditCase, AuditJudgement, AuditPlan, CaseSide
from sparring.schema.base import spelled_tool

EXCHANGED = "exchanged"

_JUDGEKIT = ("kind", "item_id", "judge_id", "sample_index", "choice", "swapped", "confidence", "a_len", "b_len")
_TRUESCORE = ("id", "judge", "gold")
_OURS = ("variant", "planted", "pick", "right", "failure", "tokens", "cost_usd", "seconds", "prompt")
COLUMNS: tuple[str, ...] = (*_JUDGEKIT, *_TRUESCORE, *_OURS)
"""For judgekit, ``choice`` names the text and not its place. ``judge`` and ``gold`` are numbers for truescore: 1 where
the text of the first side of the case is picked, or right. An empty cell is unknown."""


def as_csv(judgements: Iterable[AuditJudgement], cases: Mapping[str, AuditCase], plan: AuditPlan) -> bytes:
    """Return the table, a line for each answer; answers without a pick have no ``choice``."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_lines(judgements, cases, plan))
    return text.getvalue().encode()


def _lines(
    judgements: Iterable[AuditJudgement], cases: Mapping[str, AuditCase], plan: AuditPlan
) -> Iterator[dict[str, object]]:
    judge = spelled_tool(plan.tool, plan.model)
    for judgement in judgements:
        case = cases[judgement.case]
        # Judgements name places. Where the texts have changed places, the text at a place is that of the other side.
        is_swapped = judgement.variant == EXCHANGED
        picked_text, right_text = judgement.pick, judgement.right
        if is_swapped:
            picked_text = picked_text and picked_text.other
            right_text = right_text and right_text.other
        choice = None
        if picked_text:
            choice = "a" if picked_text is CaseSide.FIRST else "b"
        yield {
            "kind": "pairwise",
            "item_id": judgement.case,
            "judge_id": judge,
            "sample_index": judgement.sample - 1,
            "choice": choice,
            "swapped": str(is_swapped).lower(),
            "confidence": judgement.confidence,
            "a_len": len(case.first),
            "b_len": len(case.second),
            "id": f"{judgement.case}/{judgement.variant}/{judgement.sample}",
            "judge": None if picked_text is None else int(picked_text is CaseSide.FIRST),
            "gold": None if right_text is None else int(right_text is CaseSide.FIRST),
            "variant": judgement.variant,
            "planted": judgement.planted,
            "pick": judgement.pick,
            "right": judgement.right,
            "failure": judgement.failure,
            "tokens": judgement.tokens,
            "cost_usd": judgement.cost_usd,
            "seconds": judgement.seconds,
            "prompt": judgement.prompt_sha256,
        }
