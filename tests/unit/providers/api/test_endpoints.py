"""Where a model API is, with which key: its file, and what the environment says to it."""

import socket

import pytest

from sparring.errors import SettingsError
from sparring.providers.api.endpoints import Endpoint, Key, can_choose_model, endpoint_of, is_loopback, named_model
from sparring.providers.api.http import proxy_for
from sparring.providers.available import Available, Missing, availability, unsupported
from support.apis import KEY, built_in, own
from support.desk import question
from support.texts import texts

TEXTS = texts("apis")


def test_ollamas_host_is_understood_as_ollama_understands_it() -> None:
    hosts, spec = TEXTS["ollamas-hosts"], built_in("ollama")
    assert [[text, endpoint_of(spec, {"OLLAMA_HOST": text}).base_url] for text, _ in hosts] == hosts


def test_what_is_no_address_or_no_key_is_refused_without_repeating_it() -> None:
    refused = [(name, text, f"{name} is not an address: it {why}") for name, text, why in TEXTS["no-addresses"]]
    no_key = "OPENAI_API_KEY is not a key: it contains white space or other invalid characters."
    refused += [("OPENAI_API_KEY", text, no_key) for text in TEXTS["no-keys"]]
    for name, text, why in refused:
        with pytest.raises(SettingsError) as caught:
            endpoint_of(built_in("ollama" if name == "OLLAMA_HOST" else "openai"), {name: text})
        said = str(caught.value)
        assert said.startswith(why)
        assert "secret" not in said


def test_an_address_and_a_key_are_taken_as_they_are_and_the_key_is_not_shown() -> None:
    gateway = "https://gateway.example/openai"
    endpoint = endpoint_of(built_in("openai"), {"OPENAI_BASE_URL": f"{gateway}/", "OPENAI_API_KEY": KEY})
    assert endpoint == Endpoint(gateway, Key("OPENAI_API_KEY", KEY))
    assert (endpoint.host, endpoint.port, endpoint.is_local, KEY in repr(endpoint)) == (
        "gateway.example", 443, False, False,
    )  # fmt: skip
    # The first key that is set, without white space around it.
    endpoint = endpoint_of(built_in("google"), {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": f" {KEY}\r\n"})
    assert endpoint.key == Key("GOOGLE_API_KEY", KEY)


def test_this_machine_is_known_without_asking_for_an_address() -> None:
    here = ("127.0.0.1", "127.9.9.9", "LOCALHOST", "::1", "::ffff:127.0.0.1")
    elsewhere = ("::ffff:192.0.2.1", "192.168.0.2", "localhost.example", "")
    assert [host for host in (*here, *elsewhere) if is_loopback(host)] == [*here]


def test_the_environment_names_the_model_before_the_provider_file_does() -> None:
    spec = own(base_url="http://127.0.0.1:1", model="from-file", model_variable="MINE_MODEL")
    named = [named_model(spec, variables) for variables in ({}, {"MINE_MODEL": " from-environment "})]
    assert named == ["from-file", "from-environment"]


def test_only_a_provider_with_a_known_or_discoverable_model_is_chosen_by_default() -> None:
    anthropic, wrong, named = built_in("anthropic"), *({"SPARRING_ANTHROPIC_MODEL": name} for name in ("--evil", "m"))
    assert unsupported(anthropic, question(), wrong) == "SPARRING_ANTHROPIC_MODEL is not the id of a model."
    assert [can_choose_model(anthropic, each) for each in (wrong, {}, named)] == [False, False, True]
    assert can_choose_model(built_in("ollama"), {})
    assert unsupported(own(base_url="http://127.0.0.1:1"), question(), {}) == (
        "mine has no model of its own. Name one with `--model`, as `model` in a provider file of your own; "
        "/models lists what there is."
    )


def test_an_api_is_available_at_its_address_once_there_is_a_key_that_can_be_sent() -> None:
    no_key = Missing("Anthropic API needs a key: ANTHROPIC_API_KEY is not set.",
        "Set ANTHROPIC_API_KEY, and name a model in SPARRING_ANTHROPIC_MODEL or with `--model`.")  # fmt: skip
    in_clear = "The key in OPENAI_API_KEY would be sent to lan.example unencrypted."
    mine, nowhere = own(base_url_variable="MINE"), Missing("Where My own is, is not known: MINE is not set.", "")
    for name, variables, expected in (
        ("anthropic", {"ANTHROPIC_API_KEY": KEY}, Available("https://api.anthropic.com")),
        ("anthropic", {}, no_key),
        ("openai", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://lan.example"},
            Missing(in_clear, "Give the address with https://.")),
        ("vllm", {"VLLM_BASE_URL": "http://lan.example:8000/v1"}, Available("http://lan.example:8000/v1")),
    ):  # fmt: skip
        assert availability(built_in(name), variables) == expected
    assert availability(mine, {}) == nowhere


def test_a_server_on_this_machine_is_available_while_it_listens() -> None:
    spec = built_in("lm-studio")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        variables = {"LM_STUDIO_BASE_URL": url}
        assert availability(spec, variables) == Available(url)
    assert availability(spec, variables) == Missing(f"{spec.title} does not listen at {url}.", spec.install)


def test_the_proxy_of_the_environment_is_used_but_never_for_this_machine() -> None:
    proxies = TEXTS["proxies"]
    assert [[url, variables, proxy_for(url, variables)] for url, variables, _ in proxies] == proxies


def test_what_is_no_proxy_is_refused_without_repeating_it() -> None:
    for text in ("gopher://me:secret@proxy", "http://", "http://[", "proxy:65536", "exämple..x"):
        with pytest.raises(SettingsError, match=r"^https_proxy is not the address of a proxy\.$"):
            proxy_for("https://api.example", {"https_proxy": text})
