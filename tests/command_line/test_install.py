"""``sparring install`` and ``sparring uninstall``: what they write, keep, refuse and take out."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sparring.hosts.known import KNOWN_HOSTS
from support.workbench import Result, Workbench

HOSTS = [host.name for host in KNOWN_HOSTS]
SKILLS_IN = {
    "user": [".claude/skills", ".codex/skills", ".copilot/skills", ".config/opencode/skills", ".gemini/config/skills"],
    "project": [".claude/skills", ".codex/skills", ".github/skills", ".opencode/skills"],
}
SKILLS = ["chaired-debate", "consult", "cross-review", "debate", "fact-check", "jury"]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A machine on which our script is the only program."""
    bench = Workbench.below(tmp_path)
    bench.extra["PATH"] = str(bench.add_program("sparring").parent)
    return bench


def snapshot(bench: Workbench) -> dict[Path, bytes | None]:
    """Every file and folder below the home folder."""
    return {path: path.read_bytes() if path.is_file() else None for path in bench.root.rglob("*")}


def entry(bench: Workbench, path: str, *keys: str) -> Any:
    text = (bench.root / path).read_text(encoding="utf-8")
    content: Any = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
    for key in keys:
        content = content[key]
    return content


def refused(done: Result) -> str:
    """The sentence of a refusal."""
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    return done.err.strip()


def outcomes(done: Result) -> dict[str, str]:
    return {host["host"]: host["outcome"] for host in done.json["hosts"]}


@pytest.mark.parametrize("scope", list(SKILLS_IN))
def test_each_host_gets_an_entry_in_its_own_shape_and_the_skills_as_we_have_them(bench: Workbench, scope: str) -> None:
    assert bench.run("install", *HOSTS, *(("--project",) if scope == "project" else ())).code == 0
    user = scope == "user"
    program = entry(bench, ".cursor/mcp.json", "mcpServers", "sparring", "command") if user else "sparring"
    assert Path(program).is_absolute() == user
    at = "" if user else "project/"
    plain = {"command": program, "args": ["serve"]}
    claude = ".claude.json" if user else "project/.mcp.json"
    assert entry(bench, claude, "mcpServers") == {"sparring": {"type": "stdio", **plain}}
    times = {"startup_timeout_sec": 60, "tool_timeout_sec": 900}
    assert entry(bench, f"{at}.codex/config.toml") == {"mcp_servers": {"sparring": {**plain, **times}}}
    patient: dict[str, object] = {"timeout": 900_000}
    copilot = ".copilot/mcp-config.json" if user else "project/.github/mcp.json"
    local = {"type": "local", **patient}
    assert entry(bench, copilot, "mcpServers", "sparring") == {**plain, **local, "tools": ["*"]}
    assert entry(bench, f"{at}.gemini/settings.json", "mcpServers", "sparring") == {**plain, **patient}
    opencode = ".config/opencode/opencode.json" if user else "project/opencode.json"
    assert entry(bench, opencode, "mcp", "sparring") == {**local, "command": [program, "serve"], "enabled": True}
    agy = ".gemini/config/mcp_config.json" if user else "project/.agents/mcp_config.json"
    assert entry(bench, agy, "mcpServers", "sparring") == plain
    assert entry(bench, f"{at}.cursor/mcp.json", "mcpServers", "sparring") == plain

    root = bench.root if user else bench.project
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in (bench.root / ".codex").rglob("*")}
    assert modes == ({(True, 0o700), (False, 0o600)} if user else set())
    ours = Path(__file__).parents[2] / "skills"
    for place in SKILLS_IN[scope]:
        assert sorted(folder.name for folder in (root / place).iterdir()) == SKILLS
        for name in SKILLS:
            lines = (root / place / name / "SKILL.md").read_text(encoding="utf-8").splitlines(keepends=True)
            hints = [line for line in lines if line.startswith("argument-hint: ")]
            assert len(hints) == (place == ".claude/skills")  # a field of Claude Code alone
            assert [line for line in lines if line not in hints] == (ours / name / "SKILL.md").read_text(
                encoding="utf-8"
            ).splitlines(keepends=True)


