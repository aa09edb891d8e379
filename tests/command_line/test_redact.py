"""``sparring redact``: a filter in a pipe."""

import json
import subprocess

import pytest

from support.workbench import PATIENCE_S, Workbench

TOKEN = "ghp_" + "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"


def test_the_text_goes_to_standard_output_and_the_count_to_standard_error(bench: Workbench) -> None:
    done = bench.run("redact", stdin=f"a {TOKEN}\r\nb\n\n{TOKEN} and AKIAIOSFODNN7ABCDEFG".encode())
    assert (done.code, done.out, done.err) == (
        0,
        "a [REDACTED:github]\r\nb\n\n[REDACTED:github] and [REDACTED:aws]",
        "3 secrets redacted: 2 github, 1 aws.\n",
    )


def test_one_secret_is_not_several_and_none_is_said_too(bench: Workbench) -> None:
    assert bench.run("redact", stdin=TOKEN.encode()).err == "1 secret redacted: 1 github.\n"
    done = bench.run("redact", stdin=b"nothing")
    assert (done.code, done.out, done.err) == (0, "nothing", "No secrets redacted.\n")


def test_the_count_is_an_object_if_asked_for(bench: Workbench) -> None:
    done = bench.run("redact", "--json", stdin=TOKEN.encode())
    assert (done.out, json.loads(done.err)) == ("[REDACTED:github]", {"redactions": 1, "kinds": {"github": 1}})


def test_the_secrets_of_the_own_environment_go_as_well(bench: Workbench) -> None:
    bench.extra["SHOP_TOKEN"] = value = "-".join(("tiger", "striped", "cat", "9"))
    assert bench.run("redact", stdin=f"a {value}!".encode()).out == "a [REDACTED:known-value]!"


@pytest.mark.process
def test_bytes_that_are_no_text_pass_unharmed(bench: Workbench) -> None:
    content = bytes(range(256)) * 3 + b"\n\xf0\x9f\x98" + TOKEN.encode() + b"\xc3"
    with bench.start("redact", stdin=subprocess.PIPE) as process:
        out, _ = process.communicate(content, timeout=PATIENCE_S)
    assert out == content.replace(TOKEN.encode(), b"[REDACTED:github]")
