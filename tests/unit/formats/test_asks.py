"""Who is asked what, when, and with which settings: every ask but for its prompt, as it was read and approved."""

import json
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from sparring.schema.base import Effort, Participant, RepoAccess, Role
from sparring.schema.consult import Consulted, ConsultRequest
from sparring.schema.transcript import Ask
from support import debating
from support.chaired_playing import play_chaired
from support.consulting import SEVERAL, play_consult
from support.fact_checking import IS_TALL, REFUTED, check, rebuttal, request
from support.golden import Golden
from support.jury_playing import play_jury
from support.playing import FAILS, Played
from support.reviewing import WHOLE, held

OPUS = Participant(tool="claude", model="opus")
PLAYED: dict[str, Callable[[], Played]] = {
    "consult": lambda: play_consult(
        ConsultRequest(
            question="  /help is not a command here\n",
            asked=(Consulted(tool="claude", model="opus"),),
            effort=Effort.LOW,
            repo_access=RepoAccess.READ,
            session_id="s-1",
        )
    ),
    "consult-several": lambda: play_consult(
        SEVERAL, {"question.1": "said first", "question.2": FAILS, "question.3": "said third"}
    ),
    "debate": lambda: debating.played(rounds=3, panel=(Participant(tool="opencode", model="m-1"),)),
    "blind-debate": lambda: debating.played(rounds=3, blind_openings=True),
    "fact-check": lambda: check(
        {"r1.a1": REFUTED, "r2.a2": rebuttal("SUPPORTED", IS_TALL)},
        request(agents=(OPUS, Participant(tool="codex")), effort=Effort.HIGH, timeout_s=30, language="vi"),
    )[0],
    "jury": lambda: play_jury(rebuttals=2, effort=Effort.HIGH, timeout_s=60, language="vi"),
    "review": lambda: held(WHOLE)[0],
    "chaired-debate": lambda: play_chaired(
        max_rounds=2,
        audience=Participant(tool="opencode"),
        reporter=Participant(tool="copilot", model="gpt"),
        effort=Effort.HIGH,
        timeout_s=60,
        searching=(Role.DETRACTOR,),
    ),
}


def lines(ask: Ask) -> Iterator[str]:
    """An ask, a line for each of its members, with a prompt only where it is what somebody typed or names a step."""
    fields = ask.model_dump(mode="json", exclude_defaults=True)
    question = fields.pop("question")
    brief = question.pop("brief")
    prompt = question.pop("prompt")
    question.pop("stable", None)  # changes with every word of a prompt
    yield " ".join(str(value) for value in fields.values())
    is_short = ask.role in {Role.CONSULTANT, Role.VERIFIER}
    yield f"  {json.dumps(question | ({'prompt': prompt} if is_short else {}))}"
    for name, value in brief.items():
        many = cast("list[object]", value) if isinstance(value, list) else [value]
        yield from (f"  {name}: {json.dumps(each, ensure_ascii=False)}" for each in many)


@pytest.mark.parametrize("name", PLAYED)
def test_everybody_is_asked_in_turn_with_what_was_chosen_for_the_seat(name: str, golden: Golden) -> None:
    steps = ("\n".join(line for ask in step for line in lines(ask)) for step in PLAYED[name]().steps)
    golden.holds(f"asks/{name}.txt", "\n\n".join(steps) + "\n")
