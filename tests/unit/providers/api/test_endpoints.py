"""Where a model API is, with which key: its file, and what the environment says to it."""

import socket

import pytest

from sparring.errors import SettingsError
from sparring.providers.api.endpoints import Endpoint, Key, can_choose_model, endpoint_of, is_loopback, named_model
from sparring.providers.api.http import proxy_for
from sparring.providers.available import Available, Missing, availability, unsupported
from support.apis import KEY, built_in, own
from support.desk import question

HOSTS = {
    "": "127.0.0.1:11434", "  ": "127.0.0.1:11434", "127.0.0.1": "127.0.0.1:11434", "127.0.0.1:8080": "127.0.0.1:8080",
    "0.0.0.0": "127.0.0.1:11434", "0.0.0.0:8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080",  # noqa: S104
    "localhost": "localhost:11434", '"ollama.lan:8080"': "ollama.lan:8080", "http://ollama.lan": "ollama.lan",
    "http://ollama.lan/behind/v1": "ollama.lan/behind", "[::1]": "[::1]:11434", "[::1]:8080": "[::1]:8080",
    "::1": "[::1]:11434", "[::]:8080": "[::1]:8080",
}  # fmt: skip


def test_ollamas_host_is_understood_as_ollama_understands_it() -> None:
    spec = built_in("ollama")
    urls = {text: endpoint_of(spec, {"OLLAMA_HOST": text}).base_url for text in HOSTS}
    assert urls == {text: f"http://{place}/v1" for text, place in HOSTS.items()}
    assert endpoint_of(spec, {"OLLAMA_HOST": "https://ollama.lan"}) == Endpoint("https://ollama.lan/v1")
    assert endpoint_of(spec, {"OLLAMA_HOST": "https://ollama.lan:8443/"}) == Endpoint("https://ollama.lan:8443/v1")


NO_HOST = "must be a host, with or without a port"
NO_URL = "must begin with http:// or https:// and name a host"
NO_KEY = "OPENAI_API_KEY does not hold a key: it has white space or other such letters in it."


REFUSED = [
        ("OLLAMA_HOST", "a b", "must not hold white space, or letters that are not ASCII"),
        ("OLLAMA_HOST", "host:port", NO_HOST),
        ("OLLAMA_HOST", "host:99999", "must name a host, and no port above 65535"),
        ("OLLAMA_HOST", "http://[::1", NO_HOST),
        ("OLLAMA_HOST", "ftp://host", NO_URL),
        ("OLLAMA_HOST", "http://me:secret@host", NO_HOST),
        ("OLLAMA_HOST", "http://me@host", "must not hold a user name or password"),
        *(("OPENAI_BASE_URL", text, "must ") for text in ("gateway", "https://", "https://host?key=x", "https://host#x",
            "https://me@host", "https://hóst", "http://a b")),
        *(("OPENAI_API_KEY", text, "") for text in ("two words", "schlüssel", "a\nb", "a\x00b")),
]  # fmt: skip


def test_what_is_no_address_or_no_key_is_refused_without_repeating_it() -> None:
    for name, text, why in REFUSED:
        with pytest.raises(SettingsError) as caught:
            endpoint_of(built_in("ollama" if name == "OLLAMA_HOST" else "openai"), {name: text})
        said = str(caught.value)
        assert said.startswith(f"{name} does not hold an address: it {why}") if why else said == NO_KEY
        assert "secret" not in said


