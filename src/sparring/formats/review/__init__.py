"""The review of a change or a plan by several model families (design: Review).

Reading order: ``options`` declares the options; ``findings`` joins reports of the same defect, ``places`` locates them
in the change; ``prompts`` words the prompts; ``flow`` is the course, with the examination of findings of a single
family, and its endings; ``outcome`` words the result and keeps dismissed findings; ``report`` shows the result,
``exports`` writes it for other programs.
"""

from collections.abc import Iterator
from typing import Any

from sparring.engine.audited import AuditedSeat
from sparring.engine.capabilities import BugBench, Export, Exports
from sparring.engine.format import Format, PlannedCalls, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.review import exports
from sparring.formats.review.options import LAST_REVIEW, ReviewOptions, complete
from sparring.formats.review.outcome import DISMISSING
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
from sparring.schema.review import LastReview, ReviewOutcome, ReviewRequest, ReviewStatus

__all__ = ["FORMAT"]


def _rules(request: ReviewRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.review.flow import Review

    return Review(request, prompts)


def _presentation() -> Presentation[Any]:
    from sparring.formats.review.report import PRESENTATION

    return PRESENTATION


_JOINING = 900
"""Characters of a prompt that compares findings: instructions, and two or three findings."""


def _plan(request: ReviewRequest) -> Iterator[PlannedCalls]:
    """Yield for each reviewer the parts of the change, then the examinations, and one comparison of findings.

    Usual is one finding a reviewer and part, which a reviewer of another family examines. A finding is examined only
    if it is among the ``examined`` most severe ones. All asks are repeated once if the answer cannot be used.
    """
    parts, reviewers = len(request.change.parts), len(request.reviewers)
    seats = [Participant(tool=each.tool, model=each.model) for each in request.reviewers]
    if not parts:
        return
    for seat in seats:
        yield PlannedCalls("findings", Role.REVIEWER, seat, parts, parts, most=2 * parts)
    if reviewers > 1:  # no reviewer names the same finding twice
        yield PlannedCalls("joining", Role.REVIEWER, seats[0], fewest=0, whole=_JOINING)
    has_families = len({each.family for each in request.reviewers}) > 1
    usual = min(parts * reviewers, request.examined) if has_families else 0
    for number, seat in enumerate(seats):  # in turn, so that each has its share, and the first ones the rest
        shares = [(total + reviewers - 1 - number) // reviewers for total in (usual, request.examined)]
        yield PlannedCalls("examination", Role.EXAMINER, seat, fewest=0, usual=shares[0], most=2 * shares[1])


_COMMENTS = "Print comments on the changed lines as the host takes them; nothing is posted."
_EXPORTS = Exports(
    {
        "sarif": Export(
            "sarif",
            "Write the findings to this file as SARIF 2.1.0, for code scanning; `-` prints them.",
            exports.sarif,
        ),
        "github": Export("comments", _COMMENTS, exports.github),
        "gitlab": Export("comments", _COMMENTS, exports.gitlab, exports.not_for_gitlab),
    }
)


def _audited() -> AuditedSeat:
    from sparring.formats.review.audited import SEAT

    return SEAT


FORMAT = Format(
    name="review",
    title="Cross-review",
    description=(
        "Review a change, files or a plan: tools of several families look blind, code checks the places, another "
        "family tries to refute."
    ),
    options=ReviewOptions,
    request=ReviewRequest,
    complete=complete,
    outcome=ReviewOutcome,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    examples=(
        'sparring review --about "retries end after 3 attempts"',
        "sparring review main..topic --with claude,codex,gemini --fail-on major",
        "sparring review --plan PLAN.md",
        'sparring review dismiss 1a2b3c4d "the caller holds the lock"',
        "sparring review --bench --set sample=30",
    ),
    exit_codes={
        ReviewStatus.BLOCKING: ExitCode.FAILED,
        ReviewStatus.FINDINGS: ExitCode.DONE,
        ReviewStatus.CLEAN: ExitCode.DONE,
        ReviewStatus.INCOMPLETE: ExitCode.NO_VERDICT,
        ReviewStatus.FAILED: ExitCode.FAILED,
    },
    subject="what",
    last_files=((LAST_REVIEW, LastReview),),
    capabilities=(_EXPORTS, DISMISSING, BugBench("bench")),
    not_evaluated=(
        "A review ends in findings and not in a label, so rows have nothing to compare; "
        "`sparring review --bench` compares reviewers, their union and their examination on planted bugs."
    ),
    expected_if="each reviewer finds one thing that no other does",
    audited={"examiner": _audited},
)
