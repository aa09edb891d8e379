"""Functions as tools: definitions that cost few tokens, and bad arguments refused in plain sentences.

The SDK derives both from the signature, with a title for each field, and words refusals as its validator does, over
several lines with a link. An argument that does not exist it ignores; a misspelt ``rounds`` would pass unnoticed.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import ValidationError

from sparring.server.results import call_result, refused

_OF_THE_CLASS = frozenset({"title", "description", "additionalProperties"})
"""What a schema says of the record that it was derived from, and no caller needs."""

_RESULT_KEYWORDS = frozenset({"type"})
"""What is told of a field of a result. The schema is repeated for every tool, and every field is always there."""


class _PlainTool(Tool):
    async def run(
        self,
        arguments: dict[str, Any],
        context: Context[Any, Any],
        convert_result: bool = False,  # noqa: FBT001, FBT002 -- the SDK's signature
    ) -> Any:
        if problem := self._problem(arguments):
            return call_result(refused(problem))
        return await super().run(arguments, context, convert_result)

    def _problem(self, arguments: dict[str, Any]) -> str:
        known: dict[str, Any] = self.parameters["properties"]
        if unknown := sorted(arguments.keys() - known.keys()):
            return f"{self.name} knows these arguments: {', '.join(known)}; not {', '.join(unknown)}."
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            return " ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}." for fault in faults)
        return ""


def defined(call: Callable[..., Awaitable[CallToolResult]], title: str, annotations: ToolAnnotations) -> Tool:
    """``call`` as the tool of that name. Its docstring is what a model reads about it."""
    description = " ".join((inspect.getdoc(call) or "").split())
    tool = _PlainTool.from_function(call, title=title, description=description, annotations=annotations)
    tool.parameters = _optional(_without(tool.parameters, "title")) | {"additionalProperties": False}
    tool.fn_metadata.output_schema = _result(tool.fn_metadata.output_schema or {})
    return tool


def _optional(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` without defaults that are empty: that a field may be left out is plain from its not being required."""
    fields: dict[str, dict[str, Any]] = schema["properties"]
    slim = {name: {key: value for key, value in of.items() if key != "default" or value} for name, of in fields.items()}
    return schema | {"properties": slim}


def _result(schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a result and their types, which is what clients check: words about a result are in the result."""
    properties: dict[str, dict[str, Any]] = schema["properties"]
    fields = {name: {key: of[key] for key in of if key in _RESULT_KEYWORDS} for name, of in properties.items()}
    return {"type": "object", "properties": fields}


def _without(schema: dict[str, Any], *keywords: str) -> dict[str, Any]:
    properties: dict[str, dict[str, Any]] = schema["properties"]
    slim = {name: {key: of[key] for key in of if key not in keywords} for name, of in properties.items()}
    kept = {key: value for key, value in schema.items() if key not in _OF_THE_CLASS}
    return kept | {"properties": slim}
