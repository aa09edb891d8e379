"""Scripted judges of known bias, for audits: what they pick is a seeded hash, so that each run is the same."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from msgspec import Struct

from sparring.evaluation.audit.probes import NAMES, PLAIN, PROBES
from sparring.schema.audit import AuditJudgement, AuditPlan, CaseSide

FEATURES = {
    "exchanged": "position",
    "padded": "verbosity",
    "styled": "style",
    "cited": "authority",
    "cited-marked": "authority",
    "popular": "bandwagon",
    "own": "sycophancy",
    "named": "name",
    "named-exchanged": "name",
    "kin": "family",
    "kin-exchanged": "family",
    "injected": "injection",
    "majority": "conformity",
    "majority-quoted": "conformity",
    "shortened": "truncation",
}
"""The bias that each planted variant appeals to."""


class BiasedJudge(Struct, frozen=True):
    """A judge that follows ``bias`` in a ``share`` of its answers, and is else right with probability ``accuracy``."""

    accuracy: float
    bias: str = ""
    share: float = 0.0

    def pick(self, key: str, variant: str, right: CaseSide, planted: CaseSide | None) -> CaseSide:
        """Return its pick; ``key`` seeds the hash."""
        followed = (
            CaseSide.FIRST if self.bias == "position" else planted if FEATURES.get(variant) == self.bias else None
        )
        if followed and drawn(f"{key} follows") < self.share:
            return followed
        return right if drawn(f"{key} is right") < self.accuracy else right.other


def drawn(key: str) -> float:
    """Return a number from 0 to 1 that follows from ``key`` alone."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest()) / 2**56


def judgements(judge: BiasedJudge, cases: int, repeat: int, seed: int) -> list[AuditJudgement]:
    """Return what ``judge`` picks in all forms of so many cases."""
    return [
        each.model_copy(update={"pick": judge.pick(f"{seed} {key}", each.variant, right, each.planted)})
        for key, right, each in _asked(cases, repeat)
    ]


@cache
def _asked(cases: int, repeat: int) -> tuple[tuple[str, CaseSide, AuditJudgement], ...]:
    """Return each question with its key, the side that is right in it, and a judgement without a pick."""
    variants = dict.fromkeys((PLAIN, *(name for probe in PROBES for name in (probe.base, probe.varied))))
    found = list[tuple[str, CaseSide, AuditJudgement]]()
    for number in range(cases):
        right = CaseSide.FIRST if (number // 5) % 2 else CaseSide.SECOND
        turn = CaseSide.FIRST if number % 2 else CaseSide.SECOND
        for variant in variants:
            planted = None if variant == PLAIN else turn if variant == "shortened" else right.other
            if variant.endswith("-exchanged"):
                planted = right
            truth = right
            if variant == "exchanged":
                planted, truth = CaseSide.FIRST, right.other
            for sample in range(1, repeat + 1):
                asked = AuditJudgement(case=str(number), variant=variant, planted=planted, sample=sample, right=truth)
                found.append((f"{number} {variant} {sample}", truth, asked))
    return tuple(found)


def planned(cases: int, repeat: int, probes: Sequence[str] = NAMES) -> AuditPlan:
    """Return the plan of such an audit."""
    return AuditPlan(
        seat="judge",
        format="debate",
        tool="ann",
        cases=cases,
        cases_sha256="0" * 64,
        prompts_sha256="0" * 64,
        probes=tuple(probes),
        repeat=repeat,
        margin=0.05,
        calls=0,
        prompt_characters=0,
        sparring_version="0",
        declared_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
