"""An audit from its cases to its figures: the plan first, then the questions, each paid once through the ledger."""

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic

import anyio
from anyio import to_thread
from msgspec import Struct
from pydantic import ValidationError

from sparring import __version__
from sparring.app import App
from sparring.app.exchanges.need import RunNeed
from sparring.app.exchanges.opening import using_ledger
from sparring.app.exchanges.pacing import ToolRates
from sparring.app.exchanges.session import Exchanges, RunOwner
from sparring.batch.job import NO_LIMITS, LimitRules
from sparring.engine.audited import AuditedSeat, ask_of
from sparring.engine.course import UnusableReplyError, read_answer
from sparring.engine.format import Format
from sparring.errors import UsageError, raising_first
from sparring.evaluation.audit.cases import CASES, MOST_CASES, cases_in, digest, generated_cases
from sparring.evaluation.audit.measure import measured, summary_of
from sparring.evaluation.audit.probes import NOISE, PLAIN, PROBES, Form, Plants, chosen, missing_in
from sparring.evaluation.price import earlier_answers
from sparring.evaluation.statistics import detectable_difference, known_mean
from sparring.formats.registry import FORMATS
from sparring.participants.seats import parse_tool
from sparring.providers.wrappers import no_report
from sparring.schema.audit import (
    AuditCase,
    AuditJudgement,
    AuditPlan,
    JudgeAudit,
    KnownAudit,
    KnownEffect,
    ProbeVerdict,
)
from sparring.schema.base import Effort, Participant, utc_now
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply
from sparring.schema.providers import HostProvider, OfflineProvider
from sparring.schema.runs import Needed
from sparring.schema.transcript import Ask
from sparring.store.audits import known_audits
from sparring.store.exchanges.amounts import Maximum
from sparring.store.files import read_bounded
from sparring.text.tidying import one_line

LAST = "last"
"""Spelling of ``against`` for the user's own last audit of the same judge."""

AT_ONCE = 16
MOST_REPEATS = 20
_ASSUMED_FLIPS = 0.2
_SHOWN = 80

Notify = Callable[[str], None]


class AuditJob(Struct, frozen=True):
    """Settings of an audit, as they were typed.

    Attributes:
        seat: The seat, e.g. ``judge``.
        tool: The judge: TOOL or TOOL:MODEL.
        cases: A number of generated cases, a file of cases, ids of finished runs; empty: the usual number.
        probes: Names of probes with commas between, or ``all``.
        repeat: How often each prompt is asked.
        margin: The largest effect that counts as none, as a share.
        against: An earlier ``audit.json``, or ``last``; empty: none.
        ledger: The ledger of the answers; empty: the project's own.
        timeout_s: Seconds for each question; None: the format's default.
    """

    seat: str
    tool: str
    cases: str = ""
    probes: str = "all"
    repeat: int = 3
    margin: float = 0.05
    against: str = ""
    ledger: str = ""
    at_once: int = AT_ONCE
    is_fresh: bool = False
    timeout_s: float | None = None
    limits: LimitRules = NO_LIMITS


class Audited(Struct, frozen=True):
    """An audit with the answers that it follows from."""

    audit: JudgeAudit
    judgements: tuple[AuditJudgement, ...]
    cases: tuple[AuditCase, ...]


class _Wanted(Struct, frozen=True):
    """A form of a case as it is asked."""

    variant: str
    form: Form
    ask: Ask
    samples: int


