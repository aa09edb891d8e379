"""Schemas of answers: the form of each dialect, and the refusals by which a server shows that it takes none.

A schema is a help and no promise: servers ignore it, or write white space until the tokens run out. Every answer
is read as if none had been sent.
"""

import json
import re

from msgspec import Struct, field

from sparring.providers.api import protocol
from sparring.providers.receiving.causes import first_words
from sparring.schema.apis import ApiKind, ApiProvider, Structured
from sparring.schema.consultation import FailureCode
from sparring.schema.forms import Dialect, RequestedForm

_DIALECTS = {
    ApiKind.ANTHROPIC_MESSAGES: Dialect.ANTHROPIC,
    ApiKind.CHAT_COMPLETIONS: Dialect.COMMON,
    ApiKind.GEMINI: Dialect.GEMINI,
    ApiKind.OLLAMA: Dialect.LLAMA_CPP,
    ApiKind.OPENAI_RESPONSES: Dialect.COMMON,
}

_FIELDS = {
    ApiKind.ANTHROPIC_MESSAGES: "output_config",
    ApiKind.CHAT_COMPLETIONS: "response_format",
    ApiKind.GEMINI: "generationConfig",
    ApiKind.OLLAMA: "format",
    ApiKind.OPENAI_RESPONSES: "text",
}
"""The field of a request that holds the schema."""


def fields_for(spec: ApiProvider, form: RequestedForm) -> protocol.Json:
    """The part of a request that asks for an answer of that form; ``merged`` into the rest."""
    schema = form.for_dialect(spec.schema_dialect or _DIALECTS[spec.api])
    named = {"name": form.name, "schema": schema, "strict": True}
    match spec.api:
        case ApiKind.ANTHROPIC_MESSAGES:
            return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
        case ApiKind.CHAT_COMPLETIONS:
            return {"response_format": {"type": "json_schema", "json_schema": named}, **spec.schema_body}
        case ApiKind.GEMINI:
            return {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}}
        case ApiKind.OLLAMA:
            return {"format": schema}
        case ApiKind.OPENAI_RESPONSES:
            return {"text": {"format": {"type": "json_schema", **named}}, **spec.schema_body}


_STATUSES = frozenset({400, 404, 422, 501})
_REFUSED_FIELDS = frozenset({"response_format", "text", "output_config", "generationConfig", "generation_config"})
_ABOUT_SCHEMAS = re.compile(
    r"response_format|json_schema|output_config\.format|output_format|responseSchema|responseJsonSchema"
    r"|response_json_schema|response_schema|response schema|generationConfig|generation_config|invalid schema"
    r"|structured output|schema is too complex|compiled grammar is too large|too many states"
    r"|failed to parse grammar|grammar|'type' must be a string|unsupported field|guided"
    r"|invalid format: .{0,200}JSON Schema|handle the requested parameters",
    re.IGNORECASE,
)
_BARE_GOOGLE = re.compile(r"Request contains an invalid argument\.?")
"""The only message of Gemini 3 about a schema that is too complex."""


def is_refused(fault: protocol.ApiFault, spec: ApiProvider) -> bool:
    """Return whether a request was refused because of the schema that it carried: the same may be asked without."""
    if fault.code in {FailureCode.CONTEXT_TOO_LONG, FailureCode.AUTH, FailureCode.QUOTA, FailureCode.RATE_LIMIT}:
        return False
    if fault.status is not None and fault.status not in _STATUSES:
        return False
    if "invalid_json_schema" in fault.words or _REFUSED_FIELDS & set(fault.fields):
        return True
    if spec.api is ApiKind.GEMINI and _BARE_GOOGLE.fullmatch(fault.message):
        return True
    return fault.is_reported and _ABOUT_SCHEMAS.search(fault.message) is not None


def holds(body: protocol.Json, spec: ApiProvider) -> bool:
    """Return whether a request still has its schema: ``omit`` of the provider file may have taken it out."""
    return _FIELDS[spec.api] in body


def answer_in_thoughts(answer: protocol.PartialAnswer) -> None:
    """Use the thought of an answer without text as the answer, if it is one JSON object and nothing else.

    Some models of LM Studio write all of a structured answer as reasoning.
    """
    thought = "".join(answer.thoughts).strip()
    if answer.text.strip() or answer.tools or not thought.startswith("{"):
        return
    try:
        is_object = isinstance(json.loads(thought), dict)
    except (ValueError, RecursionError):
        return
    if is_object:
        answer.texts, answer.thoughts, answer.stop = [thought], [], protocol.Stop.DONE


class SchemaRefusals(Struct):
    """Forms whose schemas providers have refused in this run; they are not sent again."""

    _refused: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def may_send(self, spec: ApiProvider, model: str, form: RequestedForm) -> bool:
        """Return whether the schema of ``form`` is to be sent."""
        is_taken = spec.structured_for(model) is not Structured.NONE
        return is_taken and (spec.name, form.name) not in self._refused

    def note(self, spec: ApiProvider, form: RequestedForm, reason: str) -> str:
        """Record a refusal, and return a notice for the user."""
        self._refused[spec.name, form.name] = reason
        why = f": {first_words(reason, 80)}" if reason else ""
        return f"{spec.name} does not take the schema of an answer ({form.name}){why}. It was asked without one."

    def of(self, tool: str) -> tuple[str, ...]:
        """Return the names of the forms whose schemas that tool has refused."""
        return tuple(form for name, form in self._refused if name == tool)
