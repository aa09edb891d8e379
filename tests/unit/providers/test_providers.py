import os
import sys
from pathlib import Path

import pytest

from sparring import providers
from sparring.providers.available import Available, Missing, NotExecutable, availability, unsupported
from sparring.providers.known import FILE_LIMIT, ProviderProblem, load_providers
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Question
from sparring.schema.providers import ApiProvider, CliProvider, OfflineProvider, ProviderSpec, ScriptedProvider
from support.desk import question

BUILT_IN = sorted(file.stem for file in (Path(providers.__file__).parent / "built_in").iterdir())

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3

MINE = """
kind = "cli"
family = "mine"
title = "My own"
output = "claude"
[command]
program = "mine"
argv = ["ask"]
"""


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_the_built_in_providers_are_all_well_formed() -> None:
    found = load_providers(None)

    assert (sorted(found.specs), found.problems) == (BUILT_IN, ())
    assert {found.origin(name) for name in found.specs} == {"built-in"}


def test_no_provider_names_a_model_and_who_can_search_is_known_beforehand() -> None:
    specs = load_providers(None).specs.values()
    programs = [spec for spec in specs if isinstance(spec, CliProvider)]

    assert not any({"--model", "-m"} & {*spec.command.argv} for spec in programs)
    assert {spec.model for spec in specs if isinstance(spec, ApiProvider)} == {None}
    assert [sorted(spec.efforts) for spec in programs] == [sorted(Effort)] * len(programs)
    assert {spec.name: spec.web_tools for spec in programs if spec.can_search} == {
        "claude": ("WebSearch", "WebFetch"), "codex": ("web_search",), "gemini": ("google_web_search",),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["mine", "claude"])
def test_a_users_file_adds_a_provider_or_takes_the_place_of_a_built_in_one(name: str, tmp_path: Path) -> None:
    assert load_providers(tmp_path / "nowhere") == load_providers(None)
    file = write(tmp_path, f"{name}.toml", MINE)

    found = load_providers(tmp_path)

    assert sorted(found.specs) == sorted({*BUILT_IN, name})
    assert (found.specs[name].title, found.origin(name)) == ("My own", str(file))


def test_a_script_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    write(tmp_path, "me.toml", 'kind = "scripted"\nfamily = "none"\ntitle = "Me"\nscript = "replies.json"')

    spec = load_providers(tmp_path).specs["me"]

    assert spec == ScriptedProvider(name="me", family="none", title="Me", script=tmp_path / "replies.json")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("kind = 'cli'\nfamily = ?\n", 2, "is not TOML: "),
        ("", None, "Unable to extract tag"),
        ("kind = 'magic'", None, "Input tag 'magic'"),
        (MINE + "colour = 'red'", 9, "command.colour: Extra inputs"),
        (f"name = 'other'\n{MINE}", None, "name must be 'claude', like the file, or left out"),
        (MINE.replace('"mine"\nargv', '"./mine"\nargv'), 7, "command.program: must be a bare name"),
        (MINE.replace('["ask"]', '["{model}"]'), 6, "no fragment for ['model']"),
        (MINE + 'model = ["--model", "{model}"]', 6, "no place in argv for ['model']"),
        (MINE.replace('["ask"]', '["{model}"]') + 'model = ["--model"]', 6, "command: model must hold {model}"),
        (MINE + 'web = ["--search"]', 6, "command: web takes the place of access, which is not there"),
        (f"web_tools = ['search']{MINE}", None, "web_tools and command.web must be given together"),
        (MINE.replace('["ask"]', '["{access}"]') + 'web = ["--search"]\naccess.none = ["-n"]', None,
         "web_tools and command.web must be given together"),
        (MINE + 'session_pattern = "("', 9, "command.session_pattern: is not a regular expression"),
        (MINE + '[efforts]\nlow = "low"', None, "efforts and command.effort must be given together"),
        (MINE + '[environment]\nallow = ["A-B"]', 10, "environment.allow.0: String should match"),
        (MINE + '[environment.fixed]\nA = "\\u0000"', 10, "environment.fixed.A: must not hold control"),
        (MINE.replace('["ask"]', '["\\u0000"]'), 8, "command.argv.0: must not hold control"),
        (MINE.replace('"mine"\nargv', '"mi\\u0000ne"\nargv'), 7, "command.program: must not hold control"),
        pytest.param("a = " + "[" * 100_000, None, "is nested too deeply", id="nested too deeply"),
    ],
)  # fmt: skip
def test_a_malformed_file_takes_out_its_provider_and_nothing_else(
    text: str, line: int | None, reason: str, tmp_path: Path
) -> None:
    file = write(tmp_path, "claude.toml", text)

    found = load_providers(tmp_path)

    (problem,) = found.problems
    assert (problem.file, problem.line) == (file, line)
    assert reason in problem.reason
    assert sorted(found.specs) == [name for name in BUILT_IN if name != "claude"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f'[headers]\nX-Team = "blue"\nX-Key = "{TOKEN}"', 8, "headers.X-Key looks like a key; name the variable that"),
        ('headers = { Authorization = "Bearer me" }', 6, "headers.Authorization.[key]: is where a key goes; name the"),
        ('key = "x"', 6, "key: Extra inputs are not permitted"),
    ],
)
def test_a_key_in_a_file_is_a_problem_and_not_repeated(text: str, line: int, reason: str, tmp_path: Path) -> None:
    api = 'kind = "api"\nfamily = "mine"\ntitle = "Mine"\napi = "chat-completions"\nbase_url = "https://api.example"\n'
    write(tmp_path, "mine.toml", api + text)

    (problem,) = load_providers(tmp_path).problems

    assert problem.line == line
    assert reason in problem.reason
    assert TOKEN not in str(problem)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "b.toml").write_text("#" * (FILE_LIMIT + 1))
    (tmp_path / "codex.toml").mkdir()

    found = load_providers(tmp_path)

    assert "utf-8" in found.problems[0].reason
    assert found.problems[1:] == (
        ProviderProblem(tmp_path / "b.toml", None, f"is larger than {FILE_LIMIT} bytes"),
        ProviderProblem(tmp_path / "codex.toml", None, "cannot be read: Is a directory"),
    )
    assert "codex" not in found.specs
    assert [str(ProviderProblem(Path("a.toml"), line, "wrong")) for line in (None, 3)] == [
        "a.toml: wrong",
        "a.toml:3: wrong",
    ]


