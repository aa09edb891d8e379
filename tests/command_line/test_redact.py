"""``sparring redact``: a filter in a pipe."""

import json
import subprocess

from support.workbench import PATIENCE_S, PROGRAM, Workbench

TOKEN = "ghp_" + "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"


def filtering(bench: Workbench) -> "subprocess.Popen[bytes]":
    """The filter with all three streams open."""
    return subprocess.Popen(
        [*PROGRAM, "redact"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=bench.project,
        env=bench.environment,
    )


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


def test_bytes_that_are_no_text_pass_unharmed(bench: Workbench) -> None:
    content = bytes(range(256)) * 3 + b"\n\xf0\x9f\x98" + TOKEN.encode() + b"\xc3"
    with filtering(bench) as process:
        out, _ = process.communicate(content, timeout=PATIENCE_S)
    assert out == content.replace(TOKEN.encode(), b"[REDACTED:github]")


def test_the_secrets_of_the_own_environment_go_as_well(bench: Workbench) -> None:
    bench.extra["SHOP_TOKEN"] = value = "-".join(("tiger", "striped", "cat", "9"))
    assert bench.run("redact", stdin=f"a {value}!".encode()).out == "a [REDACTED:known-value]!"


def test_a_line_comes_out_while_the_input_is_still_open(bench: Workbench) -> None:
    with filtering(bench) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{TOKEN}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"[REDACTED:github]\n"
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0


def test_a_reader_that_goes_away_ends_it_without_an_error(bench: Workbench) -> None:
    with filtering(bench) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(b"line\n" * 100_000, timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, b"No secrets redacted.\n")