class Auditing:
    """An audit that is ready to begin: everything that could be refused has been."""

    def __init__(self, app: App, job: AuditJob) -> None:
        """Read the cases and word all questions; asks no tool.

        Raises:
            SparringError: There is no such seat, tool, probe or file, or the settings cannot be used.
        """
        _refuse(job)
        self._app = app
        self._job = job
        self._format, self._seat = seat_named(job.seat)
        self._judge = _judge(app, job.tool)
        self._names = chosen(job.probes)
        self._notices = list[str]()
        self._asked_about = cases = self._reachable(self._cases())
        self._missing = missing_in(self._seat, self._names, has_gold=any(case.right for case in cases))
        self._family = app.roster.family(self._judge.tool, self._judge.model)
        self._before = self._earlier()
        self._wanted = tuple(self._forms(cases))
        self.plan = self._planned(cases)

    def _cases(self) -> tuple[AuditCase, ...]:
        spelled, kind = self._job.cases.strip(), self._seat.kind
        if not spelled:
            return generated_cases(kind, CASES)
        if spelled.isascii() and spelled.isdecimal():
            if not 1 <= int(spelled) <= MOST_CASES:
                raise UsageError(f"--input takes 1 to {MOST_CASES} generated cases; it is {one_line(spelled, _SHOWN)}.")
            return generated_cases(kind, int(spelled))
        path = self._app.settings.cwd / spelled
        if path.is_file():
            return cases_in(path, kind)
        return self._of_runs([name.strip() for name in spelled.split(",") if name.strip()])

    def _of_runs(self, ids: Sequence[str]) -> tuple[AuditCase, ...]:
        if self._seat.case_of is None:
            raise UsageError(
                f"There is no file {one_line(self._job.cases, _SHOWN)}.",
                hint=f"Name a file of cases: runs make none for the {self._seat.name}.",
            )
        cases = dict[str, AuditCase]()
        for name in ids:
            case = self._seat.case_of(self._app.run(name))
            if case is None:
                raise UsageError(f"The run {one_line(name, _SHOWN)} makes no case for the {self._seat.name}.")
            cases[case.id] = case
        return tuple(cases.values())

    def _reachable(self, cases: Iterable[AuditCase]) -> tuple[AuditCase, ...]:
        """Return the cases that come before the seat; raises ``UsageError`` where none does."""
        reachable = list[AuditCase]()
        unreachable, reason = 0, ""
        for case in cases:
            try:
                self._ask(case)
            except UsageError as error:
                unreachable += 1
                reason = str(error)
            else:
                reachable.append(case)
        if not reachable:
            raise UsageError(reason or "There are no cases.", hint="Name other cases.")
        if unreachable:
            self._notices.append(f"{unreachable} cases are left out: they never come before the {self._seat.name}.")
        return tuple(reachable)

    def _ask(self, case: AuditCase) -> Ask:
        """Return the question of the seat about ``case``; raises ``UsageError`` where it does not come before it."""
        return ask_of(self._seat, lambda request: self._format.rules(request, self._app.prompts), case, self._judge)

    def _forms(self, cases: Sequence[AuditCase]) -> Iterable[_Wanted]:
        """Yield the questions about each case in each form that the probes need."""
        probes = [probe for probe in PROBES if probe.asked_as in self._names and probe.name not in self._missing]
        plants = Plants(self._seat, self._app.prompts, family=self._family, tool=self._judge.tool)
        unreachable = 0
        for variant, form in plants.forms(cases, probes):
            samples = self._job.repeat
            if variant == PLAIN and NOISE in self._names:
                samples = max(2, samples)  # noise is the difference between two answers to the same prompt
            try:
                ask = self._ask(form.case)
            except UsageError:
                unreachable += 1
            else:
                yield _Wanted(variant, form, ask, samples)
        if unreachable:
            self._notices.append(
                f"{unreachable} planted forms are left out: they never come before the {self._seat.name}."
            )

    def _planned(self, cases: Sequence[AuditCase]) -> AuditPlan:
        calls = sum(wanted.samples for wanted in self._wanted)
        prompt_characters = sum(wanted.samples * len(wanted.ask.question.prompt) for wanted in self._wanted)
        return AuditPlan(
            seat=self._seat.name,
            format=self._format.name,
            tool=self._judge.tool,
            model=self._judge.model,
            family=self._family,
            cases=len(cases),
            cases_sha256=digest(cases),
            prompts_sha256=self._app.prompts.digest(self._format.name, FORMATS),
            probes=self._names,
            repeat=self._job.repeat,
            margin=self._job.margin,
            calls=calls,
            prompt_characters=prompt_characters,
            price_usd=self._price(calls),
            detectable=detectable_difference(_ASSUMED_FLIPS, len(cases)),
            sparring_version=__version__,
            declared_at=utc_now(),
        )

    def _price(self, calls: int) -> float | None:
        """Return the cost of so many calls by earlier answers of the judge; None where these report no price."""
        answers = earlier_answers(self._app, self._job.ledger)
        mean_usd = known_mean(answer.usage.cost_usd for answer in answers if answer.tool == self._judge.tool)
        return None if mean_usd is None else calls * mean_usd

    def _earlier(self) -> KnownAudit | None:
        """Return the audit that this one is compared with; raises ``UsageError``."""
        spelled = self._job.against.strip()
        if not spelled:
            return None
        if spelled.lower() == LAST:
            known = known_audits(self._app.settings, self._app.place)
            last = known.of(self._seat.name, self._judge.tool, self._judge.model)
            if last is None:
                raise UsageError(
                    f"No audit of {self._job.tool} as {self._seat.name} is known.", hint="Leave out against."
                )
            return last
        path = self._app.settings.cwd / spelled
        content = read_bounded(path)
        if content is None:
            raise UsageError(f"There is no file {one_line(spelled, _SHOWN)}.", hint=f"Name an audit.json, or {LAST}.")
        try:
            audit = JudgeAudit.model_validate_json(content)
        except ValidationError as error:
            raise UsageError(f"{one_line(spelled, _SHOWN)} is not an audit.", hint="Name an audit.json.") from error
        if audit.plan.seat != self._seat.name:
            raise UsageError(f"{one_line(spelled, _SHOWN)} is an audit of the {audit.plan.seat}.")
        return known_of(audit)

    async def audit(self, notify: Notify) -> Audited:
        """Ask all questions and return the results.

        After an interruption at any moment, it is called again: answered questions are not asked again.

        Raises:
            SparringError: Answers cannot be stored, or a limit has no room for a single question.
        """
        limits = self._job.limits.with_usual_at_once(self._app.roster.providers.specs.values())
        self._app.roster.sweep()
        identity = f"audit {self.plan.seat} {self.plan.tool} {self.plan.cases_sha256}"
        batch = hashlib.sha256(identity.encode()).hexdigest()[:16]
        async with using_ledger(
            self._app,
            lambda _: batch,
            Maximum.of(limits.max_calls, limits.max_tokens, limits.max_cost_usd),
            (self._judge.tool,),
            address=self._job.ledger,
            rates=ToolRates(limits.rpm, limits.tpm, limits.at_once),
            is_fresh=self._job.is_fresh,
            notify=notify,
        ) as exchanges:
            # A failure is an abstention. Asked again, it would favour the judges that fail.
            exchanges.keeps_failures = True
            judgements = await self._judgements(exchanges, notify)
        if not judgements:
            raise UsageError("The limit has no room for a single question.", hint="Raise it; nothing is lost.")
        notices = [*self._notices]
        if len(judgements) < self.plan.calls:
            notices.append(f"A limit was reached: {len(judgements):,} of {self.plan.calls:,} questions were answered.")
        audit = measured(judgements, self.plan, self._missing, before=self._before, notices=notices)
        return Audited(audit, tuple(judgements), self._asked_about)

    async def _judgements(self, exchanges: Exchanges, notify: Notify) -> list[AuditJudgement]:
        """Ask all questions and return the judgements in the order of the questions, not of the answers."""
        places = anyio.Semaphore(self._job.at_once)
        judgements = dict[tuple[int, int], AuditJudgement]()
        notified_at = monotonic()

        async def ask(number: int, wanted: _Wanted, sample: int) -> None:
            nonlocal notified_at
            try:
                judgement = await self._judgement(exchanges, f"audit{number}.{sample}", wanted, sample)
                if judgement:
                    judgements[number, sample] = judgement
                if monotonic() - notified_at > _NOTIFY_EVERY_S:
                    notified_at = monotonic()
                    notify(f"{len(judgements):,} of {self.plan.calls:,} answers.")
            finally:
                places.release()

        with raising_first():
            async with self._app.roster.connections.acquired(), anyio.create_task_group() as group:
                for number, wanted in enumerate(self._wanted):
                    for sample in range(1, wanted.samples + 1):
                        await places.acquire()
                        group.start_soon(ask, number, wanted, sample)
        return [judgements[key] for key in sorted(judgements)]

    async def _judgement(self, exchanges: Exchanges, name: str, wanted: _Wanted, sample: int) -> AuditJudgement | None:
        """Ask one question and return its judgement; None where a limit has no room for it."""
        owner = RunOwner(name)
        async with exchanges.admitted(owner, RunNeed()) as refusal:
            if refusal:
                return None
            through = partial(exchanges.consultant, owner)
            consultant = self._app.roster.consultant_of_run(None, lambda _: no_report, through=through)(wanted.ask)
            timeout_s = self._job.timeout_s or wanted.ask.question.timeout_s
            question = wanted.ask.question.model_copy(update={"sample": sample, "timeout_s": timeout_s})
            reply = await consultant.ask(question)
        if isinstance(reply, Failure) and reply.code is FailureCode.BUDGET:
            return None
        # In a thread, since reading a long answer would delay all other questions.
        return await to_thread.run_sync(self._judged, wanted, sample, reply)

    def _judged(self, wanted: _Wanted, sample: int, reply: Reply) -> AuditJudgement:
        """Read the side that ``reply`` picks; an answer without one is a judgement without a pick."""
        case, seat = wanted.form.case, self._seat
        judgement = AuditJudgement(
            case=case.id,
            variant=wanted.variant,
            planted=wanted.form.planted,
            sample=sample,
            right=case.right,
            seconds=round(reply.duration_ms / 1000, 3),
            prompt_sha256=wanted.ask.prompt_sha256,
        )
        if not isinstance(reply, Answer):
            return judgement.model_copy(update={"failure": str(reply.code)})
        update: dict[str, object] = {"tokens": reply.usage.tokens, "cost_usd": reply.usage.cost_usd}
        try:
            pick = read_answer(reply, lambda response: seat.pick(case, response))
            update |= {"pick": pick, "failure": "" if pick else "no side"}
            update["confidence"] = seat.confidence(reply.response) if seat.confidence else None
        except UnusableReplyError:
            update["failure"] = "parse"
        return judgement.model_copy(update=update)


