"""Driving a format: order, journal, limits, cancellation at every step, resumption. The journal is the real one."""

import errno
import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from msgspec import Struct, field
from msgspec.structs import replace

from sparring.engine.course import Asks
from sparring.engine.format import Rules
from sparring.engine.runner import NOTHING_EARLIER, Deliberation, EarlierRun, Progress, ThreadedJournal, deliberate
from sparring.errors import DeliberationError, ExhaustedError, StoreError
from sparring.formats.registry import FORMATS
from sparring.prompts import PromptLibrary
from sparring.providers.wrappers import RedactingConsultant
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateOutcome
from sparring.schema.consult import ConsultedTool, ConsultOutcome, ConsultStatus
from sparring.schema.consultation import Answer, Brief, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.providers import ProviderKind
from sparring.schema.runs import AskStarted, Limits, Outcome, Request, RunEvent, RunHeader, TurnCompleted, spent
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind
from sparring.store.journal import JournalWriter, read_journal
from sparring.testing.crashes import cancelled_at
from sparring.text.redaction import Redactor
from support import chaired_playing, debating, fact_checking, jury_playing, runs
from support.journals import KEY
from support.playing import FAILS, NOON, answer, failure, play, replying, steps, turn_for, well_behaved

LONG = "All of it was read, and it holds. " * 600
"""So much is searched for secrets in another thread."""


DEBATE = debating.request(rounds=1)
FACT_CHECK = fact_checking.request("claude", "codex")
SEVERAL = tuple(ConsultedTool(tool=tool, transport=ProviderKind.CLI) for tool in ("claude", "codex"))
KINDS: Mapping[str, tuple[Request, Callable[[Ask], Reply], int]] = {
    "debate": (DEBATE, well_behaved, 3),
    "chaired debate": (chaired_playing.chaired_request(), chaired_playing.well_behaved, 5),
    "consultation": (runs.consult_request(asked=SEVERAL), lambda ask: answer(ask, LONG), 1),
    "fact-check": (FACT_CHECK, lambda ask: answer(ask, fact_checking.well_behaved(ask)), 1),
    "jury": (jury_playing.jury_request(), lambda ask: answer(ask, jury_playing.well_behaved(ask)), 3),
}
"""What is asked for, what is answered, and which steps are tried: the longer ones go over the same ground again."""


RUN_ID = "debate-20261121T110000Z-0a1b"
"""Of a run that was held before."""


