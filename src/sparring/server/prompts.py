"""The MCP prompts: the skills, for hosts that know none; and what a host can offer while its user types.

Whatever goes wrong in that, nothing is offered: who types an argument has not asked anything yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, cast

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp.types import (
    INVALID_PARAMS,
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from sparring.errors import SparringError
from sparring.server import desk
from sparring.server.resources import REPORT

if TYPE_CHECKING:
    from sparring.prompts.skills import Skill


class Offer(Enum):
    """What is offered for an argument whose values are not known beforehand.

    ``OTHER_TOOLS`` are several as well, without the host, which cannot consult itself.
    """

    NOTHING = auto()
    TOOL = auto()
    TOOLS = auto()
    OTHER_TOOLS = auto()


@dataclass(frozen=True)
class Argument:
    """One argument. ``values`` are those that it can have, or what is offered for it."""

    name: str
    description: str
    values: tuple[str, ...] | Offer = Offer.NOTHING


@dataclass(frozen=True)
class SkillPrompt:
    """One prompt. ``subject`` is what it is about: the words before the flags, and the argument that is required."""

    name: str
    title: str
    description: str
    subject: Argument
    options: tuple[Argument, ...]

    def argument(self, name: str) -> Argument | None:
        """The argument of that name."""
        return next((argument for argument in (self.subject, *self.options) if argument.name == name), None)


def _numbers(first: int, last: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(first, last + 1))


def _tool(name: str, description: str) -> Argument:
    return Argument(name, description, Offer.TOOL)


def _tools(name: str, description: str) -> Argument:
    return Argument(name, description, Offer.TOOLS)


_EFFORT = Argument("effort", "low, medium, high or max", ("low", "medium", "high", "max"))
_CONTEXT = Argument("context", '"diff", or "file=PATH" for a file of the project', ("diff", "file="))
_LANGUAGE = Argument("language", "Of the reasons: en, vi, ...", ("en", "vi"))

# What the prompts are called and can be given stands here, so that listing them reads no file. That this is what the
# skills say, and what the tools take, is tested.
PROMPTS = (
    SkillPrompt(
        "debate",
        "Debate",
        "Two AI tools argue a question, a judge picks a side",
        Argument("topic", "The question to argue about"),
        (
            _tool("proposer", "Tool that argues for"),
            _tool("challenger", "Tool that argues against"),
            _tool("judge", "Tool that decides; host: you"),
            _tools("judges", "A panel instead: TOOL,TOOL"),
            Argument("rounds", "1 to 5", _numbers(1, 5)),
            _EFFORT,
            _CONTEXT,
        ),
    ),
    SkillPrompt(
        "consult",
        "Second opinion",
        "Ask another AI tool, or several side by side",
        Argument("question", "What to ask"),
        (
            Argument("tool", "Whom to ask: TOOL,TOOL", Offer.OTHER_TOOLS),
            Argument("model", "For a single tool"),
            Argument("count", "How often each is asked: 1 to 5", _numbers(1, 5)),
            _EFFORT,
            _CONTEXT,
        ),
    ),
    SkillPrompt(
        "fact-check",
        "Fact-check",
        "Check a claim against evidence",
        Argument("claim", "The statement to check"),
        (
            Argument("evidence", "A text to hold it against"),
            Argument("evidence_file", "A file to hold it against"),
            _tools("agents", "Who checks: TOOL,TOOL"),
            Argument("max_rounds", "1 to 5", _numbers(1, 5)),
            Argument("escalation", "When they debate: auto, always or never", ("auto", "always", "never")),
            _LANGUAGE,
            _EFFORT,
        ),
    ),
    SkillPrompt(
        "jury",
        "Jury",
        "Does a claim say the same as the text it is drawn from?",
        Argument("claim", "The headline, summary or paraphrase"),
        (
            Argument("truth", "The text it is drawn from"),
            Argument("truth_file", "A file with that text"),
            _tool("advocate", "Tool that argues for faithful"),
            _tool("skeptic", "Tool that argues against"),
            _tool("fact_checker", "Tool that compares"),
            _tool("judge", "Tool that decides"),
            Argument("rebuttals", "0 to 2", _numbers(0, 2)),
            _LANGUAGE,
            _EFFORT,
        ),
    ),
    SkillPrompt(
        "chaired-debate",
        "Chaired debate",
        "A question of fact, argued with web sources that code checks",
        Argument("topic", "A statement to argue for and against"),
        (
            _tool("promoter", "Tool that argues for"),
            _tool("detractor", "Tool that argues against"),
            _tool("chair", "Tool that rules and decides"),
            Argument("max_rounds", "1 to 10", _numbers(1, 10)),
            Argument("time_budget", "Minutes"),
            Argument("output_dir", "Folder of the project for the record"),
            _EFFORT,
            _CONTEXT,
        ),
    ),
)


ARGUMENTS = "$ARGUMENTS"
"""Where the words of the user go in a skill."""

_SHOWN = 200
"""Characters of a name that is not known."""


def all_prompts() -> list[Prompt]:
    """Every prompt, in the order in which hosts list them."""
    return [_offered(prompt) for prompt in PROMPTS]


def filled(skill: "Skill", prompt: SkillPrompt, arguments: Mapping[str, str]) -> str:
    """What ``skill`` says, with ``arguments`` as its user would have typed them, each on a line of its own.

    A text of several lines is quoted whole, set off so that none of its lines passes for an argument.
    """
    from sparring.prompts import fence  # noqa: PLC0415 -- not before a prompt is asked for

    def typed(flag: str, name: str) -> str:
        value = arguments.get(name, "").strip()
        before = f"{flag}\n" if flag else ""
        return f"{before}{fence(value)}" if "\n" in value else f"{flag} {value}".lstrip()

    options = [option.name for option in prompt.options if arguments.get(option.name, "").strip()]
    words = [typed("", prompt.subject.name), *(typed(f"--{name.replace('_', '-')}", name) for name in options)]
    return skill.body.replace(ARGUMENTS, "\n".join(words))


async def admit(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """A middleware that refuses a prompt or arguments that there are not, in a sentence, where the SDK would crash."""
    if ctx.method == "prompts/get" and (problem := _problem(ctx.params or {})):
        raise MCPError(INVALID_PARAMS, problem)
    return await call_next(ctx)


def _problem(params: Mapping[str, Any]) -> str:
    """What is wrong with a request for a prompt; empty if nothing is, or if the SDK will not even read it."""
    from sparring.text.tidying import one_line  # noqa: PLC0415 -- not before a prompt is asked for

    name, arguments = params.get("name"), cast("object", params.get("arguments"))
    if not isinstance(name, str) or not isinstance(arguments, Mapping | None):
        return ""
    given = cast("Mapping[str, object]", arguments or {})
    prompt = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if prompt is None:
        names = ", ".join(each.name for each in PROMPTS)
        return f"There is no prompt {one_line(repr(name), _SHOWN)}; there are {names}."
    if prompt.subject.name not in given:
        return f"{name} needs the argument {prompt.subject.name}."
    if unknown := ", ".join(sorted(other for other in given if prompt.argument(other) is None)):
        known = ", ".join(argument.name for argument in (prompt.subject, *prompt.options))
        return f"{name} knows these arguments: {known}; not {one_line(unknown, _SHOWN)}."
    return ""


def _offered(prompt: SkillPrompt) -> Prompt:
    def written(**arguments: str) -> str:
        from sparring.prompts.skills import skill  # noqa: PLC0415 -- not before a prompt is asked for

        return filled(skill(prompt.name), prompt, arguments)

    return Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[_listed(prompt.subject, is_required=True), *map(_listed, prompt.options)],
        fn=written,
        context_kwarg=None,
    )


def _listed(argument: Argument, *, is_required: bool = False) -> PromptArgument:
    return PromptArgument(name=argument.name, description=argument.description, required=is_required)


_MOST = 100
"""Values of a completion (MCP, Completion)."""


async def completed(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,  # noqa: ARG001 -- the SDK hands it over; no value here depends on another
) -> Completion:
    """The values of ``argument`` that begin as it does, in the order in which they should be offered."""
    try:
        found = await _values(ref, argument)
    except SparringError:
        found = []
    return Completion(values=found[:_MOST], total=len(found), has_more=len(found) > _MOST)


async def _values(ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument) -> list[str]:
    match ref:
        case PromptReference(name=name):
            return await _of_prompt(name, argument)
        case ResourceTemplateReference(uri=uri) if uri.startswith(REPORT) and argument.name == "run_id":
            return _beginning(argument.value, await desk.answers().run_ids())
        case _:
            return []


async def _of_prompt(prompt: str, argument: CompletionArgument) -> list[str]:
    asked = next((offered.argument(argument.name) for offered in PROMPTS if offered.name == prompt), None)
    match asked.values if asked else Offer.NOTHING:
        case Offer.TOOL:
            return _beginning(argument.value, await desk.answers().tools())
        case Offer.TOOLS:
            return _last_of_several(argument.value, await desk.answers().tools())
        case Offer.OTHER_TOOLS:
            return _last_of_several(argument.value, await _other_tools())
        case Offer.NOTHING:
            return []
        case values:
            return _beginning(argument.value, values)


async def _other_tools() -> list[str]:
    from sparring.schema.participants import HOST_TOOL  # noqa: PLC0415 -- not before a call needs it (see desk)

    return [tool for tool in await desk.answers().tools() if tool != HOST_TOOL]


def _last_of_several(typed: str, tools: Iterable[str]) -> list[str]:
    """The whole list, with its last entry completed: what is offered takes the place of all that was typed."""
    *before, last = typed.split(",")
    return [",".join((*before, tool)) for tool in _beginning(last.strip(), tools)]


def _beginning(typed: str, values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(typed)]
