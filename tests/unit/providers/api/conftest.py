"""A model API on this machine, and a provider that has it asked."""

from collections.abc import Generator

import pytest

from sparring.schema.providers import ApiProvider
from sparring.testing.model_endpoint import ModelEndpoint, Say
from support.apis import TOLD, own


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say(TOLD)) as listening:
        yield listening


@pytest.fixture
def mine(endpoint: ModelEndpoint) -> ApiProvider:
    return own(base_url=f"{endpoint.url}/v1", model="some-model")
