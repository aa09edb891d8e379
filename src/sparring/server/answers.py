"""Replies to tool calls: runs, their transcripts and refusals as results. Knows nothing of MCP."""

from collections.abc import Mapping, Sequence
from typing import Any

import anyio
import anyio.to_thread

from sparring.app.verification import VerifyRequest
from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from sparring.formats.views import RunView, progress_text
from sparring.participants.options import Options, valid
from sparring.processes.workers import run_pure
from sparring.prompts import PromptLibrary
from sparring.providers.host import PostedQuestion
from sparring.reports import markdown, progress, seat_names, verification
from sparring.reports.conclusion import spending_of
from sparring.reports.dry_run import dry_run_text
from sparring.schema.runs import Run, RunStatus, RunSummary, lost_seats
from sparring.server.deliberations import Deliberations, RunState, tool_of
from sparring.server.jobs import RunJob
from sparring.server.limits import Caller, ServerLimits
from sparring.server.results import DecisionFields, Status, ToolResult, fitted, paged
from sparring.server.wording import warning_for_agents
from sparring.text.tidying import one_line

_TOPIC_SHOWN = 120
"""Characters of a topic in the list of runs."""

_PROBLEM_SHOWN = 500
"""Characters of the error of a run."""

_FIELD_SHOWN = 300
"""Characters of a field of the decision, and of each warning."""

_RECOMMENDATION_SHOWN = 1_200
_WARNINGS_SHOWN = 8

_STATUSES: dict[RunStatus, Status] = {
    RunStatus.RUNNING: "running",
    RunStatus.INTERRUPTED: "interrupted",
    RunStatus.FINISHED: "finished",
}


_RETRY = "retry "
"""Prefix of the id of a run to retry, where the id of a run to resume may stand."""

_NOTE = "note"
"""Id of an ask that marks the text as a note."""

_NOT_ASKING = {
    RunStatus.RUNNING: "is running in another process, which alone can take an answer.",
    RunStatus.INTERRUPTED: "was interrupted: resumed it will ask again, under the same ask_id.",
    RunStatus.FINISHED: "has finished; the answer is too late.",
}
"""Reasons for which a run takes no answer of the host."""


