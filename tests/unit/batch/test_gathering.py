"""Questions that are gathered into batches, by processes that may be killed on the way."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import anyio
import anyio.to_thread
import pytest

from sparring.batch.allowances import LEASE_S
from sparring.batch.gathering import (
    FORGOTTEN_S,
    Claimed,
    GatheredRecord,
    Gathering,
    GatheringPace,
    claim,
    leave,
    open_batch,
)
from sparring.providers.api.batches import ApiBatches
from sparring.providers.api.connections import Connections
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply
from sparring.testing.model_endpoint import ModelEndpoint, Say
from sparring.text.redaction import Redactor
from support.apis import built_in, environment
from support.batches import OneProcess
from support.desk import question
from support.ledgers import StandingClock

MODEL = "some-model-1"
AT_ONCE = GatheringPace(linger_s=0.02, poll_s=0.01)
HELD = GatheringPace(linger_s=1000.0, poll_s=0.01)
"""Nothing is handed in unless it is enough or is told."""


@dataclass
class Place:
    """Where several processes, one after the other or side by side, gather questions for one endpoint."""

    endpoint: ModelEndpoint
    clock: StandingClock
    home: OneProcess

    def gathering(self, worker: str = "one", pace: GatheringPace = AT_ONCE) -> Gathering:
        spec = built_in("anthropic")
        variables = environment(spec, self.endpoint.url)
        batches = ApiBatches(spec, variables, connections=Connections(variables), redactor=Redactor())
        return Gathering(batches, "anthropic", self.home, worker=worker, pace=pace)


@pytest.fixture
def place() -> Generator[Place]:
    with ModelEndpoint(Say(lambda prompt: f"Heard: {prompt}")) as endpoint:
        clock = StandingClock()
        yield Place(endpoint, clock, OneProcess(clock))


def asked(prompt: str) -> Question:
    return question(prompt).model_copy(update={"model": MODEL})


async def ask_all(gathering: Gathering, prompts: Sequence[str]) -> list[Reply]:
    replies = dict[int, Reply]()

    async def one(index: int, prompt: str) -> None:
        replies[index] = await gathering.ask(asked(prompt))

    async with anyio.create_task_group() as group:
        for index, prompt in enumerate(prompts):
            group.start_soon(one, index, prompt)
    return [replies[index] for index in range(len(prompts))]


def said(replies: Sequence[Reply]) -> list[str]:
    return [reply.response if isinstance(reply, Answer) else reply.code for reply in replies]


def handed_in(place: Place) -> list[int]:
    return [len(batch.entries) for batch in place.endpoint.batches.batches.values()]


async def hand_in_and_be_killed(gathering: Gathering, prompts: Sequence[str], place: Place) -> None:
    """Hand these in, and leave the record as somebody does of whom nothing is heard any more."""
    desk, left = place.endpoint.batches, list[bytes | None]()
    desk.polls = 1_000_000
    async with anyio.create_task_group() as group, gathering.running():
        group.start_soon(ask_all, gathering, prompts)
        await anyio.to_thread.run_sync(desk.wait_for, 2)
        left.append(place.home.records["gathered/anthropic"])
        group.cancel_scope.cancel()
    place.home.records["gathered/anthropic"] = left[0]
    desk.polls = 0
    for batch in desk.batches.values():
        batch.polls_left = 0


async def test_a_batch_is_full_at_its_most_and_what_is_left_goes_when_nothing_more_can_come(place: Place) -> None:
    gathering = place.gathering(pace=replace(HELD, most=8))
    async with gathering.running(), anyio.create_task_group() as group:
        group.start_soon(ask_all, gathering, [f"Number {number}?" for number in range(20)])
        while sum(handed_in(place)) < 20:
            await anyio.sleep(0.01)
            gathering.flush()
    assert handed_in(place) == [8, 8, 4]


async def test_a_batch_holds_the_questions_of_one_model(place: Place) -> None:
    gathering = place.gathering()
    async with gathering.running(), anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(gathering.ask, asked("Is it so?").model_copy(update={"model": f"m{number % 2}"}))
    bodies = [[body["model"] for _, body in batch.entries] for batch in place.endpoint.batches.batches.values()]
    assert bodies == [["m0"] * 3, ["m1"] * 3]


async def test_the_effort_that_was_asked_for_stands_in_the_answer(place: Place) -> None:
    async with place.gathering().running() as gathering:
        reply = await gathering.ask(asked("Is it so?").model_copy(update={"effort": Effort.HIGH}))
    assert isinstance(reply, Answer)
    assert (reply.effort, reply.model) == (Effort.HIGH, MODEL)


async def test_a_process_that_takes_over_waits_for_what_was_handed_in_and_pays_for_the_rest_alone(place: Place) -> None:
    await hand_in_and_be_killed(place.gathering("one"), ["First?", "Second?", "First?"], place)
    place.clock.now += LEASE_S + 1
    prompts = ["First?", "Third?", "First?", "First?"]
    async with place.gathering("two").running() as gathering:
        replies = await ask_all(gathering, prompts)
    assert said(replies) == [f"Heard: {prompt}" for prompt in prompts]
    assert handed_in(place) == [3, 2]


async def test_who_has_just_begun_waits_to_see_whether_another_lives_before_anything_is_paid_twice() -> None:
    one = open_batch(GatheredRecord(), 0.0, worker="one", batch="b", names=["abc-0"])[0]
    record, early = claim(one, 5.0, worker="two", known_s=0.0, digests=["abc", "def"])
    assert early == Claimed(free={1: "def-0"}, undecided=frozenset({0}))
    _, dead = claim(record, LEASE_S + 1, worker="two", known_s=20.0, digests=["abc"])
    assert dead == Claimed(found={0: ("abc-0", "b")})
    alive = open_batch(record, 50.0, worker="one", batch="c", names=[])[0]
    _, own = claim(alive, LEASE_S + 1, worker="two", known_s=LEASE_S, digests=["abc"])
    assert own == Claimed(free={0: "abc-1"})


def test_what_a_worker_leaves_is_for_the_next_one_at_once_and_what_is_old_for_nobody() -> None:
    record = open_batch(GatheredRecord(), 0.0, worker="one", batch="b", names=["abc-0", "def-0"])[0]
    left = leave(record, 1.0, worker="one", settled=["def-0"])[0]
    assert claim(left, 2.0, worker="two", known_s=0.0, digests=["abc", "def"])[1] == Claimed(
        found={0: ("abc-0", "b")}, free={1: "def-0"}
    )
    assert claim(left, FORGOTTEN_S + 1, worker="two", known_s=0.0, digests=["abc"])[1] == Claimed(free={0: "abc-0"})


async def test_a_batch_that_is_lost_fails_so_that_it_is_asked_anew(place: Place) -> None:
    desk = place.endpoint.batches
    desk.polls = 1_000_000

    async def lose() -> None:
        await anyio.to_thread.run_sync(desk.wait_for, 2)
        desk.lose()

    async with place.gathering().running() as gathering, anyio.create_task_group() as group:
        group.start_soon(lose)
        reply = await gathering.ask(asked("Is it so?"))
        assert isinstance(reply, Failure)
        assert (reply.code, reply.retryable) == (FailureCode.SERVER_ERROR, True)


async def test_a_question_of_which_the_results_say_nothing_is_not_answered(place: Place) -> None:
    place.endpoint.batches.results_as = b"\n"
    async with place.gathering().running() as gathering:
        assert said(await ask_all(gathering, ["Is it so?"])) == [FailureCode.PARSE]


async def test_what_cannot_be_handed_in_fails_with_the_providers_reason(place: Place) -> None:
    async with place.gathering().running() as gathering:
        assert said([await gathering.ask(question("Is it so?"))]) == [FailureCode.UNSUPPORTED]
