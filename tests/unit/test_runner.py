"""Driving a format: order, journal, limits, cancellation, resumption. The journal is the real one."""

from collections.abc import Mapping
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from sparring.errors import DeliberationError, StoreError
from sparring.formats import Asks
from sparring.formats.debate import Debate
from sparring.prompts import PromptLibrary
from sparring.runner import Deliberation, Progress, deliberate
from sparring.schema.base import Role, ToolName
from sparring.schema.consult import ConsultOutcome, ConsultStatus
from sparring.schema.consultation import Answer, Brief, FailureCode, Question, Reply, Usage
from sparring.schema.debate import DebateOutcome, DebateRequest, DebateStatus
from sparring.schema.limits import Limits
from sparring.schema.participants import CITATION_CHECKER, Participant
from sparring.schema.runs import AskStarted, Outcome, RunEvent, RunHeader, TurnTaken
from sparring.schema.transcript import Ask, Transcript, TurnKind
from sparring.store.journal import JournalWriter, read_journal
from support.playing import NOON, answer, turn_for, well_behaved

REQUEST = DebateRequest(
    topic="Tabs?",
    proposer=Participant(tool="claude"),
    challenger=Participant(tool="codex"),
    judge=Participant(tool="gemini"),
    rounds=3,
)
RUN_ID = "debate-20261121T120000Z-0a1b"
HEADER = RunHeader(run_id=RUN_ID, request=REQUEST, created_at=NOON, sparring_version="0.1.0")


def as_ask(tool: str, question: Question) -> Ask:
    """The ask behind a question, as far as the replies of ``support.playing`` look at it."""
    return Ask(
        id="x",
        kind=TurnKind.OPENING,
        role=question.brief.role,
        round=question.brief.round,
        tool=tool,
        question=question,
    )


class Speaker:
    """A consultant that behaves well, and may be held up until it is let go."""

    def __init__(self, tool: str, *, usage: Usage | None = None) -> None:
        self.tool = tool
        self.usage = usage or Usage()
        self.asked: list[str] = []
        self.speaking = anyio.Event()
        self.hold_at: str | None = None
        self.let_go = anyio.Event()

    async def ask(self, question: Question) -> Reply:
        place = f"{question.brief.step} {question.brief.round}"
        self.asked.append(place)
        if place == self.hold_at:
            self.speaking.set()
            await self.let_go.wait()
        reply = well_behaved(as_ask(self.tool, question))
        return reply.model_copy(update={"usage": self.usage}) if isinstance(reply, Answer) else reply


class Table:
    """The participants of a debate, a real journal, and everything that was observed."""

    def __init__(self, folder: Path, limits: Limits | None = None, usage: Usage | None = None) -> None:
        self.folder = folder
        self.limits = limits or Limits()
        self.speakers: Mapping[ToolName, Speaker] = {
            tool: Speaker(tool, usage=usage) for tool in ("claude", "codex", "gemini", CITATION_CHECKER)
        }
        self.events: list[RunEvent] = []

    def run(self, journal: JournalWriter) -> Deliberation:
        return Deliberation(
            run_id=RUN_ID,
            format=Debate(REQUEST, PromptLibrary()),
            consultant=lambda ask: self.speakers[ask.tool],
            journal=journal,
            limits=self.limits,
            observe=self.events.append,
        )

    async def begin(self) -> Outcome:
        with JournalWriter.create(self.folder, HEADER) as journal:
            return await deliberate(self.run(journal))

    async def resume(self) -> Outcome:
        journal, kept = JournalWriter.reopen(self.folder)
        with journal:
            return await deliberate(self.run(journal), Progress(kept.steps, kept.pending))