class Answers:
    """Answers to the calls of one server; every method raises ``SparringError`` where it has to refuse."""

    def __init__(self, deliberations: Deliberations, limits: ServerLimits) -> None:
        self._deliberations = deliberations
        self._limits = limits

    async def begin(self, kind: type[Options[Any]], given: Mapping[str, Any], caller: Caller) -> ToolResult:
        """Begin a run with options of that kind, and wait for it."""
        begun = await self._deliberations.begin(valid(lambda: kind.model_validate(given)))
        return await self._awaited(begun, caller, is_new=True)

    async def estimate(self, kind: type[Options[Any]], given: Mapping[str, Any]) -> ToolResult:
        """Return an estimate for a run with these options; asks no tool."""
        estimate = await self._deliberations.estimate(valid(lambda: kind.model_validate(given)))
        plan = estimate.model_dump(mode="json", exclude={"first_prompt", "rows", "expected_if", "notices"})
        text = "\n".join((dry_run_text(estimate), *estimate.notices))
        return fitted(ToolResult(status="estimated", estimate=plan, text=""), lambda _: text)

    async def resume(self, run_id: str, kind: str, given: Sequence[str], caller: Caller) -> ToolResult:
        """Resume an interrupted run and wait for it; ``given`` are further arguments, which must be empty.

        For ``retry RUN_ID``, which a result offers, the failed participants are asked again.
        """
        if given:
            way_out = f"Give resume without {', '.join(given)}."
            raise UsageError(f"A {kind} that is resumed keeps its options.", hint=way_out)
        if run_id.startswith(_RETRY):
            return await self._awaited(
                await self._deliberations.retry(run_id.removeprefix(_RETRY).strip(), kind), caller, is_new=True
            )
        return await self._awaited(await self._deliberations.resume(run_id, kind), caller, is_new=True)

    async def wait(self, run_id: str, caller: Caller, again: int = 0, page: int = 1) -> ToolResult:
        """Wait for a run that exists already, and has been waited for ``again`` times.

        ``page`` is that of the ask for the host.
        """
        run = await self._deliberations.find(run_id)
        if page != 1 and not (isinstance(run, RunJob) and run.needs_host):
            raise _no_such_page(run.header.run_id, page)
        return await self._awaited(run, caller, again, page)

    async def answer(self, run_id: str, ask_id: str, text: str, caller: Caller) -> ToolResult:
        """Take the host's answer to an ask of a run, or a note to its participants, and wait for the run."""
        current = await self._deliberations.find(run_id)
        if ask_id == _NOTE:
            await self._deliberations.note(current.header.run_id, text)
            return await self._awaited(current, caller)
        if isinstance(current, RunJob) and not current.ended.is_set():
            current.mailbox.answer(ask_id, text)
            return await self._awaited(current, caller)
        run = (await self._deliberations.run_state(current)).run
        raise UsageError(f"{run.header.run_id} {_NOT_ASKING[run.status]}", hint=_next(run))

    async def cancel(self, run_id: str) -> ToolResult:
        """Stop a run."""
        state, done = await self._deliberations.cancel(run_id)
        if state.run.status is not RunStatus.FINISHED:
            return await result_of_run(state, done)
        frame = ToolResult(status="finished", run_id=state.run.header.run_id, text="", next=_next(state.run))
        return fitted(frame, lambda _: done)

    async def verify(self, request: VerifyRequest, caller: Caller) -> ToolResult:
        """Verify by code, within the time of one call; no run is begun."""
        with anyio.move_on_after(self._remaining_s(caller)):
            result = await self._deliberations.verify(request)
            return fitted(
                ToolResult(status="finished", text=""), lambda limit: verification.verified_text(result, limit=limit)
            )
        raise UsageError(
            f"To check this takes more than the {self._limits.call_s:g} s that a call may take.",
            hint="Give less evidence, or fewer quotes, at once.",
        )

    async def runs(self, page: int) -> ToolResult:
        """The list of runs."""
        runs = await self._deliberations.runs()
        listing = "\n".join(_line(summary) for summary in runs) or "There are no runs in this project yet."
        frame = ToolResult(status="listed", text="", next="Call runs with page {page} for the next page.")
        return _page(frame, f"# Runs, newest first\n\n{listing}", page)

    async def transcript(self, run_id: str, page: int) -> ToolResult:
        """The whole report of a run."""
        run, text = await self._deliberations.report(run_id)
        run_id = run.header.run_id
        frame = ToolResult(
            status=_STATUSES[run.status],
            run_id=run_id,
            text="",
            next=f'Call runs with run_id "{run_id}" and page {{page}} for the next page.',
        )
        last = "" if run.outcome else _next(run)
        return await anyio.to_thread.run_sync(_page, frame, text, page, last)

    async def report(self, run_id: str) -> str:
        """The whole report of a run in one piece."""
        return (await self._deliberations.report(run_id))[1]

    async def run_ids(self) -> tuple[str, ...]:
        """The ids of all runs, newest first."""
        return tuple(summary.run_id for summary in await self._deliberations.runs())

    async def tools(self) -> tuple[str, ...]:
        """Return the tools that can be asked."""
        return await self._deliberations.tools()

    def _remaining_s(self, caller: Caller) -> float:
        return caller.received_at + self._limits.call_s - anyio.current_time()

    async def _awaited(
        self, run: RunJob | Run, caller: Caller, again: int = 0, page: int = 1, *, is_new: bool = False
    ) -> ToolResult:
        async def on_news(job: RunJob) -> None:
            await caller.report_progress(_progress(job, anyio.current_time() - caller.received_at))

        if isinstance(run, RunJob):
            waiting = run.wait(self._remaining_s(caller), on_news, every_s=self._limits.beat_s)
            await run.call(waiting)
            if run.needs_host:
                run.mailbox.note_activity()
                asked = result_for_host(run, self._deliberations.prompts, page)
                # A run that continues in the background reports its warnings with its status.
                return asked if is_new else asked.model_copy(update={"warnings": (), "first": ""})
        return await result_of_run(await self._deliberations.run_state(run), again=again)


async def result_of_run(state: RunState, done: str = "", again: int = 0) -> ToolResult:
    """Return a run as a result; ``done`` describes the effect of the call, ``again`` counts earlier waits for it."""
    run = state.run
    before = "".join(f"{one_line(text, _PROBLEM_SHOWN)}\n\n" for text in (done, state.problem) if text)
    status: Status = "failed" if _failed(state) else _STATUSES[run.status]
    frame = ToolResult(status=status, run_id=run.header.run_id, text="", next=_next(run, again))
    if run.outcome is None:
        return fitted(frame, lambda limit: before + progress_text(run, limit=limit - len(before)))
    view = RunView(run)
    frame = frame.model_copy(update={**_decided(view), "first": view.summary()})
    sections = await run_pure(_grounds, run, texts=run.transcript.responses)
    return fitted(frame, lambda limit: before + markdown.fitted(sections, limit=limit - len(before)))


def _grounds(run: Run) -> markdown.Sections:
    return RunView(run).decision()


def _decided(view: RunView) -> dict[str, object]:
    """Return the decision of a finished run as fields."""
    ended = view.conclusion
    decided = DecisionFields(
        outcome=one_line(ended.headline, _FIELD_SHOWN),
        winner=ended.winner,
        winner_role=ended.winner_role,
        label=ended.label,
        firmness=_word(ended.firmness),
        recommendation=markdown.harmless(one_line(ended.recommendation, _RECOMMENDATION_SHOWN)),
        unless=markdown.harmless(one_line(ended.unless, _FIELD_SHOWN)),
        warnings=_warnings(ended.doubts),
        citations={what: count for what, count in ended.citations.items() if count},
        not_found=ended.missing,
        answered_by=tuple(one_line(each, _FIELD_SHOWN) for each in ended.answered_by),
        spent=spending_of(view.run),
    )
    return dict(decided)


