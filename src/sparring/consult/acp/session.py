"""Open a session and set what was asked for. Nothing is asked unless all of it is really set."""

from dataclasses import dataclass
from pathlib import Path

from acp.schema import AgentCapabilities

from sparring.consult.acp.agent import Agent
from sparring.consult.acp.ending import AgentFailedError
from sparring.consult.acp.offers import Category, SessionState
from sparring.schema.consultation import FailureCode, Question
from sparring.schema.providers import AcpProvider

_SHOWN = 6
"""Values that a refusal names."""

_WORDS: dict[Category, str] = {"mode": "session mode", "model": "model", "thought_level": "effort level"}


@dataclass(frozen=True)
class OpenSession:
    """A session that is ready to be asked.

    Attributes:
        model: What answers in it, None when the agent does not tell.
        can_be_continued: Whether the agent knows how to.
    """

    id: str
    model: str | None
    can_be_continued: bool


async def open_session(
    agent: Agent, capabilities: AgentCapabilities, *, spec: AcpProvider, question: Question, cwd: Path
) -> OpenSession:
    """Begin a session for ``question``, or continue the one that it names.

    Raises:
        AgentFailedError: The agent cannot do what is asked of it, or refuses.
    """
    state = await _begun(agent, capabilities, spec=spec, question=question, cwd=str(cwd))
    for category, value in _wishes(spec, question):
        state = await _chosen(agent, state, category, value, tool=spec.name)
    model = state.choice("model")
    return OpenSession(state.session_id, model and model.current, _can_continue(capabilities))


async def _begun(
    agent: Agent, capabilities: AgentCapabilities, *, spec: AcpProvider, question: Question, cwd: str
) -> SessionState:
    if question.session_id is not None:
        if not _can_continue(capabilities):
            raise AgentFailedError(FailureCode.UNSUPPORTED, f"{spec.name} cannot continue a session.")
        continued = agent.resume_session if _can_resume(capabilities) else agent.load_session
        return await continued(question.session_id, cwd)
    state = await agent.new_session(cwd)
    if not state.session_id:
        raise AgentFailedError(FailureCode.PARSE, f"{spec.name} began a session without an id.")
    return state


def _wishes(spec: AcpProvider, question: Question) -> list[tuple[Category, str]]:
    effort = spec.efforts.get(question.effort) if question.effort is not None else None
    # The model before the effort, since which levels there are depends on it.
    wishes: dict[Category, str | None] = {"mode": spec.mode, "model": question.model, "thought_level": effort}
    return [(category, value) for category, value in wishes.items() if value is not None]


async def _chosen(agent: Agent, state: SessionState, category: Category, value: str, *, tool: str) -> SessionState:
    offered = state.choice(category)
    if offered is None or value not in offered.values:
        raise AgentFailedError(FailureCode.UNSUPPORTED, _refusal(tool, category, value, offered and offered.values))
    if offered.option is not None:
        # Set also where it is the current value already: what is current may be what is shown, and not what is used.
        told = await agent.set_option(state.session_id, offered.option, value)
        state = state.model_copy(update={"config_options": told.config_options})
    elif category == "model":
        await agent.set_model(state.session_id, value)
        state = state.model_copy(update={"models": state.models and state.models.model_copy(update={"current": value})})
    else:
        await agent.set_mode(state.session_id, value)
        return state
    now = state.choice(category)
    if now is None or now.current != value:
        detail = f"{tool} offers the {_WORDS[category]} {value!r} but does not use it."
        raise AgentFailedError(FailureCode.UNSUPPORTED, detail)
    return state


def _refusal(tool: str, category: Category, value: str, offered: tuple[str, ...] | None) -> str:
    if not offered:
        way_out = " `efforts = {}` in its provider file asks it all the same." if category == "thought_level" else ""
        return f"{tool} lets nobody choose its {_WORDS[category]}; it cannot use {value!r}.{way_out}"
    more = f" and {len(offered) - _SHOWN} more" if len(offered) > _SHOWN else ""
    return f"{tool} does not offer the {_WORDS[category]} {value!r}; it offers: {', '.join(offered[:_SHOWN])}{more}."


def _can_resume(capabilities: AgentCapabilities) -> bool:
    return capabilities.session_capabilities is not None and capabilities.session_capabilities.resume is not None


def _can_continue(capabilities: AgentCapabilities) -> bool:
    return bool(capabilities.load_session) or _can_resume(capabilities)