async def test_every_turn_is_in_the_journal_in_asking_order_and_the_end_behind_them(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    outcome = await table.begin()
    kept = read_journal(tmp_path / "run")
    assert outcome.status == DebateStatus.COMPLETED
    assert kept.outcome == outcome
    assert [[turn.ask_id for turn in step] for step in kept.steps] == [
        ["r1.proposer"],
        ["r1.proposer.ledger"],
        ["r1.challenger"],
        ["r1.challenger.ledger"],
        ["r2.proposer", "r3.summary.1"],
        ["r2.proposer.ledger"],
        ["r2.challenger"],
        ["r2.challenger.ledger"],
        ["r3.proposer"],
        ["r3.proposer.ledger"],
        ["r3.challenger"],
        ["r3.challenger.ledger"],
        ["judge1.ab.1", "judge1.ba.1"],
    ]


async def test_whoever_watches_hears_of_each_ask_before_its_turn(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    await table.begin()
    heard = [(event.type, event.ask_id) for event in table.events]
    for ask_id in ("r1.proposer", "r2.proposer.ledger", "r3.summary.1", "judge1.ba.1"):
        assert heard.index(("ask_started", ask_id)) < heard.index(("turn_taken", ask_id))
    assert len(heard) == 30


async def test_asks_of_one_step_overlap_and_are_kept_in_asking_order_whoever_is_first(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    proposer, judge = table.speakers["claude"], table.speakers["gemini"]
    proposer.hold_at = "debate/defense 2"
    judge.hold_at = "debate/summary 3"
    async with anyio.create_task_group() as group:
        group.start_soon(table.begin)
        with anyio.fail_after(10):
            await proposer.speaking.wait()
            await judge.speaking.wait()  # both are speaking: they overlap
        judge.let_go.set()
        with anyio.fail_after(10):
            while not any(isinstance(event, TurnTaken) and event.tool == "gemini" for event in table.events):
                await anyio.lowlevel.checkpoint()
        proposer.let_go.set()
    kept = read_journal(tmp_path / "run")
    assert [turn.ask_id for turn in kept.steps[4]] == ["r2.proposer", "r3.summary.1"]


@pytest.mark.parametrize(
    ("tool", "place"),
    [
        ("claude", "debate/opening 1"),
        ("codex", "debate/response 1"),
        ("claude", "debate/defense 2"),
        ("gemini", "debate/summary 3"),
        (CITATION_CHECKER, "debate/ledger 2"),
        ("codex", "debate/follow-up 3"),
        ("gemini", "debate/synthesis 3"),
    ],
)
async def test_a_run_that_was_cancelled_anywhere_is_resumed_to_the_same_result(
    tmp_path: Path, tool: str, place: str
) -> None:
    whole = Table(tmp_path / "whole")
    expected = await whole.begin()
    broken = Table(tmp_path / "broken")
    broken.speakers[tool].hold_at = place
    async with anyio.create_task_group() as group:
        group.start_soon(broken.begin)
        with anyio.fail_after(10):
            await broken.speakers[tool].speaking.wait()
        group.cancel_scope.cancel()
    kept = read_journal(tmp_path / "broken")
    assert kept.outcome is None

    resumed = Table(tmp_path / "broken")
    assert await resumed.resume() == expected
    said = {
        folder: [turn.reply for turn in read_journal(tmp_path / folder).transcript.turns]
        for folder in ("broken", "whole")
    }
    assert said["broken"] == said["whole"]
    asked_again = sum(len(speaker.asked) for speaker in resumed.speakers.values())
    assert asked_again == 15 - len(kept.transcript.turns) - len(kept.pending)


async def test_an_answer_of_a_broken_step_is_not_paid_for_twice(tmp_path: Path) -> None:
    broken = Table(tmp_path / "run")
    broken.speakers["claude"].hold_at = "debate/defense 2"
    async with anyio.create_task_group() as group:
        group.start_soon(broken.begin)
        with anyio.fail_after(10):
            while not any(isinstance(event, TurnTaken) and event.tool == "gemini" for event in broken.events):
                await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    assert [turn.ask_id for turn in read_journal(tmp_path / "run").pending] == ["r3.summary.1"]
    resumed = Table(tmp_path / "run")
    assert (await resumed.resume()).status == DebateStatus.COMPLETED
    assert resumed.speakers["gemini"].asked == ["debate/synthesis 3"] * 2


async def test_turns_that_these_rules_never_asked_for_are_refused(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    stranger = as_ask(
        "claude", Question(prompt="?", brief=Brief(step="s", topic="t", role=Role.PROPOSER, round=1), timeout_s=1)
    )
    progress = Progress(pending=(turn_for(stranger, answer(stranger, "hello")),))
    with (
        JournalWriter.create(table.folder, HEADER) as journal,
        pytest.raises(DeliberationError, match=f"Run {RUN_ID} holds turns that its rules do not ask for: x"),
    ):
        await deliberate(table.run(journal), progress)


@pytest.mark.parametrize(
    ("limits", "usage", "rounds_completed", "reason"),
    [
        (Limits(calls=2), None, 1, "the run's limit of 2 calls is used up"),
        (Limits(calls=3), None, 1, "the run's limit of 3 calls is used up"),
        (
            Limits(tokens=250),
            Usage(input_tokens=90, output_tokens=10),
            1,
            "the run's limit of 250 tokens is used up (400 so far)",
        ),
        (Limits(cost_usd=0.05), Usage(cost_usd=0.02), 1, "the run's limit of $0.05 is used up ($0.0800 so far)"),
    ],
)
async def test_a_limit_that_is_used_up_fails_the_next_ask_and_the_format_decides(
    tmp_path: Path, limits: Limits, usage: Usage | None, rounds_completed: int, reason: str
) -> None:
    table = Table(tmp_path / "run", limits, usage)
    outcome = await table.begin()
    assert isinstance(outcome, DebateOutcome)
    assert (outcome.status, outcome.rounds_completed) == (DebateStatus.UNJUDGED, rounds_completed)
    failures = [turn.failure for turn in read_journal(table.folder).transcript.turns if turn.failure]
    assert {failure.code for failure in failures} == {FailureCode.BUDGET}
    assert reason in {failure.detail for failure in failures}


async def test_a_limit_of_one_call_is_told_as_one(tmp_path: Path) -> None:
    table = Table(tmp_path / "run", Limits(calls=1))
    await table.begin()
    failures = [turn.failure for turn in read_journal(table.folder).transcript.turns if turn.failure]
    assert [failure.detail for failure in failures] == ["the run's limit of 1 call is used up"]


async def test_when_the_wall_time_is_over_whoever_speaks_is_ended_and_nobody_else_is_asked(tmp_path: Path) -> None:
    table = Table(tmp_path / "run", Limits(wall_s=0.5))
    table.speakers["codex"].hold_at = "debate/response 1"
    outcome = await table.begin()
    assert outcome.status == DebateStatus.UNCONTESTED
    (opening, _, response) = read_journal(table.folder).transcript.turns
    assert opening.answer
    assert response.failure
    assert (response.failure.code, response.failure.detail) == (
        FailureCode.BUDGET,
        "the run's wall time of 0.5 s is over",
    )


async def test_a_journal_that_cannot_be_written_stops_the_run_with_its_reason(tmp_path: Path) -> None:
    table = Table(tmp_path / "run")
    with JournalWriter.create(table.folder, HEADER) as journal:
        journal.close()
        with pytest.raises(StoreError, match="is closed"):
            await deliberate(table.run(journal))


class Crowd:
    """A format that asks a hundred at once."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        if transcript.turns:
            return ConsultOutcome(status=ConsultStatus.COMPLETED, reply=transcript.turns[0].reply)
        brief = Brief(step="debate/opening", topic="t", role=Role.PROPOSER, round=1)
        return tuple(
            Ask(
                id=f"a{number}",
                kind=TurnKind.OPENING,
                role=Role.PROPOSER,
                round=1,
                tool="claude",
                question=Question(prompt=str(number), brief=brief, timeout_s=1),
            )
            for number in range(100)
        )


async def test_a_limit_on_calls_counts_those_under_way(tmp_path: Path) -> None:
    table = Table(tmp_path / "run", Limits(calls=7))
    with JournalWriter.create(table.folder, HEADER) as journal:
        run = table.run(journal)
        await deliberate(
            Deliberation(
                run_id=RUN_ID,
                format=Crowd(),
                consultant=run.consultant,
                journal=journal,
                limits=run.limits,
                observe=run.observe,
            )
        )
    turns = read_journal(table.folder).transcript.turns
    assert [turn.ask_id for turn in turns if turn.answer] == [f"a{number}" for number in range(7)]
    assert [turn.ask_id for turn in turns] == [f"a{number}" for number in range(100)]
    assert sum(isinstance(event, AskStarted) for event in table.events) == 7
