"""A finished jury as Markdown: the verdict first, then what speaks for and against it, then what was said."""

from collections.abc import Iterable

from sparring.reports.compared import compared, mismatches
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import inline, literal, quoted, table
from sparring.reports.jury.hearing import seats, stated, statements, unread
from sparring.reports.jury.judged import FinishedJury
from sparring.reports.jury.phrases import CHECKLIST_HEAD, checklist_row, difference, title
from sparring.reports.runs import about_the_run
from sparring.schema.base import Role
from sparring.schema.jury import JuryStatus
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_TEXT_SHOWN = 500
"""Characters of truth and claim in the decision: whoever reads it knows the case."""

_HARD_BREAK = "  \n"
_NO_VERDICT = {
    JuryStatus.FAILED: "nobody gave anything that could be used",
    JuryStatus.UNJUDGED: "the judge gave none that could be used",
}


def report(run: Run) -> str:
    """The whole of a finished jury.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    jury = FinishedJury.of(run)
    request = jury.request
    return joined(
        [
            *_verdict(jury),
            Section("## Case", _case(jury, f"Truth:\n\n{quoted(request.truth)}", f"Claim:\n\n{quoted(request.claim)}")),
            *_reasons(jury),
            Section("## Checklist of the Fact-Checker", _checklist(jury)),
            Section("## Found by code", compared(jury.outcome.check, ("truth",))),
            *_minority(jury),
            Section("## Hearing", seats(run)),
            *statements(jury),
            *unread(jury),
            Section("## Run", _about_the_run(jury)),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """The verdict of a finished jury and its reasons, in fewer than ``limit`` characters; without one, the last words.

    Raises:
        DeliberationError: The run is not a finished jury.
    """
    jury = FinishedJury.of(run)
    truth, claim = (literal(one_line(text, _TEXT_SHOWN)) for text in (jury.request.truth, jury.request.claim))
    closing = f"The whole: `sparring runs show {run.header.run_id}`\n\n{_about_the_run(jury)}"
    return fitted(
        [
            *_verdict(jury),
            Section("## Case", _case(jury, f"Truth: {truth}", f"Claim: {claim}")),
            *_reasons(jury),
            Section("## Found by code", mismatches(jury.outcome.check, ("truth",))),
            *(_minority(jury) if jury.outcome.verdict else _last_words(jury)),
            Section("## Hearing", seats(run)),
            Section("", closing),
        ],
        limit=limit,
    )


def _verdict(jury: FinishedJury) -> list[Section]:
    outcome = jury.outcome
    notices = [f"[WARN] **Contested**: {literal(reason)}" for reason in outcome.contested]
    notices += [inline(notice) for notice in jury.notices]
    warnings = [Section("", "\n\n".join(notices))] if notices else []
    if outcome.verdict is None:
        why = _NO_VERDICT.get(outcome.status, outcome.status.value)
        return [Section("# Jury: no verdict", f"**No verdict**: {why}."), *warnings]
    verdict = outcome.verdict
    facts = [f"**{verdict.verdict}**, confidence {verdict.confidence:.2f}"]
    facts += [f"kinds of mutation: {', '.join(outcome.mutations)}"] if outcome.mutations else []
    summary = literal(verdict.one_sentence_summary)
    return [Section(f"# Jury: {verdict.verdict}", f"{'; '.join(facts)}.\n\n{summary}"), *warnings]


def _case(jury: FinishedJury, truth: str, claim: str) -> str:
    request = jury.request
    names = {"Row": request.row_id, "Data set": request.dataset}
    facts = [f"{name}: {literal(value)}" for name, value in names.items() if value]
    return "\n\n".join([*([_HARD_BREAK.join(facts)] if facts else []), truth, claim, _verified(jury)])


def _verified(jury: FinishedJury) -> str:
    there = sum(phrase.span is not None for phrase in jury.phrases)
    return (
        f"Verified by code: {there} of {len(jury.phrases)} quoted phrases stand in the texts word for word; "
        "numbers, dates and words of both texts were compared."
    )


def _reasons(jury: FinishedJury) -> list[Section]:
    verdict = jury.outcome.verdict
    if verdict is None:
        return []
    differences = "\n".join(map(difference, jury.outcome.differences))
    return [
        Section("## Rationale", _bullets(verdict.rationale)),
        Section("## Critical differences", differences or "None."),
        Section("## What would make it faithful", _bullets(verdict.what_would_make_it_faithful)),
    ]


def _minority(jury: FinishedJury) -> list[Section]:
    view = jury.outcome.minority_view
    return [Section(f"## Minority view: {title(view.role)}", quoted(view.text))] if view else []


def _last_words(jury: FinishedJury) -> list[Section]:
    said = [jury.last_statement(role) for role in (Role.ADVOCATE, Role.SKEPTIC)]
    return [Section(f"## Last word: {title(last.role)}", stated(last)) for last in said if last]


def _checklist(jury: FinishedJury) -> str:
    entries = jury.outcome.checklist
    return table(CHECKLIST_HEAD, map(checklist_row, entries)) if entries else "The Fact-Checker gave none."


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {literal(point)}" for point in points) or "None."


def _about_the_run(jury: FinishedJury) -> str:
    request = jury.request
    rebuttals = f"{jury.outcome.rebuttals_completed} of {request.rebuttals}"
    facts = {"Rebuttal rounds": rebuttals, "Language": request.language, "Effort": request.effort.value}
    return about_the_run(jury.run, facts)
