"""What a gate answers a host: decided by what a review found, what was answered before, and what the user has set.

It asks nobody about what it has seen, holds no session back more often than it may, and where there is no review to go
by it lets pass and says so.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TypeVar

from filelock import Timeout
from pydantic import ValidationError

from sparring.app.application import App, OpenRun
from sparring.errors import ConfigurationError, NothingToReviewError, SparringError
from sparring.formats.registry import FORMATS
from sparring.schema import base, changes, gate, review, runs
from sparring.seating.options import Given
from sparring.seating.seats import ChangeWish
from sparring.store.files import StateFolder, lock_file, replace_file
from sparring.store.own_records import OwnRecords
from sparring.text.tidying import one_line

T = TypeVar("T")

_REVIEW = "review"
_KEPT = 50
"""Most verdicts, and most sessions, that are remembered."""

_MOST_TOLD = 12
_LINE = 300
_OFF = "off"
_LEAST_S = 5.0
"""With less time than this no review is begun."""


@dataclass(frozen=True)
class HostCall:
    """What a host asks.

    Attributes:
        session: Its own name for the session.
        is_again: Whether it says that its agent is at work only because it was held back.
        plan: The plan that is about to be accepted.
    """

    event: gate.GateEvent
    session: str
    is_again: bool = False
    plan: str = ""

    @property
    def key(self) -> str:
        """The name of the session in the memory; a session is held back for its plans and its work apart."""
        return sha256(f"{self.event}\n{self.session}".encode(errors="replace")).hexdigest()[:16]


@dataclass(frozen=True)
class GateDecision:
    """What the host is told, and what is remembered of it."""

    answer: gate.GateAnswer
    memory: gate.GateMemory


def rules_of(table: Mapping[str, object], file: Path) -> gate.GateRules:
    """What ``[gate]`` in ``file`` says; raises ``ConfigurationError``."""
    said = dict(table)
    if isinstance(named := said.get("reviewers"), str):
        said["reviewers"] = tuple(part.strip() for part in named.split(","))
    try:
        return gate.GateRules.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in ("gate", *first["loc"]))
        raise ConfigurationError(
            f"{file}: {key}: {one_line(first['msg'], _LINE)}.", hint="See docs/gates.md."
        ) from error


def threshold(rules: gate.GateRules, path: str) -> review.DefectSeverity | None:
    """From which severity on a finding in that file blocks; None: nothing there does."""
    routed = next((to for pattern, to in rules.paths.items() if fnmatchcase(path, pattern)), rules.severity)
    return None if routed == _OFF else review.DefectSeverity(routed)


def verdict_of(digest: str, run_id: base.RunId, outcome: review.ReviewOutcome) -> gate.GateVerdict:
    """What is kept of a review that has ended."""
    confirmed = (
        each for each in outcome.findings if each.state is review.FindingState.CONFIRMED and not each.dismissed
    )
    findings = tuple(
        gate.GateFinding(
            id=each.id,
            file=each.place.file,
            line=each.place.first,
            severity=each.severity,
            defect=each.defect,
            title=one_line(each.title, _LINE),
            fix=one_line(each.reporters[0].said.fix, _LINE),
            families=each.families,
        )
        for each in confirmed
        if each.place
    )
    is_whole = outcome.status not in (review.ReviewStatus.FAILED, review.ReviewStatus.INCOMPLETE)
    return gate.GateVerdict(
        digest=digest, run_id=run_id, told=_told(run_id, outcome), confirmed=findings, is_whole=is_whole
    )


def _told(run_id: base.RunId, outcome: review.ReviewOutcome) -> str:
    match outcome.status:
        case review.ReviewStatus.FAILED:
            ended = "Nobody could review this, so it was let pass"
        case review.ReviewStatus.INCOMPLETE:
            ended = f"The review is not whole ({outcome.finding(None)})"
        case _:
            ended = f"Reviewed ({outcome.finding(None)})"
    causes = "".join(f" {one_line(notice, _LINE)}" for notice in outcome.notices[:3])
    return f"{ended}.{causes} All of it: sparring runs show {run_id}"


def decided(
    asked: HostCall,
    verdict: gate.GateVerdict | None,
    memory: gate.GateMemory,
    rules: gate.GateRules,
    dismissed: Iterable[str] = (),
) -> GateDecision | None:
    """What to answer; None where only a review can tell.

    Args:
        asked: What the host asks.
        verdict: What a review has made of what is there now, this one or an earlier one; None: nobody has seen it.
        memory: What was answered before.
        rules: What the user has set.
        dismissed: The ids of findings that are none.
    """
    session = next((each for each in memory.sessions if each.id == asked.key), gate.GateSession(id=asked.key))
    no_more = _no_more(asked, session, rules)
    if verdict is None:
        return _passing(memory, f"nothing was reviewed; let pass, since {no_more}.") if no_more else None
    told = dict.fromkeys(dismissed)
    blocking = [each for each in verdict.confirmed if each.id not in told and _blocks(each, rules)]
    is_new = all(verdict.digest != each.digest for each in memory.verdicts)
    memory = memory.model_copy(update={"verdicts": _latest([*memory.verdicts, *([verdict] if is_new else [])])})
    if not blocking:
        return _passing(memory, verdict.told if is_new or not verdict.is_whole else "")
    if verdict.digest in session.shown:
        no_more = "nothing has changed since they were shown"
    if no_more:
        return _passing(memory, f"{_count(blocking)} still there; let pass, since {no_more}: {_places(blocking)}")
    shown = (*session.shown, verdict.digest)[-_KEPT:]
    session = gate.GateSession(id=session.id, blocks=session.blocks + 1, shown=shown)
    others = [each for each in memory.sessions if each.id != session.id]
    memory = memory.model_copy(update={"sessions": _latest([*others, session])})
    return GateDecision(gate.GateAnswer(text=reason(blocking, verdict.run_id), blocks=True), memory)


def reason(blocking: Sequence[gate.GateFinding], run_id: base.RunId) -> str:
    """Why an agent is held back, for the agent."""
    lines = [
        f"sparring: {_count(blocking)} confirmed by models of two families. Look at each in the code and mend it.",
        'One that is none can be dismissed with the reason: sparring review dismiss ID --why "..."',
    ]
    for number, each in enumerate(blocking[:_MOST_TOLD], 1):
        kind = f"{each.severity}, {each.defect}"
        lines.append(
            f"{number}. {each.file}:{each.line} [{kind}] {each.title} (ID {each.id}; {', '.join(each.families)})"
        )
        lines.append(f"   Fix: {each.fix}")
    if more := len(blocking) - _MOST_TOLD:
        lines += [f"... and {more} more."] if more > 0 else []
    return "\n".join([*lines, f"All of it: sparring runs show {run_id}"])


def let_pass(why: str) -> gate.GateAnswer:
    """The answer where there is no review to go by."""
    return gate.GateAnswer(text=f"sparring: nothing was reviewed, so it was let pass: {one_line(why, 2 * _LINE)}")


def _blocks(finding: gate.GateFinding, rules: gate.GateRules) -> bool:
    least = threshold(rules, finding.file)
    return least is not None and finding.severity.is_at_least(least)


def _passing(memory: gate.GateMemory, told: str) -> GateDecision:
    return GateDecision(gate.GateAnswer(text=f"sparring: {told}" if told else ""), memory)


def _latest(records: Sequence[T]) -> tuple[T, ...]:
    return tuple(records[-_KEPT:])


def _no_more(asked: HostCall, session: gate.GateSession, rules: gate.GateRules) -> str:
    """Why the session is not held back any more; empty where it may be."""
    if session.blocks >= rules.rounds:
        return f"this session was held back as often as it may be ({session.blocks})"
    if asked.is_again and not session.blocks:
        return "the host's agent was held back already, and not by this gate"
    return ""


def _count(blocking: Sequence[gate.GateFinding]) -> str:
    return "1 finding that blocks is" if len(blocking) == 1 else f"{len(blocking)} findings that block are"


def _places(blocking: Sequence[gate.GateFinding]) -> str:
    named = ", ".join(f"{each.file}:{each.line}" for each in blocking[:3])
    return f"{named}{' ...' if len(blocking) > 3 else ''}"


def digest_of(change: changes.ReviewedChange) -> str:
    """The same as long as the same lines are changed."""
    parts = sorted(hunk.digest(file.path) for file in change.files for hunk in file.hunks)
    parts += sorted(f"{each.path} {each.why}" for each in change.left_out if each.why.is_gap)
    parts += sorted(f"{file.path} {file.change}" for file in change.files if not file.hunks)
    return sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:32]


class Gate:
    """The gate of one project.

    Args:
        app: The project, and who can be asked in it.
        finish: Brings a run to its end; None when it was broken off.
        clock: Seconds that only grow.
    """

    def __init__(self, app: App, finish: Callable[[OpenRun], runs.Run | None], clock: Callable[[], float]) -> None:
        self._app = app
        self._finish = finish
        self._clock = clock
        self._folder = StateFolder(app.place.state)
        self._own = app.place.state / _REVIEW
        self._records = OwnRecords(app.place.state, app.place.provenance)

    def answer(self, asked: HostCall) -> gate.GateAnswer:
        """What to tell the host; it is let pass, with the reason, whatever goes wrong."""
        begun = self._clock()
        try:
            configuration = self._app.configuration
            rules = rules_of(configuration.table("gate"), configuration.file)
            if asked.event is gate.GateEvent.PLAN:
                rules = rules.model_copy(update={"paths": {}})  # they are said of files of the project
            if asked.event is gate.GateEvent.STOP and self._digest("", rules) is None:
                return gate.GateAnswer()  # and nothing is made in a folder where nobody works on anything
            self._folder.ensure_writable(self._own)
            self._folder.hide_from_git(self._own)
            with lock_file(self._own / "gate.lock").acquire(timeout=rules.max_time):
                return self._decided(asked, rules, begun + rules.max_time)
        except Timeout:
            return let_pass("another gate is at work in this project, and did not end in time.")
        except SparringError as error:
            return let_pass(str(error))

    def _decided(self, asked: HostCall, rules: gate.GateRules, deadline: float) -> gate.GateAnswer:
        if asked.event is gate.GateEvent.PLAN and not asked.plan.strip():
            return let_pass("the host does not say what the plan is.")
        file = self._memory_file()
        memory = self._records.read(file, gate.GateMemory) or gate.GateMemory()
        with self._plan_of(asked) as plan:
            digest = self._digest(plan, rules)
            if digest is None:
                return gate.GateAnswer()
            known = next((each for each in memory.verdicts if each.digest == digest), None)
            found = decided(asked, known, memory, rules, self._dismissed())
            if found is None:
                verdict = self._reviewed(digest, plan, rules, deadline - self._clock())
                if isinstance(verdict, gate.GateAnswer):
                    return verdict
                found = decided(asked, verdict, memory, rules) or GateDecision(gate.GateAnswer(), memory)
        self._records.replace(file, found.memory)
        return found.answer

    def _memory_file(self) -> Path:
        """Where this user's gate remembers. Nobody can know the name, and so have the file come with the project.

        A file that counts for nothing all the same, as one that the user has added to git, is passed over: without a
        memory a session could be held back without end.

        Raises:
            StateKeyError: Nothing can be signed, so that nothing would be remembered.
        """
        key = self._app.place.provenance.key
        key.ensure()
        files = (self._own / f"gate-{key.fingerprint(f'gate {number}')}.json" for number in count())
        return next(file for file in files if not self._records.foreign(file))

    def _digest(self, plan: str, rules: gate.GateRules) -> str | None:
        """Of what is to be reviewed, if anything; raises where what has changed must not be shown to anybody."""
        try:
            return digest_of(self._app.here(_given(rules)).change(ChangeWish(plan=plan)).change)
        except NothingToReviewError as error:
            if error.hint:
                raise
            return None

    @contextmanager
    def _plan_of(self, asked: HostCall) -> Generator[str]:
        """The name of a private file with the plan; empty where there is none."""
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
        found = self._app.here().kept(f"{_REVIEW}/dismissed.json", review.Dismissals) or review.Dismissals()
        return tuple(each.id for each in found.dismissed)

    def _reviewed(
        self, digest: str, plan: str, rules: gate.GateRules, left_s: float
    ) -> gate.GateVerdict | gate.GateAnswer:
        if left_s < _LEAST_S:
            return let_pass("no time is left for it; another gate was at work in this project.")
        said = {"plan": plan, "reviewers": ",".join(rules.reviewers)}
        options = FORMATS[_REVIEW].options.model_validate({name: value for name, value in said.items() if value})
        request = self._app.request(options, _given(rules))
        run = self._finish(self._app.begin(request, runs.Limits(cost_usd=rules.max_cost, wall_s=left_s)))
        if run is None or not isinstance(run.outcome, review.ReviewOutcome):
            return let_pass("the review was broken off.")
        return verdict_of(digest, run.header.run_id, run.outcome)


def _given(rules: gate.GateRules) -> Given:
    """As the user would ask, of the files alone that are not off."""
    return Given(is_by_user=True, counts=lambda path: threshold(rules, path) is not None)
