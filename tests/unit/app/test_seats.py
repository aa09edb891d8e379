"""Who sits where, and who checks a claim, when some seats, all or none were named."""

import pytest

from sparring.errors import ExitCode, ToolNotFoundError, UsageError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.formats.consult.options import ConsultOptions
from sparring.formats.debate.options import DebateOptions
from sparring.formats.fact_check.options import FactCheckOptions
from sparring.formats.jury.options import JuryOptions
from sparring.participants.options import Options
from sparring.schema.base import Participant
from sparring.schema.runs import Request
from support.installed import app_with
from support.texts import texts
from support.workbench import Workbench

pytestmark = pytest.mark.slow

TEXTS = texts("seats")
CHECKED = {"claim": "It is tall.", "evidence": ("The tower is tall.",)}
JUDGED = {"claim": "It is tall.", "truth": "It is high."}


def spelled(*seats: Participant) -> str:
    return " ".join(f"{each.tool}:{each.model}" if each.model else each.tool for each in seats)


@pytest.mark.parametrize(("installed", "named", "seats", "notices"), TEXTS["jury"])
def test_seats_of_a_jury_go_round_among_the_tools_installed(
    bench: Workbench, installed: str, named: dict[str, str], seats: str, notices: list[str] | None
) -> None:
    request = app_with(bench, *installed.split()).request(JuryOptions.model_validate(JUDGED | named))
    assert spelled(request.advocate, request.skeptic, request.fact_checker, request.judge) == seats
    assert notices is None or list(request.notices) == notices


@pytest.mark.parametrize(
    "named", [{"participants": "offline", "seat": ("judge=bob",)}, {"seat": ("advocate=offline",)}]
)
def test_a_tool_without_a_model_joins_no_jury_of_models(bench: Workbench, named: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="offline takes no seat next to AI tools"):
        app_with(bench, "claude").request(JuryOptions.model_validate(JUDGED | named))


def test_a_model_is_named_with_its_tool_or_as_an_option_but_not_both(bench: Workbench) -> None:
    app = app_with(bench)
    wish = JuryOptions.model_validate(JUDGED | {"with": "bob:m-2", "seat": ["advocate=ann:m-1"]})
    request = app.request(wish)
    assert spelled(request.advocate, request.skeptic, request.judge) == "ann:m-1 bob:m-2 bob:m-2"
    twice = DebateOptions(topic="So?", proposer="bob:m-2", challenger="ann", model_proposer="m-1")
    with pytest.raises(UsageError, match=r"Two models are named for 'bob': 'm-2' and 'm-1'."):
        app.request(twice)
    with pytest.raises(UsageError, match=r"'ann:' names no model after the colon\."):
        app.request(DebateOptions(topic="So?", proposer="ann:", challenger="bob"))
    debate = app.request(DebateOptions(topic="So?", proposer="ann:m-1", challenger="bob", seat=("judge=cy:auto",)))
    assert spelled(debate.proposer, debate.challenger, debate.judge) == "ann:m-1 bob cy"


@pytest.mark.parametrize(("installed", "named", "seats", "notices"), TEXTS["debate"])
def test_the_judge_is_the_most_independent_tool_available(
    bench: Workbench, installed: str, named: dict[str, str], seats: str, notices: list[str] | None
) -> None:
    request = app_with(bench, *installed.split()).request(DebateOptions.model_validate({"topic": "So?", **named}))
    assert spelled(request.proposer, request.challenger, *(request.judges or (request.judge,))) == seats
    assert request.devil == (request.proposer.tool == request.challenger.tool)
    assert notices is None or list(request.notices) == notices


@pytest.mark.parametrize(("said", "sentence"), TEXTS["refused"])
def test_seats_that_contradict_each_other_are_refused(bench: Workbench, said: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        app_with(bench, "claude").request(DebateOptions.model_validate({"topic": "So?", **said}))
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize(
    "options",
    [
        DebateOptions(topic="So?"),
        DebateOptions(topic="So?", challenger="offline"),
        ChairedDebateOptions(topic="So?"),
        FactCheckOptions.model_validate(CHECKED),
        JuryOptions.model_validate(JUDGED),
        ConsultOptions(question="So?"),
    ],
    ids=lambda options: options.format,
)
def test_without_any_model_the_error_states_what_each_tool_needs(bench: Workbench, options: Options[Request]) -> None:
    with pytest.raises(ToolNotFoundError, match="one is enough") as refused:
        app_with(bench).request(options)
    assert refused.value.exit_code is ExitCode.TOOL_MISSING
    for tool in ("claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai", "@github/copilot"):
        assert tool in str(refused.value)


@pytest.mark.parametrize(("installed", "said", "agents", "notices"), TEXTS["fact-check"])
def test_agents_of_a_fact_check_are_those_that_were_named_or_one_of_each_family(
    bench: Workbench, installed: str, said: dict[str, object], agents: str, notices: list[str]
) -> None:
    request = app_with(bench, *installed.split()).request(FactCheckOptions.model_validate(CHECKED | said))
    assert (spelled(*request.agents), list(request.notices)) == (agents, notices)
    if installed.startswith("opencode"):
        assert request.families == ("gpt", "copilot", "opencode")


def test_one_agent_that_can_read_is_too_few(bench: Workbench) -> None:
    with pytest.raises(UsageError, match="2 to 7 agents; 1 is named that can read"):
        app_with(bench).request(FactCheckOptions.model_validate(CHECKED | {"participants": "ann,offline"}))
