from pathlib import Path
from typing import Any

import pytest

from sparring import providers
from sparring.providers.known import FILE_LIMIT, ProviderProblem, line_of, load_providers, understood
from sparring.schema.base import Effort
from sparring.schema.providers import ApiProvider, CliProvider
from support.desk import write
from support.texts import texts

FILES = {
    file.parent.name if file.stem == "provider" else file.stem: file
    for file in Path(providers.__file__).parent.rglob("*.toml")
}
BUILT_IN = sorted(FILES)

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


def test_no_provider_names_a_model_and_search_support_is_declared() -> None:
    specs = load_providers(None).specs.values()
    programs = [spec for spec in specs if isinstance(spec, CliProvider)]
    assert not any({"--model", "-m"} & {*spec.command.argv} for spec in programs)
    assert {spec.model for spec in specs if isinstance(spec, ApiProvider)} == {None}
    efforts = [sorted(spec.efforts) for spec in programs if not spec.prints_text]
    assert efforts == [sorted(Effort)] * len(efforts)
    assert {spec.name: spec.web_tools for spec in programs if spec.can_search} == {
        "claude": ("WebSearch", "WebFetch"), "codex": ("web_search",), "gemini": ("google_web_search",),
    }  # fmt: skip


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_provider_passes_the_checks_of_a_users_file(name: str) -> None:
    read = understood(name, FILES[name], FILES[name].read_text(encoding="utf-8"))
    assert read == load_providers(None).specs[name]


def test_a_users_file_adds_a_provider_or_takes_the_place_of_a_built_in_one(tmp_path: Path) -> None:
    assert load_providers(tmp_path / "nowhere") == load_providers(None)
    files = [write(tmp_path / f"{name}.toml", MINE) for name in ("claude", "mine")]
    found = load_providers(tmp_path)
    assert sorted(found.specs) == sorted([*BUILT_IN, "mine"])
    own = [(name, found.specs[name].title, found.origin(name)) for name in ("claude", "mine")]
    assert own == [(file.stem, "My own", str(file)) for file in files]


def test_a_malformed_file_takes_out_its_provider_and_nothing_else(tmp_path: Path) -> None:
    deep: list[Any] = ["a = " + "[" * 100_000, [], None, "is nested too deeply"]
    for text, change, line, reason in [*texts("providers")["a-malformed-file-of-a-provider-is-a-problem"], deep]:
        file = write(tmp_path / "claude.toml", text.replace("{mine}", MINE.replace(*change) if change else MINE))
        found = load_providers(tmp_path)
        (problem,) = found.problems
        assert (problem.file, problem.line) == (file, line)
        assert reason in problem.reason
        assert sorted(found.specs) == [name for name in BUILT_IN if name != "claude"]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        (f'[headers]\nX-Team = "blue"\nX-Key = "{TOKEN}"', 8, "headers.X-Key looks like a key; name its variable"),
        ('headers = { Authorization = "Bearer me" }', 6, "headers.Authorization.[key]: is where a key goes; name its"),
        ('key = "x"', 6, "key is not known here"),
    ],
)
def test_a_key_in_a_file_is_a_problem_and_not_repeated(text: str, line: int, reason: str, tmp_path: Path) -> None:
    api = 'kind = "api"\nfamily = "mine"\ntitle = "Mine"\napi = "chat-completions"\nbase_url = "https://api.example"\n'
    write(tmp_path / "mine.toml", api + text)
    (problem,) = load_providers(tmp_path).problems
    assert problem.line == line
    assert reason in problem.reason
    assert TOKEN not in str(problem)


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    write(tmp_path / "b.toml", "#" * (FILE_LIMIT + 1))
    (tmp_path / "codex.toml").mkdir()
    found = load_providers(tmp_path)
    assert "utf-8" in found.problems[0].reason
    assert found.problems[1:] == (
        ProviderProblem(tmp_path / "b.toml", None, f"is larger than {FILE_LIMIT} bytes"),
        ProviderProblem(tmp_path / "codex.toml", None, "cannot be read: Is a directory"),
    )
    assert "codex" not in found.specs
    told = [str(ProviderProblem(Path("a.toml"), line, "wrong")) for line in (None, 3)]
    assert told == ["a.toml: wrong", "a.toml:3: wrong"]


def test_the_line_of_a_key_or_of_the_table_around_it_is_found() -> None:
    tables = texts("providers")
    (source,), lines = tables["a-file-of-keys"], tables["the-line-of-a-key"]
    assert [[place, line_of(source, place)] for place, _ in lines] == lines
