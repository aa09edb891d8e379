"""Where a model API is, with which key: its file, and what the environment says to it."""

import socket

import pytest

from sparring.consult.providers import Available, Missing, availability, unsupported
from sparring.consult.providers.endpoints import Endpoint, Key, can_choose_model, endpoint_of, is_loopback, named_model
from sparring.consult.proxies import proxy_for
from sparring.errors import SettingsError
from support.apis import KEY, built_in, own
from support.desk import question


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://127.0.0.1:11434/v1"),
        ("  ", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("127.0.0.1:8080", "http://127.0.0.1:8080/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),  # noqa: S104 -- that is the point
        ("0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("localhost", "http://localhost:11434/v1"),
        ("\"ollama.lan:8080\"", "http://ollama.lan:8080/v1"),
        ("http://ollama.lan", "http://ollama.lan/v1"),
        ("https://ollama.lan", "https://ollama.lan/v1"),
        ("https://ollama.lan:8443/", "https://ollama.lan:8443/v1"),
        ("http://ollama.lan/behind/v1", "http://ollama.lan/behind/v1"),
        ("[::1]", "http://[::1]:11434/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("[::]:8080", "http://[::1]:8080/v1"),
    ],
)  # fmt: skip
def test_ollamas_host_is_understood_as_ollama_understands_it(text: str, url: str) -> None:
    assert endpoint_of(built_in("ollama"), {"OLLAMA_HOST": text}) == Endpoint(url)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a b", "must not hold white space, or letters that are not ASCII"),
        ("host:port", "must be a host, with or without a port"),
        ("host:99999", "must name a host, and no port above 65535"),
        ("http://[::1", "must be a host, with or without a port"),
        ("ftp://host", "must begin with http:// or https:// and name a host"),
        ("http://me:secret@host", "must be a host, with or without a port"),
        ("http://me@host", "must not hold a user name or password"),
    ],
)
def test_what_is_no_host_is_refused_without_repeating_it(text: str, why: str) -> None:
    with pytest.raises(SettingsError) as caught:
        endpoint_of(built_in("ollama"), {"OLLAMA_HOST": text})

    assert str(caught.value) == f"OLLAMA_HOST does not hold an address: it {why}."


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


@pytest.mark.parametrize(
    "text",
    ["gateway", "https://", "https://host?key=x", "https://host#x", "https://me@host", "https://hóst", "http://a b"],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^OPENAI_BASE_URL does not hold an address: it must"):
        endpoint_of(built_in("openai"), {"OPENAI_BASE_URL": text})


@pytest.mark.parametrize("text", ["two words", "schlüssel", "a\nb", "a\x00b"])
def test_what_can_be_no_key_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        endpoint_of(built_in("openai"), {"OPENAI_API_KEY": text})

    assert str(caught.value) == "OPENAI_API_KEY does not hold a key: it has white space or other such letters in it."


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("LOCALHOST", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::ffff:192.0.2.1", False),
        ("192.168.0.2", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_this_machine_is_known_without_asking_for_an_address(host: str, *, here: bool) -> None:
    assert is_loopback(host) is here


# -- models


def test_the_environment_names_the_model_before_the_provider_file_does() -> None:
    spec = own(base_url="http://127.0.0.1:1", model="from-file", model_variable="MINE_MODEL")

    assert named_model(spec, {}) == "from-file"
    assert named_model(spec, {"MINE_MODEL": "from-environment"}) == "from-environment"


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


@pytest.mark.parametrize(
    ("url", "variables", "proxy"),
    [
        ("https://api.example/v1", {}, None),
        ("https://api.example/v1", {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ("https://api.example/v1", {"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://other"}, "http://proxy:3128"),
        ("https://api.example/v1", {"http_proxy": "http://proxy:3128"}, None),
        ("http://api.example/v1", {"http_proxy": "http://proxy:3128"}, "http://proxy:3128"),
        ("https://api.example/v1", {"ALL_PROXY": "socks5://proxy:1080"}, "socks5://proxy:1080"),
        ("https://api.example/v1", {"https_proxy": "", "all_proxy": "http://proxy"}, "http://proxy"),
        ("https://api.example/v1", {"https_proxy": "http://proxy", "no_proxy": "*"}, None),
        ("https://api.example/v1", {"https_proxy": "http://proxy", "NO_PROXY": "other, .example"}, None),
        ("https://api.example/v1", {"https_proxy": "http://proxy", "no_proxy": "api.example:443"}, None),
        ("https://api.example/v1", {"https_proxy": "http://proxy", "no_proxy": "pi.example,,"}, "http://proxy"),
        ("http://127.0.0.1:11434/v1", {"http_proxy": "http://proxy"}, None),
        ("http://[::1]:11434/v1", {"all_proxy": "http://proxy"}, None),
        ("http://localhost/v1", {"all_proxy": "http://proxy"}, None),
    ],
)
def test_the_proxy_of_the_environment_is_used_but_never_for_this_machine(
    url: str, variables: dict[str, str], proxy: str | None
) -> None:
    assert proxy_for(url, variables) == proxy


@pytest.mark.parametrize("text", ["gopher://me:secret@proxy", "http://"])
def test_what_is_no_proxy_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^https_proxy does not hold the address of a proxy\.$"):
        proxy_for("https://api.example", {"https_proxy": text})
