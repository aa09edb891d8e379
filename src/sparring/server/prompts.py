"""The MCP prompts: the skills, for hosts without skills; and completions while a user types.

After any failure there are no completions: a user who is still typing has asked nothing yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum, auto
from typing import Any, cast

from mcp import MCPError, types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import PromptArgument
from msgspec import Struct
from pydantic.fields import FieldInfo

from sparring.engine.format import Format
from sparring.errors import SparringError
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, bounds_of, choices, plain_type, subject_of
from sparring.prompts.skills import SKILL_NAMES, Skill, format_of
from sparring.server import session
from sparring.server.resources import REPORT
from sparring.text.tidying import one_line


class OfferPrompt(Enum):
    """Values offered for an argument whose values are not known beforehand.

    ``OTHER_TOOLS`` are several as well, without the host, which cannot consult itself.
    """

    NOTHING = auto()
    TOOL = auto()
    TOOLS = auto()
    OTHER_TOOLS = auto()


class Argument(Struct, frozen=True):
    """One argument; ``flag`` is its flag, ``values`` are its possible values, or those that are offered."""

    name: str
    flag: str
    description: str
    values: tuple[str, ...] | OfferPrompt


class SkillPrompt(Struct, frozen=True):
    """One prompt.

    Attributes:
        subject: Its subject: the words before the flags.
        has_subject: Whether the subject is required.
    """

    name: str
    title: str
    description: str
    subject: Argument
    options: tuple[Argument, ...]
    has_subject: bool = True

    def argument(self, name: str) -> Argument | None:
        """The argument of that name."""
        return next((argument for argument in (self.subject, *self.options) if argument.name == name), None)


def _prompt(name: str) -> SkillPrompt:
    """The prompt of the skill of that name: its format's options, as far as a hint of its arguments shows them."""
    format_ = FORMATS[format_of(name)]
    fields: dict[str, FieldInfo] = format_.options.model_fields
    hinted = [item for item in fields.items() if Option.of(item[1]).is_hinted and plain_type(item[1]) is not bool]
    subject = subject_of(format_.options)
    return SkillPrompt(
        name,
        format_.title,
        FORMATS.summary(format_.name),
        _argument(subject, fields[subject], format_),
        tuple(_argument(called, field, format_) for called, field in hinted),
        has_subject=plain_type(fields[subject]) is str,
    )


def _argument(name: str, field: FieldInfo, format_: Format) -> Argument:
    option = Option.of(field)
    flag = "" if option.is_subject else option.typed(name)[0]
    called = flag.removeprefix("--").replace("-", "_") or name
    return Argument(called, flag, option.help, _values_of(field, option, format_))


def _values_of(field: FieldInfo, option: Option, format_: Format) -> tuple[str, ...] | OfferPrompt:
    if bounds := bounds_of(field):
        return tuple(str(number) for number in range(bounds[0], bounds[1] + 1))
    match option.value:
        case "TOOL":
            return OfferPrompt.TOOL
        case "TOOL,TOOL":
            return OfferPrompt.OTHER_TOOLS if format_.asks_at_once else OfferPrompt.TOOLS
        case _:
            words = option.examples or tuple(word for word in choices(field) if word)
            return words or OfferPrompt.NOTHING


PROMPTS = {name: _prompt(name) for name in SKILL_NAMES}


ARGUMENTS = "$ARGUMENTS"
"""Placeholder of the user's words in a skill."""

_SHOWN = 200
"""Characters of a name that is not known."""


def all_prompts() -> list[Prompt]:
    """Every prompt, in the order in which hosts list them."""
    return [_offered(prompt) for prompt in PROMPTS.values()]


def filled(skill: Skill, prompt: SkillPrompt, arguments: Mapping[str, str]) -> str:
    """Return the text of ``skill`` with ``arguments`` as its user would type them, each on its own line.

    A text of several lines is quoted whole, set off so that none of its lines passes for an argument.
    """
    from sparring.prompts import fence  # noqa: PLC0415 -- not before a prompt is requested

    def typed(argument: Argument) -> str:
        value = arguments.get(argument.name, "").strip()
        before = f"{argument.flag}\n" if argument.flag else ""
        return f"{before}{fence(value)}" if "\n" in value else f"{argument.flag} {value}".lstrip()

    options = [option for option in prompt.options if arguments.get(option.name, "").strip()]
    words = [typed(argument) for argument in (prompt.subject, *options)]
    return skill.body.replace(ARGUMENTS, "\n".join(words))