def test_a_second_installation_writes_nothing_and_so_does_a_second_removal(bench: Workbench) -> None:
    before = snapshot(bench)
    bench.run("install", *HOSTS)
    installed = snapshot(bench)
    again = bench.run("install", *HOSTS)
    assert again.code == 0
    assert again.out.splitlines() == [f"{host.title}: nothing to change." for host in KNOWN_HOSTS]
    assert snapshot(bench) == installed
    assert bench.run("uninstall", "all").code == 0
    assert snapshot(bench) == before
    assert set(outcomes(bench.run("uninstall", "all", "--json")).values()) == {"unchanged"}


def test_a_dry_run_says_what_changes_in_which_file_and_every_line_if_asked_and_writes_nothing(bench: Workbench) -> None:
    settings = bench.root / ".claude.json"
    settings.write_text('{\n  "numStartups": 3\n}\n', encoding="utf-8")
    before = snapshot(bench)
    summary = bench.run("install", "claude", "--dry-run").out
    assert f"  would change {settings} (10 lines more, 1 less)\n" in summary
    assert len(summary.splitlines()) == len(SKILLS) + 5
    done = bench.run("install", "claude", "--diff")
    assert snapshot(bench) == before
    for line in (
        f"--- {settings}\n",
        '\n+    "sparring": {',
        "\n+# Debate",
        "Nothing was written: this was a dry run.\n",
    ):
        assert line in done.out
    assert done.out.count(f"  would create {bench.root}") == len(SKILLS)
    bench.run("install", "claude")
    before = snapshot(bench)
    assert '-    "sparring": {' in bench.run("uninstall", "claude", "--diff").out
    assert snapshot(bench) == before


def test_uninstalling_restores_earlier_content_exactly(bench: Workbench) -> None:
    texts = {
        ".cursor/mcp.json": '{"mcpServers": {}}',
        ".copilot/mcp-config.json": "",
        ".gemini/settings.json": '\ufeff{\r\n\t"mcpServers": { /* none yet */ },\r\n}',
        ".codex/config.toml": '[mcp_servers.sparring]\ncommand = "old"\n\n# mine\n[profiles.fast]',
    }
    for path, text in texts.items():
        (bench.root / path).parent.mkdir()
        (bench.root / path).write_bytes(text.encode())
    for _ in range(2):  # the second time the copies of the first are good enough
        bench.run("install", "cursor", "copilot", "gemini", "codex")
        done = bench.run("uninstall", "all")
        assert done.out.count("has the entry again that was there before the installation.") == 1
    assert {path: (bench.root / path).read_bytes().decode() for path in texts} == texts
    copies = sorted(path.name.removesuffix(".before-sparring") for path in bench.root.rglob("*.before-sparring*"))
    assert copies == ["config.toml", "mcp-config.json", "mcp.json", "settings.json"]


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [
        (".cursor/mcp.json", b'{"mcpServers": {', "cannot be parsed"),
        (".cursor/mcp.json", b"null", "cannot be parsed"),
        (".cursor/mcp.json", b'{"mcpServers": []}', "its 'mcpServers' is not an object"),
        (".cursor/mcp.json", b'{"mcpServers": {"sparring": "x"}}', "its mcpServers.sparring is not an object"),
        (".cursor/mcp.json", b"[]", "it is not a JSON object"),
        (".cursor/mcp.json", b'{"a": "\xff"}', "it is not UTF-8"),
        (".codex/config.toml", b"mcp_servers = 3", "its 'mcp_servers' is not an object"),
        (".codex/config.toml", b"[[", "cannot be parsed"),
        (".codex/skills/jury/SKILL.md", b"# Jury\nmetadata:\n  provided-by: nobody\n", "is not from sparring"),
        (".codex/skills/jury/SKILL.md/x", b"", "is not a file"),
    ],
)
def test_any_obstacle_keeps_everything_from_being_written(
    bench: Workbench, path: str, content: bytes, reason: str
) -> None:
    file = bench.root / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    before = snapshot(bench)
    sentence = refused(bench.run("install", "claude", "codex", "cursor"))
    for part in (reason, path.removesuffix("/x"), "Nothing was changed anywhere."):
        assert part in sentence
    assert snapshot(bench) == before


