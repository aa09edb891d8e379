"""Refusals of vendors and servers, as they are."""

import re

import pytest

from sparring.schema.apis import ApiProvider
from sparring.schema.consultation import Failure
from sparring.testing.model_endpoint import ModelEndpoint
from sparring.testing.model_servers import Refusal, refusals
from support.apis import reply_of
from support.desk import question

REFUSALS = [pytest.param(each, id=each.source) for each in refusals()]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_a_refusal_is_a_failure_of_its_code_and_in_the_words_of_the_server(
    refusal: Refusal, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = refusal.send
    reply = await reply_of(mine, {}, question(timeout_s=2))
    assert isinstance(reply, Failure)
    assert reply.code.value == refusal.code
    assert "answered with status" not in reply.detail
    assert any(word in reply.detail for word in re.findall("[A-Za-z]{4,}", refusal.body))