class Table(Struct):
    """A deliberation and all who take part in it, a real journal, and everything that was observed.

    ``held`` are events for which answers wait; ``asked``, ``answered`` and ``settled`` what was asked, what has to be
    paid, and the calls whose replies are safe. Where ``others_go_on``, what was asked before is answered, though
    whoever had asked is gone.
    """

    folder: Path
    request: Request = DEBATE
    reply: Callable[[Ask], Reply] = well_behaved
    limits: Limits = field(default_factory=Limits)
    rules: Rules | None = None
    usage: Usage = field(default_factory=Usage)
    earlier: EarlierRun = NOTHING_EARLIER
    held: dict[str, anyio.Event] = field(default_factory=dict[str, anyio.Event])
    asked: list[str] = field(default_factory=list[str])
    answered: list[str] = field(default_factory=list[str])
    others_go_on: bool = False
    settled: list[str] = field(default_factory=list[str])
    events: list[RunEvent] = field(default_factory=list[RunEvent])

    @property
    def header(self) -> RunHeader:
        run_id = f"{self.request.kind}-20261121T120000Z-0a1b"
        return RunHeader(run_id=run_id, request=self.request, created_at=NOON, sparring_version="0.1.0")

    def run(self, journal: JournalWriter) -> Deliberation:
        return Deliberation(
            run_id=self.header.run_id,
            format=self.rules or FORMATS[self.request.kind].rules(self.request, PromptLibrary()),
            consultant=lambda ask: RedactingConsultant(Speaker(self, ask), Redactor(())),
            journal=ThreadedJournal(journal),
            limits=self.limits,
            observe=self.events.append,
            calls=self,
            earlier=self.earlier,
        )

    def costs(self, ask: Ask) -> bool:
        return ask.id != "b"

    async def recover(self, ask: Ask, call: str) -> Reply | None:
        assert read_journal(self.folder).unanswered[ask.id] == call
        return self.reply(ask) if self.others_go_on else None

    def settle(self, call: str) -> None:
        assert call not in read_journal(self.folder).unanswered.values()
        self.settled.append(call)

    async def begin(self, progress: Progress | None = None) -> Outcome:
        with JournalWriter.create(self.folder, self.header, key=KEY) as journal:
            return await deliberate(self.run(journal), progress)

    async def resume(self) -> Outcome:
        journal, kept = JournalWriter.reopen(self.folder, key=KEY)
        with journal:
            return await deliberate(self.run(journal), Progress(kept.steps, kept.pending, kept.unanswered))

    async def until(self, number: int, event: type[RunEvent]) -> None:
        """Return when that many such events were observed."""
        with anyio.fail_after(60):
            while sum(isinstance(each, event) for each in self.events) < number:
                await anyio.lowlevel.checkpoint()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What the journal holds."""
        kept = read_journal(self.folder)
        return (*kept.transcript.turns, *kept.pending)

    @property
    def said(self) -> list[tuple[str, Reply]]:
        return [(turn.ask_id, turn.reply) for turn in self.turns]


class Speaker(Struct):
    """Answers one ask."""

    table: Table
    of: Ask

    async def ask(self, question: Question) -> Reply:
        assert question.model_copy(update={"call": "", "sample": 1}) == self.of.question
        assert read_journal(self.table.folder).unanswered[self.of.id] == question.call  # it was written before
        self.table.asked.append(self.of.id)
        if self.of.id in self.table.held:
            await self.table.held[self.of.id].wait()
        await anyio.lowlevel.checkpoint()
        reply = self.table.reply(self.of)
        self.table.answered.append(self.of.id)
        return reply.model_copy(update={"usage": self.table.usage}) if isinstance(reply, Answer) else reply


def ask_of(ask_id: str, role: Role = Role.PROPOSER) -> Ask:
    brief = Brief(step="debate/opening", topic="t", role=role, round=1)
    question = Question(prompt=ask_id, brief=brief, timeout_s=1)
    return Ask(id=ask_id, kind=TurnKind.OPENING, role=role, round=1, tool="claude", question=question)


class Asked(Struct, frozen=True):
    """A format that puts the asks of each step; its outcome tells in which order it saw the turns."""

    steps: tuple[Asks, ...]

    def next(self, transcript: Transcript) -> Asks | Outcome:
        done = 0
        for step in self.steps:
            if len(transcript.turns) <= done:
                return step
            done += len(step)
        said = " ".join(turn.ask_id for turn in transcript.turns)
        return ConsultOutcome(status=ConsultStatus.COMPLETED, reply=answer(self.steps[0][0], said))


def at_once(*steps: str) -> Asked:
    """Each step asks whatever it has a letter for."""
    return Asked(tuple(tuple(map(ask_of, step)) for step in steps))


async def test_every_turn_is_journalled_in_asking_order_and_reported_once_stored(tmp_path: Path) -> None:
    table, heard = Table(tmp_path / "run"), list[tuple[str, str]]()

    def hear(event: RunEvent) -> None:
        heard.append((event.type, event.ask_id))
        if isinstance(event, TurnCompleted):
            assert event.ask_id in {turn.ask_id for turn in table.turns}

    with JournalWriter.create(table.folder, table.header, key=KEY) as journal:
        outcome = await deliberate(replace(table.run(journal), observe=hear))
    played, kept = play(FORMATS["debate"].rules(DEBATE, PromptLibrary())), read_journal(table.folder)
    assert kept.outcome == outcome == played.outcome
    assert [[turn.ask_id for turn in step] for step in kept.steps] == steps(played)
    assert [turn.model_copy(update={"at": NOON}) for turn in kept.transcript.turns] == [
        turn.model_copy(update={"at": NOON}) for turn in played.transcript.turns
    ]
    assert len(heard) == 2 * len(table.turns)
    for turn in table.turns:
        assert heard.index(("ask_started", turn.ask_id)) < heard.index(("turn_completed", turn.ask_id))


@pytest.mark.parametrize("arrivals", ["abc", "cba", "bca"])
async def test_asks_of_one_step_overlap_and_are_stored_in_asking_order(tmp_path: Path, arrivals: str) -> None:
    table = Table(tmp_path, rules=at_once("abc"), held={ask_id: anyio.Event() for ask_id in arrivals})
    async with anyio.create_task_group() as group:
        group.start_soon(table.begin)
        await table.until(3, AskStarted)  # all are asked before anybody has answered
        for number, ask_id in enumerate(arrivals, start=1):
            table.held[ask_id].set()
            await table.until(number, TurnCompleted)
    assert table.answered == list(arrivals)
    assert table.said == [(ask_id, well_behaved(ask_of(ask_id))) for ask_id in "abc"]
    kept = read_journal(table.folder)
    assert [[turn.ask_id for turn in step] for step in kept.steps] == [list("abc")]
    assert kept.outcome == at_once("abc").next(Transcript(turns=table.turns))


def timeless(outcome: Outcome) -> Outcome:
    """``outcome`` as if everything had been said at noon."""
    if not isinstance(outcome, ChairedDebateOutcome):
        return outcome
    log = tuple(entry.model_copy(update={"timestamp": NOON}) for entry in outcome.log)
    return outcome.model_copy(update={"log": log})


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
async def test_a_run_that_was_cancelled_anywhere_is_resumed_to_the_same_result(tmp_path: Path, kind: str) -> None:
    request, reply, stride = KINDS[kind]
    whole = Table(tmp_path / "whole", request, reply)
    expected, tried = timeless(await whole.begin()), 0
    for step in itertools.count(1, stride):
        broken = Table(tmp_path / str(step), request, reply)
        if not await cancelled_at(step, broken.begin):
            break
        tried += 1
        assert set(broken.answered) <= {turn.ask_id for turn in broken.turns}, step
        if (left := read_journal(broken.folder)).outcome is None:
            resumed = Table(broken.folder, request, reply, others_go_on=bool(step % 2))
            assert timeless(await resumed.resume()) == expected
            assert not set(resumed.asked) & set(broken.answered), step
            again = left.unanswered.keys() & set(resumed.asked)
            assert again == (set[str]() if resumed.others_go_on else left.unanswered.keys()), step
        assert broken.said == whole.said
    assert tried * stride > len(whole.turns)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_retried_run_asks_only_failed_seats_and_ends_as_without_the_failure(tmp_path: Path, kind: str) -> None:
    request, reply, _ = KINDS[kind]
    whole = Table(tmp_path / "whole", request, reply)
    expected = timeless(await whole.begin())
    speaking = [turn.ask_id for turn in whole.turns if turn.role is not Role.VERIFIER]
    lost = speaking[len(speaking) // 2]

    def failing(ask: Ask) -> Reply:
        return failure(ask, FailureCode.RATE_LIMIT) if ask.id == lost else reply(ask)

    failed = Table(tmp_path / "failed", request, failing)
    await failed.begin()
    again = Table(tmp_path / "again", request, reply, earlier=EarlierRun.of(RUN_ID, [failed.turns]))
    assert timeless(await again.begin()) == expected
    digests = {(turn.ask_id, turn.prompt_sha256) for turn in failed.turns if turn.answer}
    send = [turn for turn in again.turns if turn.taken_from is None and turn.role is not Role.VERIFIER]
    assert not digests & {(turn.ask_id, turn.prompt_sha256) for turn in send}
    assert lost in {turn.ask_id for turn in send}
    assert spent(again.turns).calls == len(send)


async def test_reused_turns_count_for_no_limit_and_need_the_same_prompt(tmp_path: Path) -> None:
    first = Table(tmp_path / "1", rules=at_once("ab", "c"), reply=replying({"c": FAILS}, well_behaved))
    await first.begin()
    for prompt, asked in (({}, ["c"]), ({"prompt_sha256": "0" * 64}, ["a", "b", "c"])):
        earlier = EarlierRun.of(RUN_ID, [[turn.model_copy(update=prompt) for turn in first.turns]])
        limits = Limits(calls=len(asked))
        again = Table(tmp_path / f"again-{len(asked)}", rules=at_once("ab", "c"), limits=limits, earlier=earlier)
        await again.begin()
        assert again.asked == asked
        told = [(turn.ask_id, turn.taken_from, turn.answer is not None) for turn in again.turns]
        assert told == [(ask_id, None if ask_id in asked else RUN_ID, True) for ask_id in "abc"]


@pytest.mark.parametrize(("failed", "asked"), [("", []), ("a", ["a", "checks"])])
async def test_results_of_code_are_reused_when_all_earlier_turns_are(
    tmp_path: Path, failed: str, asked: list[str]
) -> None:
    rules = Asked(((ask_of("a"),), (ask_of("checks", Role.VERIFIER),)))
    first = Table(tmp_path / "1", rules=rules, reply=replying({failed: FAILS}, well_behaved))
    await first.begin()
    again = Table(tmp_path / "2", rules=rules, earlier=EarlierRun.of(RUN_ID, [first.turns]))
    await again.begin()
    assert again.asked == asked


@pytest.mark.parametrize(
    ("want", "told"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full."),
        (MemoryError(), "There is not enough memory."),
        (RuntimeError("can't start new thread"), "No more processes or threads can be started here."),
    ],
    ids=["disk", "memory", "threads"],
)
async def test_exhausted_resources_pause_the_run_and_count_as_no_failure(
    tmp_path: Path, want: Exception, told: str
) -> None:
    failed = anyio.Event()

    def reply(ask: Ask) -> Reply:
        if ask.id == "a":
            failed.set()
            raise want
        return well_behaved(ask)

    broken = Table(tmp_path, reply=reply, rules=at_once("ab", "c"), held={"b": failed})
    with pytest.raises(ExhaustedError, match=re.escape(told)):
        await broken.begin()
    assert broken.said == [("b", well_behaved(ask_of("b")))]  # it was under way, and is paid for
    resumed = Table(tmp_path, rules=at_once("ab", "c"))
    await resumed.resume()
    assert resumed.asked == ["a", "c"]
    assert [turn.failure for turn in resumed.turns] == [None, None, None]


async def test_an_answer_of_a_broken_step_is_not_paid_for_twice(tmp_path: Path) -> None:
    broken = Table(tmp_path, rules=at_once("abc"), held={"a": anyio.Event(), "c": anyio.Event()})
    async with anyio.create_task_group() as group:
        group.start_soon(broken.begin)
        await broken.until(1, TurnCompleted)
        group.cancel_scope.cancel()
    assert [turn.ask_id for turn in read_journal(tmp_path).pending] == ["b"]
    resumed = Table(tmp_path, rules=at_once("abc"), limits=Limits(calls=2))
    await resumed.resume()
    assert resumed.asked == ["a"]  # the answer in hand counts as a call
    assert (read_journal(tmp_path).maybe_paid_twice, len(resumed.settled)) == (1, 2)
    assert [isinstance(reply, Failure) for _, reply in resumed.said] == [False, False, True]


async def test_turns_that_the_rules_never_requested_are_refused(tmp_path: Path) -> None:
    table, stranger = Table(tmp_path / "run"), ask_of("x")
    with pytest.raises(DeliberationError, match=f"Run {table.header.run_id} contains turns .* do not expect: x"):
        await table.begin(Progress(pending=(turn_for(stranger, answer(stranger, "hello")),)))


USED = Usage(input_tokens=90, output_tokens=10, cost_usd=0.5)


@pytest.mark.parametrize(
    ("limits", "answered", "reason"),
    [
        (Limits(calls=1), 1, "the run's limit of 1 call is used up"),
        (Limits(calls=2), 2, "the run's limit of 2 calls is used up"),
        (Limits(tokens=200), 2, "the run's limit of 200 tokens has no room for this (200 used so far)"),
        (Limits(tokens=299), 2, "the run's limit of 299 tokens has no room for this (200 used so far)"),
        (Limits(tokens=300), 3, "the run's limit of 300 tokens has no room for this (300 used so far)"),
        (Limits(cost_usd=1), 2, "the run's limit of $1 has no room for this ($1.0000 used so far)"),
        (Limits(cost_usd=1.49), 2, "the run's limit of $1.49 has no room for this ($1.0000 used so far)"),
        (Limits(cost_usd=1.5), 3, "the run's limit of $1.5 has no room for this ($1.5000 used so far)"),
    ],
)
async def test_a_limit_that_is_used_up_fails_the_next_ask_and_the_format_decides(
    tmp_path: Path, limits: Limits, answered: int, reason: str
) -> None:
    asks = (*map(ask_of, "abcd"), ask_of("e", Role.VERIFIER))
    table = Table(tmp_path, limits=limits, usage=USED, rules=Asked(tuple((ask,) for ask in asks)))
    await table.begin()
    assert table.asked == [*"abcd"[:answered], "e"]  # code costs nothing
    failures = {(turn.failure.code, turn.failure.detail) for turn in table.turns if turn.failure}
    assert failures == {(FailureCode.BUDGET, reason)}


async def test_at_the_end_of_the_wall_time_running_calls_end_and_no_more_are_made(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=Limits(wall_s=0.05), rules=at_once("a", "b"), held={"a": anyio.Event()})
    await table.begin()
    assert table.answered == []
    over = (FailureCode.BUDGET, "the run's wall time of 0.05 s is over")
    assert [turn.failure and (turn.failure.code, turn.failure.detail) for turn in table.turns] == [over, over]


@pytest.mark.parametrize(
    ("limits", "asked"), [(Limits(tokens=409), "abc"), (Limits(tokens=410), "abcd"), (Limits(cost_usd=1.99), "abc")]
)
async def test_simultaneous_asks_reserve_calls_together(tmp_path: Path, limits: Limits, asked: str) -> None:
    first, *others = map(ask_of, "abcde")
    table = Table(tmp_path, limits=limits, usage=USED, rules=Asked(((first,), tuple(others))))
    await table.begin()
    assert table.asked == [*asked]


async def test_a_limit_on_calls_counts_those_under_way(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=Limits(calls=3), rules=at_once("abcde"))
    await table.begin()
    assert table.asked == [*"abc"]
    assert [(turn.ask_id, turn.answer is not None) for turn in table.turns] == [(at, at in "abc") for at in "abcde"]


async def test_lookups_by_code_use_up_no_call_of_their_step(tmp_path: Path) -> None:
    asks = (ask_of("a", Role.VERIFIER), ask_of("b"), ask_of("c", Role.VERIFIER), ask_of("d"), ask_of("e"))
    table = Table(tmp_path, limits=Limits(calls=2), rules=Asked((asks,)))
    await table.begin()
    assert table.asked == [*"abcd"]


async def test_a_journal_that_cannot_be_written_stops_the_run_with_its_reason(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    with JournalWriter.create(table.folder, table.header, key=KEY) as journal:
        journal.close()
        with pytest.raises(StoreError, match="is closed"):
            await deliberate(table.run(journal))