def program(path: str) -> CliProvider:
    spec = load_providers(None).specs["claude"]
    assert isinstance(spec, CliProvider)
    return spec.model_copy(update={"command": spec.command.model_copy(update={"program": path})})


def test_a_program_is_available_where_an_absolute_entry_of_the_path_leads_to_it_and_it_may_be_executed(
    tmp_path: Path,
) -> None:
    python, tool = Path(sys.executable), tmp_path / "claude"
    tool.touch(mode=0o700)
    relative, spec = os.path.relpath(tmp_path), program("claude")

    assert availability(program(python.name), {"PATH": str(python.parent)}) == Available(python)
    assert availability(program(sys.executable), {}) == Available(python)
    assert availability(spec, {"PATH": f"{relative}{os.pathsep}{tmp_path}"}) == Available(tool)
    assert availability(spec, {"PATH": relative}) == Missing(
        "Claude Code is not installed: no `claude` on PATH.", spec.install
    )
    tool.chmod(0o600)
    locked = NotExecutable(f"Claude Code cannot be started: `{tool}` may not be executed.", spec.install)
    assert [availability(each, {"PATH": str(tmp_path)}) for each in (spec, program(str(tool)))] == [locked] * 2


def test_a_script_is_available_when_it_is_there(tmp_path: Path) -> None:
    script = tmp_path / "replies.json"
    spec = ScriptedProvider(name="me", family="none", title="Me", install="Do this.")
    named = spec.model_copy(update={"script": script})

    assert availability(spec, {}) == Missing("me has no script.", "Do this.")
    assert isinstance(availability(named, {}), Missing)
    script.touch()
    assert availability(named, {}) == Available(script)
    assert availability(load_providers(None).specs["offline"], {}) == Available()


OFFLINE = OfflineProvider(name="offline", family="rules", title="Offline")
SCRIPTED = ScriptedProvider(name="me", family="none", title="Me")
SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"


def bare() -> CliProvider:
    spec = program("mine")
    plain = spec.command.model_copy(update={"model": (), "resume": ()})
    return spec.model_copy(update={"name": "mine", "command": plain, "efforts": {Effort.LOW: "low"}})


def built_in(name: str) -> ProviderSpec:
    return load_providers(None).specs[name]


@pytest.mark.parametrize(
    ("spec", "asked", "reason"),
    [
        (program("claude"), question(model="opus", effort=Effort.MAX, session_id=SESSION), None),
        (program("claude"), question(session_id="the-last"), "'the-last' is not an id of a claude session."),
        (bare(), question(effort=Effort.LOW), None),
        (bare(), question(model="opus"), "mine cannot be told which model to use; leave the model out."),
        (bare(), question(effort=Effort.MAX), "mine has no effort level 'max'; it knows: low."),
        (bare(), question(session_id=SESSION), "mine cannot continue a session."),
        (program("claude"), question(web=True), None),
        (program("claude"), question(web=True, repo_access=RepoAccess.READ),
         "claude can be allowed to search the web or to read the repository, not both at once."),
        (built_in("gemini"), question(web=True, repo_access=RepoAccess.READ),
         "gemini can be allowed to search the web or to read the repository, not both at once."),
        *((built_in(name), question(model="m-1", web=True), f"{name} cannot be allowed to search the web.")
            for name in ("anthropic", "copilot", "opencode", "opencode-acp")),
        (OFFLINE, question(web=True), "offline cannot be allowed to search the web."),
        (SCRIPTED, question(web=True), None),
        (OFFLINE, question(effort=Effort.MAX), None),
        (OFFLINE, question(model="opus"), "offline works without a model; it cannot use 'opus'."),
        (OFFLINE, question(session_id="s-1"), "offline keeps no sessions; it cannot continue 's-1'."),
        (SCRIPTED, question(model="opus", effort=Effort.MAX, session_id="s-1"), None),
        (built_in("host"), question(repo_access=RepoAccess.READ, effort=Effort.HIGH), None),
        (built_in("host"), question(model="opus"), "host has the model that its user chose; it cannot use 'opus'."),
        (built_in("host"), question(session_id="s-1"), "host is one conversation; it cannot continue 's-1'."),
        (built_in("host"), question(web=True), "host cannot be allowed to search the web."),
    ],
)  # fmt: skip
def test_what_a_provider_cannot_do_is_said(spec: ProviderSpec, asked: Question, reason: str | None) -> None:
    assert unsupported(spec, asked) == reason
