"""What a user has told Gemini CLI in a file of variables."""

import re
from pathlib import Path

import pytest

from sparring.errors import ConfigurationError
from sparring.providers.confinement.gemini import VARIABLES_LIMIT, users_variables
from support.desk import write

UNREADABLE = Path("/proc/self/mem")
ALLOWED = ("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_*")


ENV = """
# a comment
GEMINI_API_KEY='quoted # key'  # of mine
export GOOGLE_CLOUD_PROJECT = bare value # not this
GOOGLE_CLOUD_LOCATION: "two\\nlines"
GOOGLE_API_KEY=`back "ticks"`
GEMINI_MODEL=
GOOGLE_GEMINI_BASE_URL="over
lines"
NODE_OPTIONS=--require /evil.js
GEMINI_SANDBOX=true
GOOGLE_CLOUD_ODD=a\0b
not a line
GOOGLE_VERTEX_BASE_URL=first
GOOGLE_VERTEX_BASE_URL=last
"""


def test_variables_are_read_as_gemini_would_read_them(tmp_path: Path) -> None:
    write(tmp_path / ".gemini" / ".env", ENV.replace("\n", "\r\n"))
    write(tmp_path / ".env", "GEMINI_API_KEY=another")

    assert users_variables(tmp_path / ".gemini", {"HOME": "/home"}, ALLOWED) == {
        "GEMINI_API_KEY": "quoted # key",
        "GOOGLE_CLOUD_PROJECT": "bare value",
        "GOOGLE_CLOUD_LOCATION": "two\nlines",
        "GOOGLE_API_KEY": 'back "ticks"',
        "GEMINI_MODEL": "",
        "GOOGLE_GEMINI_BASE_URL": "over\nlines",
        "GOOGLE_VERTEX_BASE_URL": "last",
    }


def test_what_the_environment_says_outweighs_the_file_if_there_is_one(tmp_path: Path) -> None:
    assert users_variables(tmp_path / ".gemini", {}, ["GEMINI_*"]) == {}

    write(tmp_path / ".env", "GEMINI_API_KEY=of the file\nGEMINI_MODEL=of the file\n")
    assert users_variables(tmp_path / ".gemini", {"GEMINI_API_KEY": ""}, ["GEMINI_*"]) == {
        "GEMINI_MODEL": "of the file"
    }


def test_a_file_that_is_too_large_is_not_read_in_part(tmp_path: Path) -> None:
    file = write(tmp_path / ".gemini" / ".env", "#" * (VARIABLES_LIMIT + 1))

    with pytest.raises(ConfigurationError, match=re.escape(f"{file} is larger than {VARIABLES_LIMIT} bytes.")):
        users_variables(tmp_path / ".gemini", {}, [])


@pytest.mark.skipif(not UNREADABLE.exists(), reason="no file that nobody can read")
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(UNREADABLE)

    with pytest.raises(ConfigurationError, match="cannot be read: Input/output error"):
        users_variables(tmp_path / ".gemini", {}, [])
