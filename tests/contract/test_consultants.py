"""What every consultant keeps to, whatever it is made of. A new one joins the table of what it can be made to do."""

import asyncio
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio
import pytest

from sparring.lookup.offline import OfflineConsultant
from sparring.prompts import PromptLibrary
from sparring.providers import Consultant
from sparring.providers.acp.consultant import AcpConsultant
from sparring.providers.api.connections import Connections
from sparring.providers.api.consultant import ApiConsultant
from sparring.providers.cli.confinement import Surroundings
from sparring.providers.cli.consultant import CliConsultant
from sparring.providers.scripted import ScriptedConsultant
from sparring.schema.base import Effort
from sparring.schema.consultation import Failure, FailureCode
from sparring.schema.providers import AcpProvider, CliProvider
from sparring.testing import fake_claude
from sparring.testing.acp_agent import Scenario
from sparring.testing.acp_in_process import in_process
from sparring.testing.model_endpoint import Behaviour, Hang, ModelEndpoint, Refuse, Say
from sparring.text.redaction import Redactor
from support.apis import own
from support.desk import answered, failed, question, write

TOOL = "somebody"

Make = Callable[[Path], Consultant]
OPEN = ExitStack()
"""The endpoints of a test."""


@pytest.fixture(autouse=True)
def nothing_left_open() -> Generator[None]:
    with OPEN:
        yield


def scripted(folder: Path, **reply: object) -> Consultant:
    return ScriptedConsultant(write(folder / "replies.json", {"replies": [reply]}), tool=TOOL)


def program(folder: Path, mode: str) -> Consultant:
    command = {"program": sys.executable, "argv": [fake_claude.__file__, mode, "{effort}"], "effort": ["{effort}"]}
    table = {"name": TOOL, "family": "none", "title": "Somebody", "output": "claude"}
    spec = CliProvider.model_validate({**table, "efforts": {"medium": "medium"}, "command": command})
    return CliConsultant(spec, Surroundings({}, folder, folder), redactor=Redactor())


def agent(folder: Path, scenario: Scenario) -> Consultant:
    spec = AcpProvider(name=TOOL, family="none", title="Somebody", program="agent")
    return AcpConsultant(spec, Surroundings({}, folder, folder), redactor=Redactor(), converse=in_process(scenario))


def model_api(folder: Path, behaviour: Behaviour) -> Consultant:
    del folder
    url, efforts = OPEN.enter_context(ModelEndpoint(behaviour)).url, {"medium": {"output_config": {"effort": "medium"}}}
    spec = own(name=TOOL, api="anthropic-messages", base_url=url, model="some-model", efforts=efforts)
    return ApiConsultant(spec, {}, connections=Connections({}), redactor=Redactor())


def rule_based(folder: Path) -> Consultant:
    write(folder / "README.md", "# A topic\n\nA topic is argued about here.\n")
    return OfflineConsultant(folder, PromptLibrary(), tool=TOOL, environment={})


KEEPING_SESSIONS: dict[str, Make] = {
    "scripted": partial(scripted, response="Yes.", session_id="s-1"),
    "cli": partial(program, mode="answers"),
    "acp": partial(agent, scenario=Scenario(loads=True, options={"thought_level": ("medium",)})),
}
ANSWERING = KEEPING_SESSIONS | {"api": partial(model_api, behaviour=Say("Yes.")), "offline": rule_based}
FAILING: dict[str, Make] = {
    "scripted": partial(scripted, failure={"code": "auth", "detail": "Invalid API key"}),
    "cli": partial(program, mode="fails"),
    "acp": partial(agent, scenario=Scenario(steps=(("refuse", -32000, "Invalid API key"),))),
    "api": partial(model_api, behaviour=Refuse(401, "authentication_error", "Invalid API key")),
}
STAYING: dict[str, Make] = {
    "scripted": partial(scripted, response="Too late.", delay_s=3600),
    "cli": partial(program, mode="stays"),
    "acp": partial(agent, scenario=Scenario(is_silent=True)),
    "api": partial(model_api, behaviour=Hang()),
}
STARTING_PROGRAMS = {"cli", "offline"}  # the second asks git what there is


def calls_left(folder: Path) -> list[Path]:
    return list(folder.glob("calls/*"))


def each(table: dict[str, Make]) -> pytest.MarkDecorator:
    marks = {name: [pytest.mark.process] if name in STARTING_PROGRAMS else [] for name in table}
    cases = [pytest.param(make, id=name, marks=marks[name]) for name, make in table.items()]
    return pytest.mark.parametrize("make", cases)


@each(ANSWERING)
async def test_an_answer_names_its_tool_and_is_not_empty(make: Make, tmp_path: Path) -> None:
    consultant = make(tmp_path)
    at_once = await asyncio.gather(*(consultant.ask(question(effort=Effort.MEDIUM)) for _ in range(3)))
    for reply in map(answered, at_once):
        assert (reply.tool, reply.response != "") == (TOOL, True)
        assert reply.effort in (Effort.MEDIUM, None)  # None: there is nothing in it that could try harder
    answered(await consultant.ask(question()))
    assert calls_left(tmp_path) == []


@each(KEEPING_SESSIONS)
async def test_a_session_can_be_continued_only_when_it_was_to_be_kept(make: Make, tmp_path: Path) -> None:
    for keep_session in (True, False):
        assert answered(await make(tmp_path).ask(question(keep_session=keep_session))).continuable is keep_session


@each(FAILING)
async def test_a_failure_is_returned_with_its_code_and_reason(make: Make, tmp_path: Path) -> None:
    reply = await make(tmp_path).ask(question())
    refused = Failure(tool=TOOL, code=FailureCode.AUTH, detail="Invalid API key")
    assert reply.model_copy(update={"duration_ms": 0}) == refused


@each(STAYING)
async def test_a_timeout_is_a_permanent_failure(make: Make, tmp_path: Path) -> None:
    reply = failed(await make(tmp_path).ask(question(timeout_s=0.1)))
    assert (reply.tool, reply.code, reply.retryable) == (TOOL, FailureCode.TIMEOUT, False)


@each(STAYING)
@pytest.mark.parametrize("patience_s", [0, 0.1])
async def test_a_consultation_can_be_cancelled_at_any_time(make: Make, patience_s: float, tmp_path: Path) -> None:
    with anyio.move_on_after(patience_s) as scope:
        await make(tmp_path).ask(question())
    assert scope.cancelled_caught
    assert calls_left(tmp_path) == []
