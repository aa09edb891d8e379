"""A consultant that is a model API: one request for one question."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import anyio

from sparring.errors import ConsultError, SettingsError
from sparring.providers.api import calls, endpoints, http, protocol
from sparring.providers.api.connections import Connections
from sparring.providers.available import unsupported
from sparring.providers.receiving.causes import Asked, elapsed_ms, failed
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Question, Reply
from sparring.schema.providers import ApiProvider
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line


@dataclass(frozen=True)
class ApiExchange:
    """One question put to one model.

    Attributes:
        warnings: What there was to say before it was put.
    """

    spec: ApiProvider
    asked: Asked
    endpoint: endpoints.Endpoint
    model: str
    warnings: tuple[str, ...] = ()


def reply(exchange: ApiExchange, heard: protocol.ApiHeard) -> Reply:
    """The reply that ``heard`` is; how long it took is known to whoever has waited for it."""
    fault = heard.fault or _lack(heard)
    if fault is not None:
        return fault_reply(exchange.spec, exchange.asked, exchange.endpoint, fault)
    effort = exchange.asked.question.effort
    return Answer(
        tool=exchange.spec.name,
        model=one_line(heard.model or "", DETAIL_LIMIT) or exchange.model,
        # A level that adds nothing is the model's own.
        effort=effort if calls.effort_body(exchange.spec, effort, exchange.model) else None,
        response=heard.text,
        duration_ms=0,
        usage=calls.APIS[exchange.spec.api].usage(heard.usage),
        warnings=(*exchange.warnings, *_warnings(exchange.spec.name, heard)),
    )


def fault_reply(spec: ApiProvider, asked: Asked, endpoint: endpoints.Endpoint, fault: protocol.ApiFault) -> Failure:
    """The failure that ``fault`` is, with what the user can do about a key that was refused."""
    detail = fault.message if fault.told else f"{spec.name}: {fault.message}"
    if fault.code is FailureCode.AUTH:
        if endpoint.key is not None:
            detail = f"{spec.name} refused the key in {endpoint.key.variable}: {fault.message}"
        elif spec.key_variables:
            detail = f"{spec.name} asks for a key, to be set in {spec.key_variables[0]}: {fault.message}"
    if fault.told_s is not None:
        detail = f"{spec.name} asks to wait {fault.told_s:g} s: {fault.message}"
    failure = failed(asked, fault.code, detail)
    return failure.model_copy(update={"retryable": fault.again, "retry_after_s": fault.told_s})


def _lack(heard: protocol.ApiHeard) -> protocol.ApiFault | None:
    """Why what came to an end is no answer: it has nothing in it, or something went wrong on the way."""
    if heard.stop is protocol.Stop.BROKEN:
        told = f"its answer broke off ({heard.reason})"
        return protocol.ApiFault(FailureCode.CONNECTION, told, again=not heard.text)
    if heard.text.strip():
        return None
    if heard.refusal.strip():
        return protocol.ApiFault(FailureCode.PERMISSION, f"the model refused to answer: {heard.refusal}")
    if heard.stop is protocol.Stop.WITHHELD:
        return protocol.ApiFault(FailureCode.PERMISSION, f"the answer was withheld ({heard.reason})")
    if heard.stop is protocol.Stop.CUT:
        return protocol.ApiFault(
            FailureCode.EMPTY, f"the limit of tokens was reached before anything was said ({heard.reason})"
        )
    return protocol.ApiFault(FailureCode.EMPTY, "the answer is empty")


def _warnings(tool: str, heard: protocol.ApiHeard) -> tuple[str, ...]:
    reason = one_line(heard.reason, 40)
    if heard.stop is protocol.Stop.CUT:
        return (f"{tool} reached a limit of tokens ({reason}): its answer is cut off.",)
    if heard.stop is protocol.Stop.WITHHELD:
        return (f"{tool} was stopped by a filter, or refused to go on ({reason}): its answer is cut off.",)
    return ()


class ApiConsultant:
    """Asks the API of ``spec``, with the key and address that ``environment`` gives."""

    def __init__(
        self,
        spec: ApiProvider,
        environment: Mapping[str, str],
        *,
        connections: Connections,
        redactor: Redactor,
    ) -> None:
        self._spec = spec
        self._environment = environment
        self._connections = connections
        self._redactor = redactor
        self._api = calls.APIS[spec.api]

    async def ask(self, question: Question) -> Reply:
        """The model's answer, or why there is none."""
        began = time.monotonic()
        asked = Asked(self._spec.name, question, self._redactor)
        answered: Reply | None = None
        with anyio.move_on_after(question.timeout_s):
            answered = await self._asked(asked)
        if answered is None:
            detail = f"{self._spec.name} gave no answer within {question.timeout_s:g} s."
            answered = failed(asked, FailureCode.TIMEOUT, detail)
        return answered.model_copy(update={"duration_ms": elapsed_ms(began)})

    async def _asked(self, asked: Asked) -> Reply:
        try:
            endpoint = endpoints.endpoint_of(self._spec, self._environment)
            if reason := endpoints.missing_key(self._spec, endpoint):
                return failed(asked, FailureCode.AUTH, reason)
            if reason := unsupported(self._spec, asked.question, self._environment):
                return failed(asked, FailureCode.UNSUPPORTED, reason)
            async with self._connections.held() as connections:
                return await self._put(connections.client, endpoint, asked)
        except SettingsError as error:
            return failed(asked, FailureCode.UNSUPPORTED, str(error))

    async def _put(self, client: http.HttpClient, endpoint: endpoints.Endpoint, asked: Asked) -> Reply:
        exchange = await self._exchange(client, endpoint, asked)
        if isinstance(exchange, Failure):
            return exchange
        call = calls.question_call(self._spec, endpoint, asked.question, exchange.model)
        heard = await _heard(client, call, self._api)
        return reply(exchange, heard)

    async def _exchange(
        self, client: http.HttpClient, endpoint: endpoints.Endpoint, asked: Asked
    ) -> ApiExchange | Failure:
        """The question with the model that it goes to, which may have to be looked for."""
        spec = self._spec
        if model := asked.question.model or endpoints.named_model(spec, self._environment):
            return ApiExchange(spec, asked, endpoint, model)
        found = await calls.first_model(client, calls.models_call(spec, endpoint), spec)
        if isinstance(found, protocol.ApiFault):
            return fault_reply(spec, asked, endpoint, found)
        if reason := unsupported(spec, asked.question.model_copy(update={"model": found}), self._environment):
            return failed(asked, FailureCode.UNSUPPORTED, reason)
        warning = f"No model was named: {spec.name} answers with {found}, the first that it lists."
        return ApiExchange(spec, asked, endpoint, found, (warning,))


async def _heard(client: http.HttpClient, call: http.HttpCall, api: protocol.Api) -> protocol.ApiHeard:
    try:
        async with client.send(call) as response:
            heard = await calls.hear(response, api)
    except ConsultError as error:
        return protocol.ApiHeard(fault=calls.fault_of(error, again=True))
    if heard.fault is not None and heard.text:
        # What has been said once, and paid for, is not said twice.
        heard.fault = replace(heard.fault, again=False)
    return heard
