"""``sparring redact``: a filter in a pipe."""

import json
import subprocess

import pytest

from support.workbench import PATIENCE_S, Workbench

TOKEN = "ghp_" + "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"


def test_the_text_goes_to_standard_output_and_the_count_to_standard_error(bench: Workbench) -> None:
    bench.extra["SHOP_TOKEN"] = own = "-".join(("tiger", "striped", "cat", "9"))
    several = f"a {TOKEN}\r\nb\n\n{TOKEN} and AKIAIOSFODNN7ABCDEFG"
    redacted = "a [REDACTED:github]\r\nb\n\n[REDACTED:github] and [REDACTED:aws]"
    for typed, out, err in (
        (several, redacted, "3 secrets redacted: 2 github, 1 aws.\n"),
        (TOKEN, "[REDACTED:github]", "1 secret redacted: 1 github.\n"),
        ("nothing", "nothing", "No secrets redacted.\n"),
        (f"a {own}!", "a [REDACTED:known-value]!", "1 secret redacted: 1 known-value.\n"),
    ):
        done = bench.run("redact", stdin=typed.encode())
        assert (done.code, done.out, done.err) == (0, out, err)
    done = bench.run("redact", "--json", stdin=TOKEN.encode())
    assert (done.out, json.loads(done.err)) == ("[REDACTED:github]", {"redactions": 1, "kinds": {"github": 1}})


@pytest.mark.process
def test_bytes_that_are_no_text_pass_unharmed(bench: Workbench) -> None:
    content = bytes(range(256)) * 3 + b"\n\xf0\x9f\x98" + TOKEN.encode() + b"\xc3"
    with bench.start("redact", stdin=subprocess.PIPE) as process:
        out, _ = process.communicate(content, timeout=PATIENCE_S)
    assert out == content.replace(TOKEN.encode(), b"[REDACTED:github]")
