"""What a host can offer while its user types: tools that can be asked here, values of a choice, ids of runs.

Whatever goes wrong, nothing is offered: who types an argument has not asked anything yet.
"""

from collections.abc import Iterable

from mcp.types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference

from sparring.errors import SparringError
from sparring.server import asking
from sparring.server.prompt_table import PROMPTS, Offer
from sparring.server.resources import REPORT

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
            return _beginning(argument.value, await asking.answers().run_ids())
        case _:
            return []


async def _of_prompt(prompt: str, argument: CompletionArgument) -> list[str]:
    asked = next((offered.argument(argument.name) for offered in PROMPTS if offered.name == prompt), None)
    match asked.values if asked else Offer.NOTHING:
        case Offer.TOOL:
            return _beginning(argument.value, await asking.answers().tools())
        case Offer.TOOLS:
            return _last_of_several(argument.value, await asking.answers().tools())
        case Offer.OTHER_TOOLS:
            return _last_of_several(argument.value, await _other_tools())
        case Offer.NOTHING:
            return []
        case values:
            return _beginning(argument.value, values)


async def _other_tools() -> list[str]:
    from sparring.schema.participants import HOST_TOOL  # noqa: PLC0415 -- not before a call needs it (see desk)

    return [tool for tool in await asking.answers().tools() if tool != HOST_TOOL]


def _last_of_several(typed: str, tools: Iterable[str]) -> list[str]:
    """The whole list, with its last entry completed: what is offered takes the place of all that was typed."""
    *before, last = typed.split(",")
    return [",".join((*before, tool)) for tool in _beginning(last.strip(), tools)]


def _beginning(typed: str, values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(typed)]