_NOTIFY_EVERY_S = 5.0


def seat_named(name: str) -> tuple[Format, AuditedSeat]:
    """Return the seat that ``--seat`` names, with its format; raises ``UsageError``."""
    for format_ in FORMATS:
        if make := FORMATS[format_].audited.get(name.strip().lower()):
            return FORMATS[format_], make()
    known = ", ".join(seat for format_ in FORMATS for seat in FORMATS[format_].audited)
    raise UsageError(f"There is no seat {one_line(repr(name), _SHOWN)} to audit.", hint=f"The seats are {known}.")


def known_of(audit: JudgeAudit) -> KnownAudit:
    """Return the part of ``audit`` for the user's own records."""
    effects = dict[str, KnownEffect]()
    for probe in audit.probes:
        if probe.effect is not None:
            effects[probe.name] = KnownEffect(
                effect=probe.effect, towards=probe.towards, away=probe.away, pairs=probe.pairs
            )
    return KnownAudit(
        seat=audit.plan.seat,
        tool=audit.plan.tool,
        model=audit.plan.model,
        audited_at=audit.plan.declared_at,
        summary=summary_of(audit),
        failures=audit.failures,
        flagged=tuple(probe.name for probe in audit.probes if probe.verdict is ProbeVerdict.FLAGGED and probe.counts),
        effects=effects,
    )