async def admit(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """A middleware that refuses a prompt or arguments that there are not, in a sentence, where the SDK would crash."""
    params = ctx.params or {}
    name, arguments = params.get("name"), cast("object", params.get("arguments"))
    if ctx.method != "prompts/get" or not isinstance(name, str) or not isinstance(arguments, Mapping | None):
        return await call_next(ctx)  # it is none, or one that the SDK will refuse
    given = cast("Mapping[str, object]", arguments or {})
    return await call_next(replace(ctx, params={**params, "arguments": _admitted(name, given)}))


def _admitted(name: str, given: Mapping[str, object]) -> Mapping[str, object]:
    """Return the arguments of a request for a prompt, with an empty subject where it is missing and optional."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        shown = one_line(repr(name), _SHOWN)
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt {shown}; there are {', '.join(PROMPTS)}.")
    if prompt.has_subject and prompt.subject.name not in given:
        raise MCPError(types.INVALID_PARAMS, f"{name} needs the argument {prompt.subject.name}.")
    if unknown := ", ".join(sorted(other for other in given if prompt.argument(other) is None)):
        known = ", ".join(argument.name for argument in (prompt.subject, *prompt.options))
        problem = f"{name} knows these arguments: {known}; not {one_line(unknown, _SHOWN)}."
        raise MCPError(types.INVALID_PARAMS, problem)
    return {prompt.subject.name: "", **given}


def _offered(prompt: SkillPrompt) -> Prompt:
    def written(**arguments: str) -> str:
        from sparring.prompts.skills import skill  # noqa: PLC0415 -- not before a prompt is requested

        return filled(skill(prompt.name), prompt, arguments)

    return Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        # Gemini CLI passes on typed text only where an argument is required, and with nothing typed an empty one.
        arguments=[_listed(prompt.subject, is_required=True), *map(_listed, prompt.options)],
        fn=written,
        context_kwarg=None,
    )


def _listed(argument: Argument, *, is_required: bool = False) -> PromptArgument:
    return PromptArgument(name=argument.name, description=argument.description, required=is_required)


_MOST = 100
"""Values of a completion (MCP, Completion)."""


async def completed(
    ref: types.PromptReference | types.ResourceTemplateReference,
    argument: types.CompletionArgument,
    context: types.CompletionContext | None,  # noqa: ARG001 -- the SDK hands it over; no value here depends on another
) -> types.Completion:
    """The values of ``argument`` that begin as it does, in the order in which they should be offered."""
    try:
        values = await _values(ref, argument)
    except SparringError:
        values = []
    return types.Completion(values=values[:_MOST], total=len(values), has_more=len(values) > _MOST)


async def _values(
    ref: types.PromptReference | types.ResourceTemplateReference, argument: types.CompletionArgument
) -> list[str]:
    match ref:
        case types.PromptReference(name=name):
            return await _of_prompt(name, argument)
        case types.ResourceTemplateReference(uri=uri) if uri.startswith(REPORT) and argument.name == "run_id":
            return _beginning(argument.value, await session.answers().run_ids())
        case _:
            return []


async def _of_prompt(prompt: str, argument: types.CompletionArgument) -> list[str]:
    asked = PROMPTS[prompt].argument(argument.name) if prompt in PROMPTS else None
    match asked.values if asked else OfferPrompt.NOTHING:
        case OfferPrompt.TOOL:
            return _beginning(argument.value, await session.answers().tools())
        case OfferPrompt.TOOLS:
            return _last_of_several(argument.value, await session.answers().tools())
        case OfferPrompt.OTHER_TOOLS:
            return _last_of_several(argument.value, await _other_tools())
        case OfferPrompt.NOTHING:
            return []
        case values:
            return _beginning(argument.value, values)


async def _other_tools() -> list[str]:
    from sparring.schema.base import HOST_TOOL  # noqa: PLC0415 -- not before a call needs it (see session)

    return [tool for tool in await session.answers().tools() if tool != HOST_TOOL]


def _last_of_several(typed: str, tools: Iterable[str]) -> list[str]:
    """Return the whole list, with its last entry completed: a completion replaces all of the typed text."""
    *before, last = typed.split(",")
    return [",".join((*before, tool)) for tool in _beginning(last.strip(), tools)]


def _beginning(typed: str, values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(typed)]
