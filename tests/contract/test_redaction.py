"""Nothing passes the roster with a secret in it: not what is asked, and not what is answered, whoever answers."""

import json
from contextlib import ExitStack
from pathlib import Path

import anyio
import pytest

from sparring.app.roster import Roster
from sparring.prompts import PromptLibrary
from sparring.providers import Consultant
from sparring.providers.host import Mailbox
from sparring.schema.base import SOURCE_CHECKER, Role
from sparring.schema.consultation import Answer, Brief, Question, Speech
from sparring.schema.lookups import SOURCES_STEP, Source
from sparring.schema.transcript import Ask, TurnKind
from sparring.settings import Settings
from sparring.store.hosts import Place
from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.pages import Site, page

CANARY = "correct-horse-7-battery"
QUOTE = "the harbour master keeps a key"
PAGE = f"<title>Keys: {CANARY}</title><p>They say that {QUOTE}.</p>"
RUN = "debate-20261121T120000Z-0a1b"


class World:
    """A user with a secret, and somebody to ask behind each door of the roster."""

    def __init__(self, folder: Path, open_: ExitStack) -> None:
        self.endpoint = open_.enter_context(ModelEndpoint(Say(lambda prompt: f"You said {prompt}, and {CANARY}.")))
        self.site = open_.enter_context(Site({"/": page(PAGE)}))
        providers = folder / "providers"
        providers.mkdir()
        plain = 'family = "none"\ntitle = "Somebody"\n'
        (providers / "script.toml").write_text(f'kind = "scripted"\n{plain}script = "replies.json"\n')
        (providers / "replies.json").write_text(json.dumps({"replies": [{"response": f"It is {CANARY}."}]}))
        api = f'kind = "api"\n{plain}api = "chat-completions"\nbase_url = "{self.endpoint.url}/v1"\nmodel = "m"\n'
        (providers / "api.toml").write_text(api)
        environment = {"SPARRING_SOURCES_ALLOW": f"127.0.0.1:{self.site.port}", "MY_PASSWORD": CANARY}
        project = folder / "project"
        project.mkdir()
        settings = Settings(environment, project, providers, folder / "private", secrets=(CANARY,))
        self.mailbox = Mailbox(RUN)
        self.roster = Roster(settings, Place(project, folder / "state"), PromptLibrary(), attended=True)

    def question(self) -> Question:
        brief = Brief(
            step=SOURCES_STEP,
            topic=f"Is it {CANARY}?",
            role=Role.PROPOSER,
            round=1,
            speeches=(Speech(role=Role.CHALLENGER, round=1, text=f"It is {CANARY}."),),
            sources=(Source(url=f"{self.site.url}/", quote=QUOTE, title="Of other matters"),),
        )
        return Question(prompt=f"Is it {CANARY}?", brief=brief, timeout_s=60)


def asked_of_the_host(world: World) -> Consultant:
    asked = world.question()
    ask = Ask(id="a", kind=TurnKind.OPENING, role=Role.PROPOSER, round=1, tool="host", question=asked)
    world.mailbox.on_posted(lambda: world.mailbox.answer("a", f"{world.mailbox.waiting[0].prompt} {CANARY}"))
    return world.roster.answering(world.mailbox)(ask)


@pytest.mark.parametrize("who", ["script", "api", SOURCE_CHECKER, "host"])
async def test_no_secret_passes_whoever_answers(who: str, tmp_path: Path) -> None:
    with ExitStack() as open_:
        world = World(tmp_path, open_)
        with anyio.fail_after(60):
            asked = asked_of_the_host(world) if who == "host" else world.roster.consultant(who)
            reply = await asked.ask(world.question())
        heard = [request for request in world.endpoint.requests if CANARY in request]
    assert isinstance(reply, Answer), reply
    assert CANARY not in reply.model_dump_json()
    assert "[REDACTED:known-value]" in reply.response
    assert reply.redactions >= 2
    assert heard == []
