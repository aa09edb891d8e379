"""From what was heard to a reply: an answer with its warnings, or a failure with its cause. Pure."""

from dataclasses import dataclass

from sparring.consult.api.apis import Api
from sparring.consult.api.calls import effort_body
from sparring.consult.api.heard import Fault, Heard, Stop
from sparring.consult.failures import Asked, failed
from sparring.consult.providers.endpoints import Endpoint
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Reply
from sparring.schema.providers import ApiProvider
from sparring.text.tidying import one_line


@dataclass(frozen=True)
class Exchange:
    """One question put to one model.

    Attributes:
        warnings: What there was to say before it was put.
    """

    spec: ApiProvider
    asked: Asked
    endpoint: Endpoint
    model: str
    warnings: tuple[str, ...] = ()


def reply(exchange: Exchange, api: Api, heard: Heard, *, duration_ms: int) -> Reply:
    """The reply that ``heard`` is."""
    fault = heard.fault or _silence(heard)
    if fault is not None:
        return fault_reply(exchange.spec, exchange.asked, exchange.endpoint, fault, duration_ms=duration_ms)
    effort = exchange.asked.question.effort
    return Answer(
        tool=exchange.spec.name,
        model=one_line(heard.model or "", DETAIL_LIMIT) or exchange.model,
        # A level that adds nothing is the model's own.
        effort=effort if effort_body(exchange.spec, effort, exchange.model) else None,
        response=heard.text,
        duration_ms=duration_ms,
        usage=api.usage(heard.usage),
        warnings=(*exchange.warnings, *_warnings(exchange.spec.name, heard)),
    )


def fault_reply(spec: ApiProvider, asked: Asked, endpoint: Endpoint, fault: Fault, *, duration_ms: int) -> Failure:
    """The failure that ``fault`` is, with what the user can do about a key that was refused."""
    detail = fault.message if fault.told else f"{spec.name}: {fault.message}"
    if fault.code is FailureCode.AUTH:
        if endpoint.key is not None:
            detail = f"{spec.name} refused the key in {endpoint.key.variable}: {fault.message}"
        elif spec.key_variables:
            detail = f"{spec.name} asks for a key, to be set in {spec.key_variables[0]}: {fault.message}"
    if fault.told_s is not None:
        detail = f"{spec.name} asks to wait {fault.told_s:g} s: {fault.message}"
    return failed(asked, fault.code, detail, duration_ms=duration_ms)


def _silence(heard: Heard) -> Fault | None:
    """Why there is nothing in an answer that came to its end."""
    if heard.text.strip():
        return None
    if heard.refusal.strip():
        return Fault(FailureCode.PERMISSION, f"the model refused to answer: {heard.refusal}")
    if heard.stop is Stop.WITHHELD:
        return Fault(FailureCode.PERMISSION, f"the answer was withheld ({heard.reason})")
    if heard.stop is Stop.CUT:
        return Fault(FailureCode.EMPTY, f"the limit of tokens was reached before anything was said ({heard.reason})")
    return Fault(FailureCode.EMPTY, "the answer is empty")


def _warnings(tool: str, heard: Heard) -> tuple[str, ...]:
    reason = one_line(heard.reason, 40)
    if heard.stop is Stop.CUT:
        return (f"{tool} reached a limit of tokens ({reason}): its answer is cut off.",)
    if heard.stop is Stop.WITHHELD:
        return (f"{tool} was stopped by a filter, or refused to go on ({reason}): its answer is cut off.",)
    return ()
