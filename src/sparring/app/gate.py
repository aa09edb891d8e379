"""The gate of one project: has a change reviewed, or resumes an interrupted review, and answers the host.

A change that was reviewed is not reviewed again, and only verdicts of enough reviewers are remembered.
"""

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol, TypeVar, cast

from filelock import Timeout
from msgspec.structs import replace

from sparring.app.application import App, OpenRun
from sparring.app.checks import run_checks
from sparring.app.gate_decisions import (
    GateDecision,
    HostCall,
    allow,
    decided,
    latest,
    rules_of,
    threshold,
    verdict_of,
)
from sparring.errors import NothingToReviewError, RunNotFoundError, SparringError, StateCorruptError, UsageError
from sparring.formats.registry import FORMATS
from sparring.participants.options import AccompanyingInput
from sparring.participants.seats import ChangeQuery
from sparring.schema import gate, review, runs
from sparring.schema.checks import CheckResult
from sparring.schema.runs import lost_seats
from sparring.store.files import StateFolder, lock_file, replace_file
from sparring.store.own_records import OwnRecords

T = TypeVar("T")

_REVIEW = "review"
_MOST_TRIES = 2
"""Maximum number of full reviews of the same change, when the answers could not be used."""

_LEAST_S = 5.0
"""Minimum time for a review; with less, none is begun."""


class Hold(Protocol):
    """Runs something to its end; None when a signal has interrupted it."""

    def __call__(self, work: Callable[[], Awaitable[T]], /) -> T | None:
        """Run ``work``, and return its result."""
        ...


