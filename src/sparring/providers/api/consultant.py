"""A consultant that is a model API: one request for one question."""

import time
from collections.abc import Mapping

import anyio
from anyio.to_thread import run_sync
from msgspec import Struct
from msgspec.structs import replace

from sparring.errors import ConsultError, SettingsError
from sparring.providers.api import calls, endpoints, hints, http, protocol, reading, schemas
from sparring.providers.api.connections import Connections
from sparring.providers.api.schemas import SchemaRefusals
from sparring.providers.api.servers import KnownServers, endpoint_at
from sparring.providers.api.windows import Window, may_block, window_for
from sparring.providers.available import unsupported
from sparring.providers.receiving.causes import AskedQuestion, elapsed_ms, failed
from sparring.schema.apis import ApiProvider
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Ending, Failure, FailureCode, Question, Reply
from sparring.schema.forms import RequestedForm
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

_ENDINGS = {
    protocol.Stop.CUT: Ending.CUT_OFF,
    protocol.Stop.TOOL: Ending.CUT_OFF,
    protocol.Stop.WITHHELD: Ending.WITHHELD,
}


class ApiExchange(Struct, frozen=True):
    """One question to one model.

    Attributes:
        fields: Names of the fields of the request.
        has_schema: Whether it includes the schema of an answer.
        warnings: Warnings for the user from before the request.
    """

    spec: ApiProvider
    asked: AskedQuestion
    endpoint: endpoints.Endpoint
    model: str
    fields: tuple[str, ...] = ()
    has_schema: bool = False
    warnings: tuple[str, ...] = ()


def reply(exchange: ApiExchange, answer: protocol.PartialAnswer) -> Reply:
    """The reply that ``answer`` is; its duration is for the caller to fill in."""
    fault = answer.fault or _incompleteness(answer)
    if fault is not None:
        return fault_reply(exchange, fault)
    effort = exchange.asked.question.effort
    return Answer(
        tool=exchange.spec.name,
        model=one_line(answer.model or "", DETAIL_LIMIT) or exchange.model,
        # A level that adds nothing is the model's own.
        effort=effort if calls.effort_body(exchange.spec, effort, exchange.model) else None,
        response=answer.text,
        ending=_ENDINGS.get(answer.stop, Ending.COMPLETE),
        duration_ms=0,
        usage=calls.APIS[exchange.spec.api].usage(answer.usage),
        warnings=(*exchange.warnings, *_warnings(exchange.spec.name, answer)),
    )


def fault_reply(exchange: ApiExchange, fault: protocol.ApiFault) -> Failure:
    """Return the failure for ``fault``, with advice for the user."""
    spec, endpoint = exchange.spec, exchange.endpoint
    detail = fault.message if fault.is_reported else f"{spec.name}: {fault.message}"
    if fault.code is FailureCode.AUTH:
        if endpoint.key is not None:
            detail = f"{spec.name} refused the key in {endpoint.key.variable}: {fault.message}"
        elif spec.key_variables:
            detail = f"{spec.name} asks for a key, to be set in {spec.key_variables[0]}: {fault.message}"
    if fault.wait_s is not None:
        detail = f"{spec.name} asks to wait {fault.wait_s:g} s: {fault.message}"
    hint = hints.hint_for(fault, spec, endpoint, exchange.fields)
    failure = failed(exchange.asked, fault.code, detail, hint=hint)
    # A remote server that is not online is not started by us.
    is_starting = fault.is_starting and (endpoint.is_local or fault.status is not None)
    changes = {"retryable": fault.is_retryable, "retry_after_s": fault.wait_s, "is_starting": is_starting}
    return failure.model_copy(update=changes)


