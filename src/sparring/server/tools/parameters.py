"""Parameters that several tools share."""

from typing import Annotated, Literal

from pydantic import Field

Effort = Literal["low", "medium", "high", "max"]
Model = Annotated[str, Field(description="Empty: the tool's default")]
Access = Annotated[Literal["none", "read"], Field(description="read: it may read this project's files, never write")]
Context = Annotated[
    tuple[str, ...],
    Field(description='Handed over with it: "diff" (uncommitted changes), "file=PATH" (in the project)'),
]
Language = Annotated[str, Field(description="Of the reasons: en, vi, ...")]
Resume = Annotated[str, Field(description="run_id of an interrupted one to go on with")]
RunId = Annotated[str, Field(description="Of an earlier result")]
# Ranges are only told here; the request itself is what refuses, with a sentence of its own.
Rounds = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 5})]
Page = Annotated[int, Field(json_schema_extra={"minimum": 1})]
# Gemini CLI takes five equal calls in a row for a loop and breaks it off (0.61.0): so no two calls of wait are equal.
Again = Annotated[int, Field(description="As the last result said: no two calls are the same")]
