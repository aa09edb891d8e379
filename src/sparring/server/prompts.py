"""The MCP prompts: each is the skill of its name, with the arguments filled in, for hosts that know no skills."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from mcp.types import INVALID_PARAMS

from sparring.server.prompt_table import PROMPTS, Argument, SkillPrompt

if TYPE_CHECKING:
    from sparring.prompts.skills import Skill

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
