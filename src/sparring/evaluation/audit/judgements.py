"""The answers of an audit as a table, in the columns of judgekit (pairwise verdicts) and of truescore."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from sparring.schema.audit import AuditCase, AuditJudgement, AuditPlan, CaseSide
from sparring.schema.base import spelled_tool

EXCHANGED = "exchanged"

_JUDGEKIT = ("kind", "item_id", "judge_id", "sample_index", "choice", "swapped", "confidence", "a_len", "b_len")
_TRUESCORE = ("id", "judge", "gold")
_OWN = ("variant", "planted", "pick", "right", "failure", "tokens", "cost_usd", "seconds", "prompt")

COLUMNS: tuple[str, ...] = (*_JUDGEKIT, *_TRUESCORE, *_OWN)
"""In judgekit's, ``choice`` names the text and not its place. ``judge`` and ``gold`` are numbers for truescore: 1 where
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
    for each in judgements:
        case = cases[each.case]
        is_swapped = each.variant == EXCHANGED
        pick = _of_text(each.pick, is_swapped=is_swapped)
        right = _of_text(each.right, is_swapped=is_swapped)
        yield {
            "kind": "pairwise",
            "item_id": each.case,
            "judge_id": judge,
            "sample_index": each.sample - 1,
            "choice": {CaseSide.FIRST: "a", CaseSide.SECOND: "b"}.get(pick) if pick else None,
            "swapped": str(is_swapped).lower(),
            "confidence": each.confidence,
            "a_len": len(case.first),
            "b_len": len(case.second),
            "id": f"{each.case}/{each.variant}/{each.sample}",
            "judge": None if pick is None else int(pick is CaseSide.FIRST),
            "gold": None if right is None else int(right is CaseSide.FIRST),
            "variant": each.variant,
            "planted": each.planted,
            "pick": each.pick,
            "right": each.right,
            "failure": each.failure,
            "tokens": each.tokens,
            "cost_usd": each.cost_usd,
            "seconds": each.seconds,
            "prompt": each.prompt_sha256,
        }


def _of_text(side: CaseSide | None, *, is_swapped: bool) -> CaseSide | None:
    """Return the side whose text stands at the place of ``side``."""
    return side.other if side and is_swapped else side