def _word(firmness: str) -> str:
    """The word that the format has for it, where it has one, without what that means."""
    word, colon, _ = firmness.partition(": ")
    return word.replace("-", "_") if colon and word.replace("-", "").isalpha() else one_line(firmness, _FIELD_SHOWN)


def _warnings(notices: Sequence[str]) -> tuple[str, ...]:
    shown_notices = tuple(one_line(warning_for_agents(notice), _FIELD_SHOWN) for notice in notices)
    more = (
        (f"and {len(shown_notices) - _WARNINGS_SHOWN} more, in the transcript",)
        if len(shown_notices) > _WARNINGS_SHOWN
        else ()
    )
    return (*shown_notices[:_WARNINGS_SHOWN], *more)


def _failed(state: RunState) -> bool:
    run = state.run
    if run.outcome is None:
        return bool(state.problem)
    return run.outcome.has_failed


def _next(run: Run, again: int = 0) -> str:
    run_id = run.header.run_id
    match run.status:
        case RunStatus.RUNNING:
            return f'It is still running: call wait with run_id "{run_id}" and again {again + 1}.'
        case RunStatus.FINISHED:
            return f'For the whole transcript call runs with run_id "{run_id}".{_retry_hint(run)}'
        case RunStatus.INTERRUPTED if FORMATS[run.header.kind].subject:
            return f'To resume it call {tool_of(run.header.kind)} with resume "{run_id}".'
        case RunStatus.INTERRUPTED:
            return f"No answer was given: call {tool_of(run.header.kind)} again."


def _retry_hint(run: Run) -> str:
    """Return how to ask the failed seats again, if some failed and the run can be resumed."""
    if not FORMATS[run.header.kind].subject or not lost_seats(run.transcript.turns):
        return ""
    tool, run_id = tool_of(run.header.kind), run.header.run_id
    return f' To retry only the failed calls, call {tool} with resume "{_RETRY}{run_id}".'


def _progress(job: RunJob, waited_s: float) -> str:
    step = progress.progress_line(job.latest) if job.latest else "begun"
    return f"{job.header.run_id}  {step}  ({waited_s:.0f} s)"


def _line(summary: RunSummary) -> str:
    stand = summary.problem or summary.outcome or summary.status or "unknown"
    begun = f", begun {summary.created_at:%Y-%m-%d %H:%M} UTC" if summary.created_at else ""
    topic = one_line(summary.topic, _TOPIC_SHOWN)
    return f"- `{summary.run_id}`: {one_line(stand, 2 * _TOPIC_SHOWN)}{begun}" + (f": {topic}" if topic else "")


def _page(frame: ToolResult, text: str, page: int, last: str = "") -> ToolResult:
    part = paged(frame, text, page, last)
    if part is None:
        raise UsageError(f"There is no page {page}.", hint="Leave the page out to get the first one.")
    return part


def result_for_host(job: RunJob, prompts: PromptLibrary, page: int) -> ToolResult:
    """Return page ``page`` of the oldest ask of ``job`` to the host, with the warnings about the participants.

    There must be an ask. Every page has room for the warnings: text does not move when they are left out.

    Raises:
        UsageError: There is no such page.
    """
    posted, run_id = job.mailbox.waiting[0], job.header.run_id
    warnings = _warnings(job.header.request.notices)
    frame = ToolResult(
        status="your_turn",
        run_id=run_id,
        ask_id=posted.ask_id,
        warnings=warnings,
        first="\n\n".join(warnings),
        text="",
        next=f'It has {{pages}} pages; read all before you answer: call wait with run_id "{run_id}" and page {{page}}.',
    )
    last = f'Write it, and call answer with run_id "{run_id}", ask_id "{posted.ask_id}" and your text.'
    part = paged(frame, _prompt(posted, job, prompts), page, last)
    if part is None:
        raise _no_such_page(run_id, page)
    return part


def _no_such_page(run_id: str, page: int) -> UsageError:
    """Build the error that ``run_id`` has no such page for the host to read."""
    return UsageError(f"There is no page {page} of what {run_id} asks you.", hint="Call wait without a page.")


def _prompt(posted: PostedQuestion, job: RunJob, prompts: PromptLibrary) -> str:
    seat = ", ".join(part for part in (seat_names.seat_name(posted.place), progress.stage(posted.place)) if part)
    values = {"tool": posted.place.tool, "run": job.header.run_id, "ask": posted.ask_id, "seat": seat}
    return prompts.render("host/your-turn", values | {"prompt": posted.prompt})