class Gate:
    """The gate of one project.

    Args:
        app: The project and its tools.
        hold: Brings a run to its end; None when it was interrupted.
        clock: Monotonic seconds.
    """

    def __init__(self, app: App, hold: Hold, clock: Callable[[], float]) -> None:
        self._app = app
        self._hold = hold
        self._clock = clock
        self._folder = StateFolder(app.place.state)
        self._own = app.place.state / _REVIEW
        self._records = OwnRecords(app.place.state, app.place.provenance)

    def answer(self, asked: HostCall) -> gate.GateAnswer:
        """Return the answer to the host; on any error the host may proceed, and is given the reason."""
        begun = self._clock()
        try:
            configuration = self._app.configuration
            rules = rules_of(configuration.table("gate"), configuration.file)
            if asked.event is gate.GateEvent.PLAN:
                rules = rules.model_copy(update={"paths": {}, "checks": ()})  # they apply to files of the project
            if asked.event is gate.GateEvent.STOP and not self._has_changed(rules):
                return gate.GateAnswer()  # nothing is created in a folder without changes
            self._folder.ensure_writable(self._own)
            self._folder.hide_from_git(self._own)
            with lock_file(self._own / "gate.lock").acquire(timeout=rules.max_time):
                return self._decided(asked, rules, begun + rules.max_time)
        except Timeout:
            return allow("another gate is running in this project and did not finish in time.")
        except SparringError as error:
            return allow(str(error))

    def _decided(self, asked: HostCall, rules: gate.GateRules, deadline: float) -> gate.GateAnswer:
        if asked.event is gate.GateEvent.PLAN and not asked.plan.strip():
            return allow("the host did not send the plan.")
        file = self._memory_file()
        memory = self._records.read(file, gate.GateMemory) or gate.GateMemory()
        with self._plan_of(asked) as plan:
            try:
                request = self._request(plan, rules)
            except NothingToReviewError:
                return gate.GateAnswer()
        digest = request.identity
        known = next((verdict for verdict in memory.verdicts if verdict.digest == digest), None)
        if known is None:
            # A session that is not blocked any more needs no review.
            passing = decided(asked, None, memory, rules)
            if passing:
                self._records.replace(file, passing.memory)
                return passing.answer
        checks = self._checked(known, rules, deadline)
        if checks is None:
            return allow("the checks were interrupted.")
        if known is None:
            request = request.model_copy(update={"checks": checks})
            verdict, memory = self._reviewed(request, memory, rules, deadline)
            if isinstance(verdict, gate.GateAnswer):
                return verdict
        else:
            verdict = known.model_copy(update={"checks": checks})
        decision = decided(asked, verdict, memory, rules, self._dismissed())
        if decision is None:
            decision = GateDecision(gate.GateAnswer(), memory)
        self._records.replace(file, decision.memory)
        return decision.answer

    def _memory_file(self) -> Path:
        """Return the file of this user's gate. Its name cannot be guessed, so that it cannot come with the project.

        A file that cannot be trusted, such as one that the user has added to git, is skipped: without a memory a
        session could be blocked forever.

        Raises:
            StateKeyError: Nothing can be signed, so that nothing could be remembered.
        """
        key = self._app.place.provenance.key
        key.ensure()
        files = (self._own / f"gate-{key.fingerprint(f'gate {number}')}.json" for number in count())
        return next(file for file in files if not self._records.foreign(file))

    def _has_changed(self, rules: gate.GateRules) -> bool:
        """Report whether there is anything to be reviewed; raises where the change cannot be read."""
        try:
            self._app.project_context(_given(rules)).change(ChangeQuery())
        except NothingToReviewError:
            return False
        return True

    def _request(self, plan: str, rules: gate.GateRules) -> review.ReviewRequest:
        fields: dict[str, str] = {}
        if plan:
            fields["plan"] = plan
        if rules.reviewers:
            fields["participants"] = ",".join(rules.reviewers)
        options = FORMATS[_REVIEW].options.model_validate(fields)
        return cast("review.ReviewRequest", self._app.request(options, _given(rules)))

    @contextmanager
    def _plan_of(self, asked: HostCall) -> Generator[str]:
        """Yield the name of a private file with the plan; empty if there is no plan."""
        if asked.event is not gate.GateEvent.PLAN:
            yield ""
            return
        file = self._own / "plan.md"
        replace_file(file, asked.plan.encode(errors="replace"))
        try:
            yield str(file)
        finally:
            file.unlink(missing_ok=True)

    def _dismissed(self) -> tuple[str, ...]:
        dismissals = self._app.project_context().kept(f"{_REVIEW}/dismissed.json", review.Dismissals)
        return tuple(each.id for each in dismissals.dismissed) if dismissals else ()

    def _checked(
        self, known: gate.GateVerdict | None, rules: gate.GateRules, deadline: float
    ) -> tuple[CheckResult, ...] | None:
        """Return the results of the user's commands, None if interrupted; checks that passed are not repeated."""
        wanted = [(self._app.redact(command), 0) for command in rules.checks]
        if known and [(each.command, each.exit_code) for each in known.checks] == wanted:
            return known.checks
        if not rules.checks:
            return ()
        # At least half of the time, and enough to begin it, is left for the review.
        limit_s = max(0, min(rules.max_time / 2, deadline - self._clock() - 2 * _LEAST_S))
        project, environment = self._app.place.project, self._app.settings.environment
        roster = self._app.roster
        run = partial(run_checks, rules.checks, project, environment, roster.calls, roster.redactor, limit_s=limit_s)
        return self._hold(run)

    def _reviewed(
        self, request: review.ReviewRequest, memory: gate.GateMemory, rules: gate.GateRules, deadline: float
    ) -> tuple[gate.GateVerdict | gate.GateAnswer, gate.GateMemory]:
        """Return the verdict of a review: an interrupted one is resumed, and no answered question is asked again.

        The start of a run is recorded before any tool is asked.
        """
        left_s = deadline - self._clock()
        if left_s < _LEAST_S:
            return allow("there is no time left; another gate was running in this project."), memory
        digest, limits = request.identity, runs.Limits(cost_usd=rules.max_cost, wall_s=left_s)
        begun = next((each for each in memory.runs if each.digest == digest), None)
        run = self._ended(begun)
        if run is None:
            opened, tries = self._opened(begun, request, limits)
            begun = gate.GateRun(digest=digest, run_id=opened.run_id, tries=tries)
            others = [each for each in memory.runs if each.digest != digest]
            memory = memory.model_copy(update={"runs": latest([*others, begun])})
            self._records.replace(self._memory_file(), memory)
            opened = replace(opened, header=opened.header.model_copy(update={"limits": limits}))
            run = self._hold(lambda: self._app.work(opened, lambda _: None))
        if run is None or not isinstance(run.outcome, review.ReviewOutcome):
            return allow("the review was interrupted; the next call continues it."), memory
        verdict = verdict_of(digest, run.header.run_id, run.outcome, request.change.left_out)
        return verdict.model_copy(update={"checks": request.checks}), memory

    def _ended(self, begun: gate.GateRun | None) -> runs.Run | None:
        """Return the earlier review of the change, if asking again would be useless."""
        if begun is None:
            return None
        try:
            run = self._app.run(begun.run_id)
        except (RunNotFoundError, StateCorruptError):
            return None
        if not isinstance(run.outcome, review.ReviewOutcome) or lost_seats(run.transcript.turns):
            return None
        return run if run.outcome.has_quorum or begun.tries >= _MOST_TRIES else None

    def _opened(
        self, begun: gate.GateRun | None, request: review.ReviewRequest, limits: runs.Limits
    ) -> tuple[OpenRun, int]:
        """Return the resumed run, a retry of its failed asks, or a new run; and the number of full reviews so far."""
        tries = begun.tries if begun else 0
        if begun:
            for take_up in (self._app.reopen, self._app.retry):
                # The run has ended, nothing failed in it, or it is gone; a run that is at work is an error.
                with suppress(UsageError, RunNotFoundError, StateCorruptError):
                    return take_up(begun.run_id), tries
        return self._app.begin(request, limits), tries + 1


def _given(rules: gate.GateRules) -> AccompanyingInput:
    """Return the input of a request by the user, restricted to files that the rules do not switch off."""
    return AccompanyingInput(is_by_user=True, counts=lambda path: threshold(rules, path) is not None)
