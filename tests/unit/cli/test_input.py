"""What is typed and piped in beside it: which of the two is the subject, and which goes along."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.cli.input import read
from sparring.cli.invocation import Invocation, Streams, running_invocation
from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from support.texts import texts


def read_of(name: str, typed: Mapping[str, Any], stdin: bytes) -> tuple[dict[str, Any], str | None]:
    """The options that were typed, of those named in ``typed``, and the text that was piped in beside them."""
    streams = Streams(*(io.TextIOWrapper(io.BufferedReader(io.BytesIO(each)), "utf-8") for each in (stdin, b"", b"")))
    with running_invocation(Invocation(streams, {}, Path())):
        options, given = read(FORMATS[name].options, typed)
    assert given.is_by_user
    found = json.loads(json.dumps({each: getattr(options, each) for each in typed}))
    return found, given.piped.text if given.piped else None


@pytest.mark.parametrize(("name", "typed", "stdin", "meant", "piped"), texts("command-lines")["piped"])
def test_piped_input_stands_for_the_missing_argument(
    name: str, typed: Mapping[str, Any], stdin: str, meant: Mapping[str, Any], piped: str | None
) -> None:
    assert read_of(name, typed, stdin.encode()) == ({**typed, **meant}, piped)


def test_standard_input_is_read_once() -> None:
    with pytest.raises(UsageError, match="Standard input cannot be both the claim and its truth"):
        read_of("jury", {"claim": "-", "truth": "-"}, b"")
