"""Families of the models behind providers: what a provider file states, what ids say, what servers report."""

from collections.abc import Mapping

from msgspec.structs import replace

from sparring.errors import SettingsError
from sparring.providers.api.endpoints import endpoint_of, is_own_server, named_model
from sparring.providers.api.servers import KnownServers, ServedModel, Server, endpoint_at, usual_model
from sparring.providers.known import Providers
from sparring.schema import families
from sparring.schema.base import HOST_TOOL
from sparring.schema.providers import ApiProvider, HostProvider, ProviderSpec

MODELLESS = frozenset({"none", "rules", "script"})
"""Families of programs without a model."""


AGENTS = {"claude-code": "claude", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini"}
"""The provider with the models of an agent, by the name that it gives itself over MCP. OpenCode and Copilot CLI are
not here: their users choose among the models of many."""


class ModelFamilies:
    """The family of each model that is asked, or has answered.

    One model is of one family, also where two provider files state different ones for it: the first that is looked up
    counts.
    """

    def __init__(self, environment: Mapping[str, str], servers: KnownServers) -> None:
        self._environment = environment
        self._servers = servers
        self._by_key: dict[str, str] = {}

    def of(self, spec: ProviderSpec, model: str | None = None) -> str:
        """Return the family of ``model``, or of the default model; empty where it is unknown.

        A server of the user may be queried, which blocks for a moment.
        """
        if spec.family in MODELLESS:
            return ""
        server, usual = self._served(spec, model)
        return self._family(spec, model or usual, server)

    def of_answer(self, spec: ProviderSpec, asked: str | None, reported: str | None) -> str:
        """Return the family of the model that answered, if ``of`` names another for the model that was asked.

        No server is queried: the facts from the time of the question must suffice.
        """
        if spec.family in MODELLESS or not reported:
            return ""
        server = self._servers.remembered(_base_url(spec, self._environment))
        expected = self._family(spec, asked or _model_asked(spec, self._environment, server), server)
        family = self._family(spec, reported, server)
        return family if family != expected else ""

    def _served(self, spec: ProviderSpec, model: str | None) -> tuple[Server | None, str | None]:
        """Return the server that is asked, if it can be queried, and its default model."""
        usual = _model_asked(spec, self._environment, None)
        if not isinstance(spec, ApiProvider) or spec.family is not None:
            return None, usual
        try:
            endpoint = endpoint_at(spec, self._environment, self._servers)
        except SettingsError:
            return None, usual
        server = self._servers.server(endpoint, model or usual or "") if is_own_server(spec, endpoint) else None
        return server, _model_asked(spec, self._environment, server)

    def _family(self, spec: ProviderSpec, model: str | None, server: Server | None) -> str:
        served = server.model(model) if server and model else None
        family = families.canonical(spec.family) if spec.family else _by_model(spec, model, served)
        key = families.model_key(model or "")
        if served and served.weights:
            key = families.model_key(served.weights) or key
        return self._by_key.setdefault(key, family) if key and family else family


def _by_model(spec: ProviderSpec, model: str | None, served: ServedModel | None) -> str:
    architecture = served.architecture if served else ""
    ids = (served.weights if served else "", model or "")
    named = [families.named_family(each, architecture=architecture) for each in ids if each or architecture]
    own = [families.family_of_model(each) for each in ids]
    return next((family for family in (*named, spec.usual_family, *own) if family), "")


def _model_asked(spec: ProviderSpec, environment: Mapping[str, str], server: Server | None) -> str | None:
    """The model that is asked when a question names none; None where it is not known."""
    if not isinstance(spec, ApiProvider):
        return None
    try:
        return named_model(spec, environment) or usual_model(spec, server)
    except SettingsError:
        return None


def _base_url(spec: ProviderSpec, environment: Mapping[str, str]) -> str:
    if not isinstance(spec, ApiProvider):
        return ""
    try:
        return endpoint_of(spec, environment).base_url
    except SettingsError:
        return ""


def with_family_of_host(providers: Providers, client: str | None) -> Providers:
    """Return ``providers`` with the calling agent in the family of its tool, if its name identifies that.

    A user's own file of that name stays unchanged.
    """
    host, itself = providers.specs.get(HOST_TOOL), providers.specs.get(AGENTS.get(client or "", ""))
    if not isinstance(host, HostProvider) or itself is None or host.shown_family is not None:
        return providers
    known = host.model_copy(update={"family": itself.family, "usual_family": itself.usual_family})
    return replace(providers, specs={**providers.specs, HOST_TOOL: known})