def _incompleteness(answer: protocol.PartialAnswer) -> protocol.ApiFault | None:
    """Return why a response that ended is no answer: nothing is in it, or something went wrong on the way."""
    reason = one_line(answer.reason, 40)
    if answer.stop is protocol.Stop.BROKEN:
        message = f"its answer was interrupted ({reason})"
        return protocol.ApiFault(FailureCode.CONNECTION, message, is_retryable=not answer.text)
    if answer.text.strip():
        return None
    code, message = FailureCode.EMPTY, "the answer is empty"
    if answer.refusal.strip():
        code, message = FailureCode.REFUSED, f"the model refused to answer: {answer.refusal}"
    elif answer.stop is protocol.Stop.WITHHELD:
        code, message = FailureCode.REFUSED, f"the answer was withheld ({reason})"
    elif answer.stop is protocol.Stop.CUT:
        code, message = FailureCode.CUT_OFF, f"the limit of tokens was reached before an answer began ({reason})"
    elif answer.tools or answer.stop is protocol.Stop.TOOL:
        message = f"the model called {_tools(answer)} instead of answering"
    elif any(thought.strip() for thought in answer.thoughts):
        message = "the model wrote down a thought and gave no answer"
    return protocol.ApiFault(code, message)


def _tools(answer: protocol.PartialAnswer) -> str:
    named = [name for name in answer.tools if name]
    return f"a tool ({one_line(', '.join(named), 60)})" if named else "a tool"


def _warnings(tool: str, answer: protocol.PartialAnswer) -> tuple[str, ...]:
    reason = one_line(answer.reason, 40)
    recovered = tuple(
        f"{tool} reported an error and continued: {one_line(message, DETAIL_LIMIT)}" for message in answer.recovered
    )
    match answer.stop:
        case protocol.Stop.CUT:
            return (*recovered, f"{tool} reached a limit of tokens ({reason}): its answer is cut off.")
        case protocol.Stop.WITHHELD:
            ended = f"{tool} was stopped by a filter, or refused to go on ({reason}): its answer is cut off."
            return (*recovered, ended)
        case protocol.Stop.TOOL:
            return (*recovered, f"{tool} called {_tools(answer)} instead of going on: its answer is cut off.")
        case _:
            return recovered