def test_settings_of_the_size_of_a_disk_are_not_read(bench: Workbench) -> None:
    file = bench.root / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.touch()
    os.truncate(file, 64 * 1024 * 1024 + 1)
    assert "is larger than 67,108,864 bytes" in refused(bench.run("install", "cursor"))


def test_hosts_that_share_their_settings_are_set_up_one_at_a_time(bench: Workbench) -> None:
    (bench.root / ".copilot").mkdir()
    (bench.root / ".copilot" / "mcp-config.json").symlink_to(bench.root / ".claude.json")
    sentence = refused(bench.run("install", "claude", "copilot"))
    assert f"{bench.root}/.claude.json belongs to two hosts. Nothing was changed anywhere." in sentence
    assert not (bench.root / ".claude.json").exists()


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_an_entry_for_a_server_at_an_address_is_left_to_the_user(bench: Workbench, command: str) -> None:
    theirs = {"sparring": {"url": "http://127.0.0.1:9"}}
    (bench.root / ".claude.json").write_text(json.dumps({"mcpServers": theirs}), encoding="utf-8")
    bench.run("install", "claude")
    assert (bench.root / ".claude/skills/debate/SKILL.md").is_file()
    (bench.root / ".claude/skills/debate/SKILL.md").unlink()
    done = bench.run(command, "claude")
    assert f"The entry in {bench.root}/.claude.json is for a server at an address, so it stays." in done.out
    assert entry(bench, ".claude.json", "mcpServers") == theirs


def test_all_means_every_installed_host_and_lists_the_others(bench: Workbench) -> None:
    nowhere = bench.run("install", "all")
    assert (nowhere.code, "No host was found on this machine." in nowhere.err) == (3, True)
    (bench.root / ".gemini").mkdir()
    bench.add_program("codex")
    done = bench.run("install", "all", "--json")
    assert outcomes(done) == {name: "done" if name in {"codex", "gemini"} else "skipped" for name in HOSTS}
    assert {host["reason"] for host in done.json["hosts"]} == {"", "It was not found on this machine."}


def test_an_entry_in_the_second_file_of_a_host_is_found_there(bench: Workbench) -> None:
    folder = bench.root / ".config" / "opencode"
    folder.mkdir(parents=True)
    first, second = folder / "opencode.json", folder / "opencode.jsonc"
    first.write_text("{}\n", encoding="utf-8")
    begin, end = '{\n  // mine\n  "mcp": {"sparring": {"environment": {"A": "1"}', "}},\n}\n"
    second.write_text(begin + end, encoding="utf-8")
    bench.run("install", "opencode")
    after = second.read_text(encoding="utf-8")
    assert after.startswith(f"{begin}, ")
    assert after.endswith(end)
    assert first.read_text(encoding="utf-8") == "{}\n"


def test_a_damaged_record_of_what_was_made_is_reported(bench: Workbench) -> None:
    record = bench.root / "config" / "installed.json"
    record.write_text("{", encoding="utf-8")
    assert f"{record} cannot be read." in refused(bench.run("uninstall", "cursor"))


@pytest.mark.process
@pytest.mark.skipif(os.name == "nt", reason="folders cannot be locked there")
def test_installations_at_the_same_time_remember_what_each_has_made(bench: Workbench) -> None:
    running = [bench.start("install", host) for host in ("claude", "codex", "gemini", "opencode")]
    for each in running:
        each.communicate(timeout=120)
    assert [each.returncode for each in running] == [0] * 4
    assert bench.run("uninstall", "claude", "codex", "gemini", "opencode").code == 0
    assert not [path for path in snapshot(bench) if "skills" in path.parts]
    assert not list(bench.root.rglob("installed.json"))
