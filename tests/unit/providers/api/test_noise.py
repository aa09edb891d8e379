"""Every dialect, behind every kind of noise that servers put around an answer."""

from collections.abc import Generator

import pytest

from sparring.schema.consultation import Answer, Ending, Failure
from sparring.schema.providers import ApiProvider
from sparring.testing.dialects import (
    AnthropicDialect,
    ChatDialect,
    Dialect,
    GeminiDialect,
    OllamaDialect,
    ResponsesDialect,
)
from sparring.testing.model_endpoint import Hang, ModelEndpoint
from sparring.testing.stream_noise import NoisyAnswer, broken_answers, noisy_answers
from support.apis import own, reply_of
from support.desk import question

TEXT = 'No, do not retry: « Phở » {"a": [1]} data: [DONE]\n\nEnd.'
DIALECTS: dict[str, Dialect] = {
    "anthropic-messages": AnthropicDialect(),
    "chat-completions": ChatDialect(),
    "gemini": GeminiDialect(),
    "ollama": OllamaDialect(),
    "openai-responses": ResponsesDialect(),
}


@pytest.fixture(scope="module")
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Hang()) as listening:
        yield listening


def provider(kind: str, endpoint: ModelEndpoint) -> ApiProvider:
    path = "/v1" if kind in {"chat-completions", "openai-responses"} else ""
    return own(api=kind, base_url=endpoint.url + path, model="some-model")


def kinds_of(found: list[NoisyAnswer]) -> dict[str, list[NoisyAnswer]]:
    return {kind: [each for each in found if each.kind == kind] for kind in {each.kind for each in found}}


@pytest.mark.slow
@pytest.mark.parametrize("kind", DIALECTS)
async def test_an_answer_is_received_behind_every_kind_of_noise(kind: str, endpoint: ModelEndpoint) -> None:
    spec, answers = provider(kind, endpoint), list(noisy_answers(DIALECTS[kind], TEXT))
    assert len(kinds_of(answers)) >= 60
    lost: dict[str, str] = {}
    for noisy in answers:
        endpoint.behaviour = noisy.send
        reply = await reply_of(spec, {}, question())
        if not isinstance(reply, Answer) or (reply.response, reply.ending) != (TEXT, Ending.COMPLETE):
            lost[noisy.name] = repr(reply)
        elif reply.warnings:
            lost[noisy.name] = repr(reply.warnings)
    assert lost == {}


@pytest.mark.parametrize("kind", DIALECTS)
async def test_an_answer_without_its_end_is_a_failure_with_its_cause(kind: str, endpoint: ModelEndpoint) -> None:
    spec, wrong = provider(kind, endpoint), dict[str, str]()
    for broken, message in broken_answers(DIALECTS[kind], TEXT):
        endpoint.behaviour = broken.send
        reply = await reply_of(spec, {}, question())
        if not isinstance(reply, Failure) or message not in reply.detail:
            wrong[broken.name] = repr(reply)
    assert wrong == {}