@pytest.mark.parametrize(
    ("name", "variables", "found"),
    [
        ("openai", {"OPENAI_BASE_URL": "https://gateway.example/openai/", "OPENAI_API_KEY": KEY},
         Endpoint("https://gateway.example/openai", Key("OPENAI_API_KEY", KEY))),
        (
            "google",  # the first key that is set, without white space around it
            {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": f" {KEY}\r\n"},
            Endpoint("https://generativelanguage.googleapis.com", Key("GOOGLE_API_KEY", KEY)),
        ),
    ],
)  # fmt: skip
def test_an_address_and_a_key_are_taken_as_they_are_and_the_key_is_not_shown(
    name: str, variables: dict[str, str], found: Endpoint
) -> None:
    endpoint = endpoint_of(built_in(name), variables)
    assert endpoint == found
    assert (endpoint.host, endpoint.port, endpoint.is_local) == (found.base_url.split("/")[2], 443, False)
    assert KEY not in repr(endpoint)


def test_this_machine_is_known_without_asking_for_an_address() -> None:
    here = ("127.0.0.1", "127.9.9.9", "LOCALHOST", "::1", "::ffff:127.0.0.1")
    elsewhere = ("::ffff:192.0.2.1", "192.168.0.2", "localhost.example", "")
    assert [host for host in (*here, *elsewhere) if is_loopback(host)] == [*here]


# -- models


def test_the_environment_names_the_model_before_the_provider_file_does() -> None:
    spec = own(base_url="http://127.0.0.1:1", model="from-file", model_variable="MINE_MODEL")
    assert named_model(spec, {}) == "from-file"
    assert named_model(spec, {"MINE_MODEL": " from-environment "}) == "from-environment"


def test_only_who_knows_a_model_or_can_find_one_out_is_asked_unasked() -> None:
    anthropic, wrong = built_in("anthropic"), {"SPARRING_ANTHROPIC_MODEL": "--evil"}
    assert unsupported(anthropic, question(), wrong) == "SPARRING_ANTHROPIC_MODEL does not hold the id of a model."
    known = [can_choose_model(anthropic, each) for each in (wrong, {}, {"SPARRING_ANTHROPIC_MODEL": "m"})]
    assert [*known, can_choose_model(built_in("ollama"), {})] == [False, False, True, True]
    assert unsupported(own(base_url="http://127.0.0.1:1"), question()) == (
        "mine has no model of its own. Name one with `--model`, as `model` in a provider file of your own; "
        "/models lists what there is."
    )


# -- availability


@pytest.mark.parametrize(
    ("name", "variables", "expected"),
    [
        ("anthropic", {"ANTHROPIC_API_KEY": KEY}, Available("https://api.anthropic.com")),
        ("anthropic", {},
         Missing("Anthropic API needs a key: ANTHROPIC_API_KEY is not set.",
            "Set ANTHROPIC_API_KEY, and name a model in SPARRING_ANTHROPIC_MODEL or with `--model`.")),
        ("openai", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://lan.example"},
         Missing("The key in OPENAI_API_KEY would be sent to lan.example unencrypted.",
            "Give the address with https://.")),
        ("vllm", {"VLLM_BASE_URL": "http://lan.example:8000/v1"}, Available("http://lan.example:8000/v1")),
        ("vllm", {}, Missing("Where vLLM is, is not known: VLLM_BASE_URL is not set.", built_in("vllm").install)),
    ],
    ids=["with a key", "without one", "a key unencrypted", "no key unencrypted", "no usual place"],
)  # fmt: skip
def test_an_api_is_available_at_its_address_once_there_is_a_key_that_can_be_sent(
    name: str, variables: dict[str, str], expected: Available | Missing
) -> None:
    assert availability(built_in(name), variables) == expected


@pytest.mark.parametrize("name", ["lm-studio", "ollama"])
def test_a_server_on_this_machine_is_available_while_it_listens(name: str) -> None:
    spec = built_in(name)
    assert spec.base_url_variable is not None
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        variables = {spec.base_url_variable: url}
        assert availability(spec, variables) == Available(url)
    assert availability(spec, variables) == Missing(f"{spec.title} does not listen at {url}.", spec.install)


# -- proxies


API, P = "https://api.example/v1", "http://proxy:3128"


PROXIES: list[tuple[str, dict[str, str], str | None]] = [
    (API, {}, None),
    (API, {"HTTPS_PROXY": P}, P),
    (API, {"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://other"}, P),
    (API, {"http_proxy": P}, None),
    ("http://api.example/v1", {"http_proxy": P}, P),
    (API, {"ALL_PROXY": "socks5://proxy:1080"}, "socks5://proxy:1080"),
    (API, {"https_proxy": "", "all_proxy": P}, P),
    *((API, {"https_proxy": P, "no_proxy": text}, None) for text in ("*", "api.example:443", "other, .example")),
    (API, {"https_proxy": P, "NO_PROXY": "other, .example"}, None),
    (API, {"https_proxy": P, "no_proxy": "pi.example,,"}, P),
    *((f"http://{place}/v1", {"http_proxy": P, "all_proxy": P}, None)
        for place in ("127.0.0.1:11434", "[::1]:11434", "localhost")),
]  # fmt: skip


def test_the_proxy_of_the_environment_is_used_but_never_for_this_machine() -> None:
    assert [(url, variables, proxy_for(url, variables)) for url, variables, _ in PROXIES] == PROXIES


@pytest.mark.parametrize("text", ["gopher://me:secret@proxy", "http://", "http://[", "proxy:65536", "exämple..x"])
def test_what_is_no_proxy_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^https_proxy does not hold the address of a proxy\.$"):
        proxy_for("https://api.example", {"https_proxy": text})
