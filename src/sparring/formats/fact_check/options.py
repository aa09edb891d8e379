"""Options of a fact-check, and the request they become: agents, claim, evidence."""

from collections import Counter
from collections.abc import Mapping
from itertools import cycle, islice
from typing import Annotated, ClassVar

from msgspec import Struct

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants import seats
from sparring.schema import fact_check as schema
from sparring.schema.base import RULE_BASED_TOOL, Effort, Participant, Role

_INPUT = shared.Input("-", "the claim and its evidence")


class FactCheckOptions(shared.Options[schema.FactCheckRequest]):
    """Options of a fact-check; without participants sparring chooses, and one of them is every agent."""

    format: ClassVar[str] = "fact-check"
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"max_rounds": 1, "escalation": "never", "effort": "low"},
        shared.Preset.THOROUGH: {"max_rounds": 5, "escalation": "always", "effort": "high", "timeout_s": 600.0},
    }

    claim: Annotated[str, shared.Option("What is checked; `-` reads it from standard input.", is_subject=True)] = ""
    evidence: Annotated[
        tuple[str, ...],
        shared.Option(
            "A text to check the claim against. Repeatable. Piped input is evidence too; `-` "
            "waits for it without limit.",
            mcp='Whole texts, or "file=PATH"',
            value="TEXT",
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ()
    evidence_file: Annotated[
        tuple[str, ...],
        shared.Option(
            "A file of evidence, UTF-8. Repeatable.",
            mcp=None,
            value="PATH",
            file_of="evidence",
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ()
    max_kib: Annotated[int | None, shared.max_kib(f"{shared.EVIDENCE_KIB}")] = None
    allow_secret_files: shared.SecretFiles = False
    participants: Annotated[
        str,
        shared.with_option(
            "Agents that check, 2 to 7: claude,codex:MODEL,claude. One alone is every agent; `offline`: code alone. "
            "By default three of different families.",
            mcp="2 to 7: claude,codex:MODEL; host: you; empty: three; offline: code alone",
        ),
    ] = ""
    count: Annotated[
        int | None, shared.Option("Number of agents, 2 to 7, where they are not listed. By default 3.", mcp=None)
    ] = None
    max_rounds: Annotated[
        schema.Rounds,
        shared.Option("The blind round and the debate rounds together, 1 to 5.", is_hinted=True, is_rare=True),
    ] = 3
    escalation: Annotated[
        schema.Escalation,
        shared.Option(
            "When agents debate: auto (when they disagree or a quote is not in the evidence), always, never.",
            is_setting=True,
        ),
    ] = schema.Escalation.AUTO
    language: shared.LanguageOption = "en"
    effort: shared.EffortOption = Effort.MEDIUM
    preset: shared.PresetOption = None
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout()] = 240.0


def complete(options: FactCheckOptions, project: seats.ProjectContext) -> schema.FactCheckRequest:
    """The whole request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    roster = project.tools
    chosen = choose_agents(options, roster)
    if not options.claim and project.given.is_by_user:
        raise UsageError("There is no claim.", hint="Type it, or judge a table of claims with `sparring batch`.")
    claim = project.redact(options.claim)
    material = project.evidence(
        options.evidence,
        options.evidence_file,
        shared.EVIDENCE_KIB if options.max_kib is None else options.max_kib,
        secrets_allowed=options.allow_secret_files,
    )
    notices = [
        *roster.notices,
        *chosen.notices,
        *seats.unknown_family_notices(chosen.agents, roster),
    ]
    return shared.valid(
        lambda: options.as_request(
            schema.FactCheckRequest,
            claim=claim.text.strip(),
            evidence=material.parts,
            agents=tuple(Participant(tool=agent.tool, model=agent.model) for agent in chosen.agents),
            language=shared.language(options.language),
            redactions=claim.count + material.redactions,
            families=tuple(seats.family_of(agent.tool, roster, agent.model) for agent in chosen.agents),
            unnamed=() if options.participants.strip() else (Role.FACT_CHECKER,),
            notices=tuple(notices),
        )
    )


class ChosenAgents(Struct, frozen=True):
    """The agents in their order, and what the user should know about the choice."""

    agents: tuple[seats.NamedTool, ...]
    notices: tuple[str, ...] = ()


def choose_agents(options: FactCheckOptions, roster: seats.Tools) -> ChosenAgents:
    """Return the agents of a fact-check.

    Raises:
        UsageError: There are too few or too many, or one of them does not exist.
        SparringError: None is named, and no tool can be asked.
    """
    named = seats.split_tools(options.participants)
    if len(named) > 1:
        if options.count not in (None, len(named)):
            raise UsageError(
                f"{len(named)} agents are named and {options.count} asked for.", hint="Leave the count out."
            )
        # Code reads no texts, so it does not count as an agent next to others; alone it is a fact-check by code.
        readers = [agent for agent in named if agent.tool != RULE_BASED_TOOL]
        if readers:
            _refuse_number(len(readers), "named that can read" if len(readers) < len(named) else "named")
        agents = named
    else:
        count = schema.USUAL_AGENTS if options.count is None else options.count
        _refuse_number(count, "asked for")
        if not named:
            return _usual(count, roster)
        agents = named * count
    for agent in agents:
        roster.spec(agent.tool)  # raises where there is no such tool
    return _with_a_vote(agents)


def _with_a_vote(agents: tuple[seats.NamedTool, ...]) -> ChosenAgents:
    """Return the agents that can read; the findings of code are reported in any case, and are no vote."""
    readers = tuple(agent for agent in agents if agent.tool != RULE_BASED_TOOL)
    if len(readers) in {0, len(agents)}:
        return ChosenAgents(readers)
    return ChosenAgents(readers, (f"[WARN] {RULE_BASED_TOOL} has no vote: its findings are shown next to the label.",))


def _refuse_number(count: int, how: str) -> None:
    if not schema.FEWEST_AGENTS <= count <= schema.MOST_AGENTS:
        raise UsageError(
            f"A fact-check has {schema.FEWEST_AGENTS} to {schema.MOST_AGENTS} agents; "
            f"{count} {'is' if count == 1 else 'are'} {how}.",
            hint="The same tool may be named several times.",
        )


def _usual(count: int, roster: seats.Tools) -> ChosenAgents:
    """Return one tool of each family, then the same tools again, else the calling agent; raises ``SparringError``."""
    families = seats.one_of_each_family(roster.ai_tools(), roster)
    if not families:
        tool = seats.further_tool((), roster)
        return ChosenAgents((seats.NamedTool(tool),) * count, (seats.one_tool_notice(tool, "all agents", roster),))
    tools = tuple(islice(cycle(families), count))
    return ChosenAgents(tuple(map(seats.NamedTool, tools)), _makeshift_notices(tools, families))


def _makeshift_notices(tools: tuple[str, ...], families: tuple[str, ...]) -> tuple[str, ...]:
    if len(tools) <= len(families):
        return ()
    families_shown = "1 family" if len(families) == 1 else f"{len(families)} families"
    notices = [f"[WARN] AI tools of {families_shown} are installed."]
    for tool, times in Counter(tools).items():
        if times > 1:
            notices.append(f"[WARN] {tool} is {times} agents, each in a fresh session.")
    return tuple(notices)