class ApiConsultant:
    """Asks the API of ``spec``, with the key and address that ``environment`` gives."""

    def __init__(
        self,
        spec: ApiProvider,
        environment: Mapping[str, str],
        *,
        connections: Connections,
        redactor: Redactor,
        servers: KnownServers | None = None,
        refusals: SchemaRefusals | None = None,
    ) -> None:
        self._spec = spec
        self._environment = environment
        self._connections = connections
        self._redactor = redactor
        self._servers = servers or KnownServers()
        self._refusals = refusals or SchemaRefusals()
        self._api = calls.APIS[spec.api]

    async def ask(self, question: Question) -> Reply:
        """Return the model's answer, or the failure."""
        began = time.monotonic()
        asked = AskedQuestion(self._spec.name, question, self._redactor)
        answered: Reply | None = None
        with anyio.move_on_after(question.timeout_s):
            answered = await self._asked(asked)
        if answered is None:
            detail = f"{self._spec.name} gave no answer within {question.timeout_s:g} s."
            answered = failed(asked, FailureCode.TIMEOUT, detail)
        return answered.model_copy(update={"duration_ms": elapsed_ms(began)})

    async def _asked(self, asked: AskedQuestion) -> Reply:
        try:
            endpoint = await self._endpoint()
            if reason := endpoints.missing_key(self._spec, endpoint):
                return failed(asked, FailureCode.AUTH, reason)
            if reason := unsupported(self._spec, asked.question.terms, self._environment):
                return failed(asked, FailureCode.UNSUPPORTED, reason)
            async with self._connections.acquired() as connections:
                return await self._send(connections.client, endpoint, asked)
        except SettingsError as error:
            return failed(asked, FailureCode.UNSUPPORTED, str(error))

    async def _endpoint(self) -> endpoints.Endpoint:
        if not self._spec.other_base_urls:
            return endpoints.endpoint_of(self._spec, self._environment)
        return await run_sync(endpoint_at, self._spec, self._environment, self._servers)

    async def _send(self, client: http.HttpClient, endpoint: endpoints.Endpoint, asked: AskedQuestion) -> Reply:
        exchange = await self._exchange(client, endpoint, asked)
        if isinstance(exchange, Failure):
            return exchange
        model, prompt = exchange.model, asked.question.prompt
        # Another thread is used only to query a server: it costs more than the computation of the window.
        known = (self._spec, endpoint, self._servers, model, prompt)
        window = await run_sync(window_for, *known) if may_block(*known) else window_for(*known)
        if misfit := window.reason_too_long(prompt, model):
            return fault_reply(exchange, misfit)
        exchange, answer = await self._answered(client, exchange, window)
        if answer.fault is None:
            answer.fault = window.truncation(prompt, self._api.usage(answer.usage).input_tokens)
        return reply(exchange, answer)

    async def _answered(
        self, client: http.HttpClient, exchange: ApiExchange, window: Window
    ) -> tuple[ApiExchange, protocol.PartialAnswer]:
        """Return the answer; where a schema is not taken, that of the same question without one."""
        form = exchange.asked.question.form
        if form is None or not self._refusals.may_send(self._spec, exchange.model, form):
            return await self._sent(client, exchange, window, None)
        sent, answer = await self._sent(client, exchange, window, form)
        if not sent.has_schema:
            return sent, answer
        schemas.answer_in_thoughts(answer)
        if answer.fault is not None and schemas.is_refused(answer.fault, self._spec):
            reason = answer.fault.message
        elif answer.fault is None and not answer.has_content and answer.stop is protocol.Stop.DONE:
            reason = "the answer was empty"  # of mlx-lm, which reports no reason
        else:
            return sent, answer
        warning = self._refusals.note(self._spec, form, reason)
        return await self._sent(client, replace(exchange, warnings=(*exchange.warnings, warning)), window, None)

    async def _sent(
        self, client: http.HttpClient, exchange: ApiExchange, window: Window, form: RequestedForm | None
    ) -> tuple[ApiExchange, protocol.PartialAnswer]:
        spec, question, model = self._spec, exchange.asked.question, exchange.model
        body = calls.request_body(spec, question, model, window=window.requested, form=form)
        call = calls.question_call(spec, exchange.endpoint, body, model)
        has_schema = form is not None and schemas.holds(body, spec)
        return replace(exchange, fields=tuple(body), has_schema=has_schema), await _answer(client, call, self._api)

    async def _exchange(
        self, client: http.HttpClient, endpoint: endpoints.Endpoint, asked: AskedQuestion
    ) -> ApiExchange | Failure:
        """The question with the model that it goes to, which may have to be looked for."""
        spec = self._spec
        if model := asked.question.model or endpoints.named_model(spec, self._environment):
            return ApiExchange(spec, asked, endpoint, model)
        chosen = await calls.first_model(client, calls.models_call(spec, endpoint), spec)
        if isinstance(chosen, protocol.ApiFault):
            return fault_reply(ApiExchange(spec, asked, endpoint, ""), chosen)
        if reason := unsupported(spec, asked.question.terms.model_copy(update={"model": chosen}), self._environment):
            return failed(asked, FailureCode.UNSUPPORTED, reason)
        warning = f"No model was named: {spec.name} answers with {chosen}, the first that it lists."
        return ApiExchange(spec, asked, endpoint, chosen, warnings=(warning,))


async def _answer(client: http.HttpClient, call: http.HttpCall, api: protocol.Api) -> protocol.PartialAnswer:
    try:
        async with client.send(call) as response:
            answer = await reading.read_answer(response, api)
    except ConsultError as error:
        return protocol.PartialAnswer(fault=reading.fault_of(error, is_retryable=True))
    if answer.fault is not None and answer.text:
        # What the model has begun to answer is paid for, and is not asked again.
        answer.fault = replace(answer.fault, is_retryable=False)
    return answer