def _judge(app: App, spelled: str) -> Participant:
    if not spelled.strip():
        raise UsageError("An audit needs a judge.", hint="Name one with --tool, as in --tool claude.")
    seat = parse_tool(spelled, "")
    if isinstance(app.roster.spec(seat.tool), OfflineProvider | HostProvider):
        raise UsageError(f"{seat.tool} has no model of its own to audit.", hint="Name an AI tool with --tool.")
    judge = Participant(tool=seat.tool, model=seat.model)
    app.roster.check(Needed(participant=judge, effort=Effort.MEDIUM))
    return judge


def _refuse(job: AuditJob) -> None:
    if not 0 < job.margin < 0.5:
        raise UsageError(f"margin is a share between 0 and 0.5, such as 0.05; it is {job.margin:g}.")
    if not 1 <= job.repeat <= MOST_REPEATS:
        raise UsageError(f"repeat takes 1 to {MOST_REPEATS}; it is {job.repeat}.")
    if job.timeout_s is not None and not 0 < job.timeout_s < math.inf:
        raise UsageError(f"--timeout takes seconds, such as 600; it is {job.timeout_s:g}.")
    if not 1 <= job.at_once <= 1024:
        raise UsageError(f"at_once takes 1 to 1024; it is {job.at_once}.")
