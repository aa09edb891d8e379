"""What the real tools print when they are failed, once per tool: ``make renew`` records it anew.

The recordings are what ``tests/unit/providers/cli/test_recorded_failures.py`` reads. Here they are only held to be
true: what a tool prints now means what was recorded. The same version prints the same as long as it is called the
same, so only those situations are brought about each time that a change to our calls would change. Of another version
than the recorded one all of them are brought about, and each has to end in the same code, whatever its words are. The
situations of a tool run side by side, since most of them wait.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest
from msgspec import Struct, field

from sparring.providers.cli.output import parse
from sparring.providers.receiving.causes import AskedQuestion
from sparring.schema.consultation import Failure, FailureCode, Question, Reply
from sparring.testing.model_endpoint import Behaviour, Refuse, Reset, Say
from sparring.text.redaction import Redactor
from support.desk import E2E, PACKAGES, Desk, new_desk, question
from support.golden import Golden
from support.processes import processes_with_home
from support.recordings import KEY, RECORDED, Recording

pytestmark = pytest.mark.npm

PATIENT_S = 240
SAYS_KEY = f"The key {KEY} is no good"
AT_ONCE = {"retry-after": "1", "retry-after-ms": "1"}


def as_it_is(_: Desk) -> None:
    """Nothing is prepared."""


class Situation(Struct, frozen=True):
    """What becomes of a question: how the endpoint behaves, or what is missing before it is reached."""

    behaviour: Behaviour = field(default_factory=lambda: Say("Yes."))
    prepare: Callable[[Desk], None] = as_it_is
    asked: Question = field(default_factory=lambda: question(timeout_s=PATIENT_S))


def sign_out(desk: Desk) -> None:
    """Nobody has a key, or an endpoint of their own."""
    desk.variables.update(ANTHROPIC_API_KEY="", COPILOT_OFFLINE="false", COPILOT_PROVIDER_BASE_URL="")
    for name in (".env", "settings.json"):
        (desk.home / ".gemini" / name).unlink()


def retry_as_users_do(desk: Desk) -> None:
    """Codex tries a few times more where nobody has told it not to."""
    config = desk.home / ".codex" / "config.toml"
    config.write_text(config.read_text(encoding="utf-8").replace("_max_retries = 0", "_max_retries = 1"))


def too_long(kind: str, message: str) -> Situation:
    return Situation(Refuse(400, kind, message))


def elsewhere(session_id: str) -> Situation:
    return Situation(asked=question(session_id=session_id, timeout_s=PATIENT_S))


EVERYWHERE = {
    "401": Situation(Refuse(401, "authentication_error", SAYS_KEY)),
    "403": Situation(Refuse(403, "permission_error", SAYS_KEY)),
    "404": Situation(Refuse(404, "not_found_error", "no such model")),
    "429": Situation(Refuse(429, "rate_limit_error", SAYS_KEY, AT_ONCE)),
    "500": Situation(Refuse(500, "api_error", SAYS_KEY, AT_ONCE)),
    "empty": Situation(Say("")),
    "cut-off": Situation(Say(f"Half of {KEY}", pieces=3)),
}
OVERLOADED = {"529": Situation(Refuse(529, "overloaded_error", "overloaded", AT_ONCE))}
DROPPED = {"reset": Situation(Reset()), "closed": Situation(prepare=lambda desk: desk.endpoint.close())}
OVER_LIMIT = too_long("context_length_exceeded", "Your input exceeds the context window of this model.")
NOBODYS = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"
SITUATIONS: Mapping[str, Mapping[str, Situation]] = {
    "claude": EVERYWHERE | OVERLOADED | DROPPED | {
        "too-long": too_long("invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"),
        "signed-out": Situation(prepare=sign_out),
        "no-such-session": elsewhere(NOBODYS),
    },
    "codex": EVERYWHERE | OVERLOADED | DROPPED | {
        "too-long": OVER_LIMIT,
        "429-twice": Situation(EVERYWHERE["429"].behaviour, retry_as_users_do),
        "no-such-session": elsewhere(NOBODYS),
    },
    "copilot": EVERYWHERE | DROPPED | {
        "too-long": OVER_LIMIT,
        "signed-out": Situation(prepare=sign_out),
        "no-such-session": elsewhere(NOBODYS),
        # Its tries take longer than the question may; what the last one met is told all the same.
        "429-and-late": Situation(
            Refuse(429, "rate_limit_error", "slow down", {"retry-after": "60"}), asked=question(timeout_s=25)
        ),
    },
    "gemini": EVERYWHERE | DROPPED | {
        "too-long": too_long("INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum (1048576)."),
        "signed-out": Situation(prepare=sign_out),
        "no-such-session": elsewhere(NOBODYS),
        "cut-off-at-once": Situation(Say("Half", pieces=0)),
        "late": Situation(Refuse(504, "DEADLINE_EXCEEDED", "The deadline expired before it was done.")),
    },
    # How often it asks after a connection that was dropped, before it is ended, depends on how busy the machine is.
    "opencode": EVERYWHERE | {
        "too-long": OVER_LIMIT,
        # Ended long before that; else it would be asked as long as there is time.
        "429-and-late": Situation(Refuse(429, "rate_limit_error", "slow down", {"retry-after": "3600"})),
        "spent": Situation(Refuse(429, "insufficient_quota", "pay first", AT_ONCE)),
        "unknown-model": Situation(asked=question(model="loopback/none-such", timeout_s=PATIENT_S)),
        "no-such-session": elsewhere("ses_e0470ced8ffe5EOC7swK7RTLqR"),
    },
}  # fmt: skip


EACH_TIME = frozenset({"401", "429", "429-and-late", "429-twice", "cut-off", "no-such-session", "signed-out"})
"""Those that meet what we add to a call: keys, logs, tries, time limits, sessions, and how an answer is streamed."""


def installed(tool: str) -> str:
    """The version of the tool that npm has installed."""
    package = E2E / "node_modules" / PACKAGES[tool] / "package.json"
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


def meaning(tool: str, recording: Recording, asked: Question) -> Reply:
    return parse(tool, recording.finished, AskedQuestion(tool, asked, Redactor([KEY])))


def code(reply: Reply) -> FailureCode | None:
    """How a reply failed, whatever its words are; None for an answer."""
    return reply.code if isinstance(reply, Failure) else None


@pytest.mark.timeout(600)
@pytest.mark.parametrize("tool", SITUATIONS)
async def test_failures_of_a_tool_print_as_recorded(tool: str, tmp_path: Path, golden: Golden) -> None:
    version = RECORDED / tool / "endpoint" / "version.txt"
    if golden.renews:
        golden.holds(f"outputs/{tool}/endpoint/version.txt", f"{installed(tool)}\n")
    is_recorded = version.read_text(encoding="utf-8").strip() == installed(tool)
    needed = EACH_TIME if is_recorded and not golden.renews else SITUATIONS[tool].keys()
    situations = {name: each for name, each in SITUATIONS[tool].items() if name in needed}
    now: dict[str, Recording] = {}
    side_by_side = anyio.CapacityLimiter(3)

    async def record(name: str, situation: Situation) -> None:
        folder = tmp_path / name
        folder.mkdir()
        async with side_by_side:
            with new_desk(folder) as desk:
                desk.variables.update(ANTHROPIC_API_KEY=KEY, LOOPBACK_API_KEY=KEY)
                desk.endpoint.behaviour = situation.behaviour
                situation.prepare(desk)
                finished = await desk.consultant(tool).ended(situation.asked)
                assert processes_with_home(desk.home) == []
                assert list(desk.calls_folder.iterdir()) == []
                assert left_by(desk) <= {"gemini/empty/.geminiignore", "opencode/opencode/.gitignore"}, name
                assert len(desk.endpoint.requests) < 20  # OpenCode asked without end once
        places = ((folder.resolve(), "$DESK"), ((E2E / "node_modules").resolve(), "$NPM"))
        now[name] = Recording.of(finished, *places)

    async with anyio.create_task_group() as tasks:
        for name, situation in situations.items():
            tasks.start_soon(record, name, situation)

    for name, situation in situations.items():
        if golden.renews:
            golden.holds(f"outputs/{tool}/endpoint/{name}.json", now[name].text)
        recorded = Recording.read(f"{tool}/endpoint/{name}")
        found, known = (meaning(tool, each, situation.asked) for each in (now[name], recorded))
        # What a program still prints while it is being ended depends on the moment.
        is_same = is_recorded and not recorded.finished.timed_out
        assert (found == known) if is_same else (code(found) == code(known)), (name, found, known)


def left_by(desk: Desk) -> set[str]:
    """What is still there of what was made for one question."""
    return {str(file.relative_to(desk.private_dir)) for file in desk.private_dir.rglob("*") if not file.is_dir()}
