"""What the programs share: files made to hold secrets, settings, kept sessions; and what Claude Code may not read."""

import fnmatch
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.providers.cli import confinement
from sparring.providers.cli.claude import confinement as claude
from sparring.providers.cli.confinement import FILES, FOLDERS, KEPT_DAYS, Surroundings, in_any_case, kept_sessions
from sparring.providers.known import load_providers
from sparring.schema.base import RepoAccess
from sparring.schema.providers import TEXT, ProgramProvider
from sparring.text.secret_shapes import may_hold_secrets
from support.confined import furnished, started
from support.desk import TOOLS, command_line, question, write
from support.texts import texts


def denied(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, in_any_case(pattern)) for pattern in FILES)


def test_only_files_for_secrets_are_denied() -> None:
    tables = texts("providers")
    (secret,), (harmless,) = tables["a-file-that-is-made-to-hold-secrets-is-denied"], tables["a-harmless-file-is-not"]
    assert [name for name in secret if not (denied(name) and may_hold_secrets(name))] == []
    assert [name for name in harmless if denied(name) or may_hold_secrets(name)] == []
    assert [folder for folder in FOLDERS if not may_hold_secrets(f"{folder}/anything")] == []


DAY_S = 24 * 60 * 60
NOW = 100 * DAY_S


def aged(file: Path, days: float) -> None:
    write(file, "said")
    for each in (file, file.parent):
        os.utime(each, (0, NOW - days * DAY_S))


def test_only_old_sessions_are_removed_in_folders_and_as_single_files(tmp_path: Path) -> None:
    folder, days = tmp_path / "sessions", tmp_path / "2026"
    aged(folder / "old" / "said.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "first.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "last.jsonl", KEPT_DAYS - 1)
    (folder / "link").symlink_to(tmp_path)
    assert kept_sessions(folder, now=NOW) == folder
    assert sorted(path.name for path in folder.iterdir()) == ["continued", "link"]
    assert folder.stat().st_mode & 0o777 == 0o700
    aged(days / "01" / "old.jsonl", KEPT_DAYS + 1)
    aged(days / "02" / "new.jsonl", KEPT_DAYS - 1)
    kept_sessions(days, "*/*.jsonl", now=NOW)
    assert [path.name for path in days.rglob("*.jsonl")] == ["new.jsonl"]


# -- for each program


SETTINGS = {
    "codex": ".codex/config.toml",
    "copilot": ".copilot/settings.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
UNCLEAR = {
    ".toml": {"mcp_servers = [": "", "[mcp_servers]\nm = 3\n": "", "mcp_servers = 3": "", "\ufeff= 3": ""},
    ".json": {"{": "", "[1]": "it is not an object", "\udcff": ""},
}
NO_FILE = {
    ".": "cannot be read: Is a directory",
    "/dev/zero": "cannot be parsed: it is not a regular file",
    "loop": "cannot be read: Too many levels of symbolic links",
}


@pytest.mark.parametrize("tool", SETTINGS)
def test_unreadable_settings_are_an_error_and_never_taken_as_empty(tool: str, tmp_path: Path) -> None:
    file = tmp_path / "home" / SETTINGS[tool]
    file.parent.mkdir(parents=True)
    reasons = {**UNCLEAR[file.suffix], "[" * 100_000: "nested too deeply"}
    says_why = tool in {"copilot", "gemini"}
    told = {text: "cannot be parsed" + (f": {why}" if says_why else "") for text, why in reasons.items()}
    told[" " * (confinement.FILE_LIMIT + 1)] = f"is larger than {confinement.FILE_LIMIT} bytes"
    for number, (text, reason) in enumerate(told.items()):
        file.write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(ConfigurationError, match=re.escape(f"{file} {reason}")):
            furnished(tool, tmp_path, f"of-a-text-{number}")
    (file.parent / "loop").symlink_to("loop")
    for number, (target, reason) in enumerate(NO_FILE.items()):
        file.unlink()
        file.symlink_to(target)
        with pytest.raises(ConfigurationError, match=re.escape(f"{file} {reason}")):
            furnished(tool, tmp_path, f"of-a-link-{number}")


def test_a_project_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "a.py", "")
    assert len(list(confinement.walk_folder(tmp_path, "gemini", limit=1))) == 1
    with pytest.raises(
        ConfigurationError, match=f"{tmp_path} is too large to restrict gemini to the files that it may"
    ):
        list(confinement.walk_folder(tmp_path, "gemini", limit=0))


SESSION, ANOTHER = "5b457fc8-2b21-46c9-92e6-08596458a8e7", "0a1b2c3d-0000-4000-8000-00000000000a"
UNKNOWN = {
    **{output: f'kind = "cli"\noutput = "{output}"\n[command]\nprogram = "mine"\n' for output in (TEXT, *TOOLS)},
    "acp": 'kind = "acp"\nprogram = "mine"\n',
}
"""Provider files of programs that nobody knows, by what they print."""


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, ProgramProvider]:
    folder = tmp_path_factory.mktemp("providers")
    for name, lines in UNKNOWN.items():
        common = 'family = "none"\ntitle = "Mine"\nrepo_access = ["none", "read"]\n'
        write(folder / f"mine-{name}.toml", common + lines)
    specs = load_providers(folder).specs
    return {name: cast("ProgramProvider", specs[f"mine-{name}"]) for name in UNKNOWN}


