"""Which model a server on one's own machine has: the first that it lists."""

import json
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from sparring.consult.api.heard import Fault
from sparring.consult.api.hearing import fault_of
from sparring.consult.failures import code_of_status
from sparring.consult.http import Call, HttpClient
from sparring.errors import ConsultError
from sparring.schema.base import ModelName
from sparring.schema.consultation import FailureCode
from sparring.schema.providers import ApiProvider
from sparring.schema.providers.api import matches

_MODEL_NAME: TypeAdapter[str] = TypeAdapter(ModelName)


class _Model(BaseModel):
    id: str


class _Models(BaseModel):
    data: tuple[_Model, ...] | None = None


async def first_model(client: HttpClient, call: Call, spec: ApiProvider) -> str | Fault:
    """The first model in the list that ``call`` asks for which answers questions."""
    try:
        async with client.send(call) as response:
            if response.status != 200:
                code = code_of_status(response.status) or FailureCode.EXIT
                return Fault(code, f"its list of models cannot be had: status {response.status}")
            content = await response.rest()
    except ConsultError as error:
        return fault_of(error, again=True)
    try:
        listed = _Models.model_validate(_parsed(content)).data or ()
    except (ValueError, RecursionError):
        return Fault(FailureCode.PARSE, "its list of models cannot be understood")
    found = (model.id for model in listed if not matches(model.id, spec.skipped_models) and _is_name(model.id))
    return next(found, None) or Fault(FailureCode.NOT_FOUND, "it lists no model that answers questions; load one first")


def _parsed(content: bytes) -> Any:
    return json.loads(content)


def _is_name(model: str) -> bool:
    try:
        return bool(_MODEL_NAME.validate_python(model))
    except ValidationError:
        return False