@given(
    printed=st.sampled_from(sorted(UNKNOWN)),
    access=st.sampled_from(RepoAccess),
    keeps=st.booleans(),
    session=st.sampled_from([None, SESSION]),
    variables=st.dictionaries(
        st.sampled_from(["PATH", "HOME", "TOKEN", "OPENAI_API_KEY", "SPARRING_DEPTH"]), st.just("1")
    ),
)
def test_an_unknown_program_sees_the_project_only_with_read_access(
    unknown: Mapping[str, ProgramProvider],
    printed: str,
    access: RepoAccess,
    session: str | None,
    variables: dict[str, str],
    *,
    keeps: bool,
) -> None:
    """Whatever kind of program it is, whatever it prints, and whatever it is asked."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write(root / "project" / "notes.txt", "of nobody's concern")
        asked = {"repo_access": access, "keep_session": keeps, "session_id": session}
        confined = started(unknown[printed], root, "own", variables, **asked)
        if access is RepoAccess.READ:
            assert confined.cwd == root / "project"
        else:
            assert list(confined.cwd.iterdir()) == []
            assert not (root / "project").is_relative_to(confined.cwd)
            assert confined.cwd == (
                root / "private" / "empty" / unknown[printed].name if keeps or session else root / "own"
            )
        assert set(confined.environment) <= {"PATH", "HOME", "SPARRING_DEPTH"}
        assert (confined.tools, confined.arguments, confined.preamble) == ((), (), "")


@pytest.mark.parametrize("tool", [*TOOLS, "opencode-acp"])
def test_no_known_program_is_started_in_a_project_that_it_may_not_read(tool: str, tmp_path: Path) -> None:
    spec = cast("ProgramProvider", load_providers(None).specs[tool])
    confined = started(spec, tmp_path)
    assert not confined.cwd.is_relative_to(tmp_path / "project")
    told = json.dumps([*confined.arguments, *confined.environment.values()])
    assert str(tmp_path / "project") not in told


DAY = "sessions/2026/11/22/rollout-2026-11-22T10-00-00-{}.jsonl"


@pytest.mark.parametrize(
    ("tool", "held", "seen"),
    [
        ("codex", f"private/codex/{DAY}", DAY),
        ("codex", f"home/.codex/{DAY}", DAY),
        ("copilot", "private/copilot/sessions/{}/events.jsonl", "session-state/{}/events.jsonl"),
        ("gemini", "private/gemini/sessions/{}/chat", ".gemini/tmp/chat"),
    ],
)
def test_a_session_continues_in_its_place_or_in_a_copy(tool: str, held: str, seen: str, tmp_path: Path) -> None:
    furnished(tool, tmp_path, "missing", session_id=SESSION)
    assert not (tmp_path / "missing" / seen.format(SESSION)).exists()
    file = write(tmp_path / held.format(SESSION), "said")
    write(tmp_path / held.format(ANOTHER), "of no matter here")
    for name, keeps in (("once", False), ("kept", True)):
        furnished(tool, tmp_path, name, session_id=SESSION, keep_session=keeps)
        place = tmp_path / name / seen.format(SESSION)
        assert place.read_text(encoding="utf-8") == "said"
        place.write_text("more", encoding="utf-8")
        assert file.read_text(encoding="utf-8") == ("more" if keeps else "said")
    assert not any(ANOTHER in str(path) for path in (tmp_path / "once").rglob("*"))


def rules_of_claude(environment: dict[str, str], project: Path) -> list[str]:
    spec = command_line("claude")
    surroundings = Surroundings(environment, project, project / "private", (project / "[state]" / "debate",))
    flag, value = claude.confine(spec, question(repo_access=RepoAccess.READ), surroundings, lambda: project).arguments
    settings = json.loads(value)
    assert (flag, settings["verbose"], settings["permissions"].keys()) == ("--settings", False, {"deny"})
    assert settings.keys() == {"verbose", "permissions"}
    return settings["permissions"]["deny"]


def test_claude_is_denied_secrets_and_earlier_sessions() -> None:
    found = rules_of_claude({}, Path("/srv/project"))
    assert found[-1] == "Read(//tmp/claude-*/**)"
    assert "Read(**/.[eE][nN][vV][rR][cC])" in found
    assert "Read(**/.[gG][iI][tT]/**)" in found
    assert len(found) == len(set(found)) == len(FILES) + len(FOLDERS) + 3
    assert found[-3:-1] == ["Read(//srv/project/\\[state\\]/debate/**)", "Read(//srv/project/private/**)"]


def test_claudes_session_folder_is_denied_unless_the_project_is_inside(
    tmp_path: Path,
) -> None:
    (tmp_path / "real[1]").mkdir()
    (tmp_path / "link").symlink_to("real[1]")
    assert rules_of_claude({"TMPDIR": str(tmp_path / "link")}, Path("/srv"))[-2:] == [
        f"Read(/{tmp_path}/link/claude-*/**)",
        f"Read(/{tmp_path}/real\\[1\\]/claude-*/**)",
    ]
    project = tmp_path / "claude-0" / "-work" / "scratchpad"
    assert not any("claude-*" in rule for rule in rules_of_claude({"TMPDIR": str(tmp_path)}, project))
