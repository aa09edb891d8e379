"""``sparring models``, and whose provider files count."""

from pathlib import Path

import pytest

from support.workbench import Workbench

SCRIPTED = 'kind = "scripted"\nfamily = "none"\ntitle = "Somebody"\nscript = "replies.json"\n'
REPLIES = '{"replies": [{"response": "Chosen by the repository."}]}'
MISSING = 'kind = "cli"\nfamily = "none"\ntitle = "Nowhere"\noutput = "claude"\ninstall = "Build it."\n[command]\nprogram = "no-such-program"\nargv = []\n'  # noqa: E501 -- one file


def add(folder: Path, name: str, text: str = SCRIPTED) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "replies.json").write_text(REPLIES, encoding="utf-8")
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_each_provider_is_listed_with_its_kind_family_origin_and_whether_it_can_be_asked(bench: Workbench) -> None:
    file = add(bench.providers, "nowhere", MISSING)
    found = bench.run("models", "--json")
    listed = {provider["name"]: provider for provider in found.json["providers"]}
    assert found.code == 0
    assert {"claude", "codex", "offline", "ann", "nowhere"} <= listed.keys()
    offline = {"name": "offline", "kind": "offline", "family": "rules", "title": "offline (built in, no model)"}
    ready = {"origin": "built-in", "available": True, "location": "", "problem": "", "advice": ""}
    assert listed["offline"] == offline | ready
    nowhere = {"name": "nowhere", "kind": "cli", "family": "none", "title": "Nowhere", "origin": str(file)}
    problem = "Nowhere is not installed: no `no-such-program` on PATH."
    missing = {"available": False, "location": "", "problem": problem, "advice": "Build it."}
    assert listed["nowhere"] == nowhere | missing
    assert f"Your own provider files: {bench.providers}\n" in bench.run("models").out


def test_a_malformed_file_is_reported_with_its_line_and_disables_only_its_provider(bench: Workbench) -> None:
    file = add(bench.providers, "claude", MISSING.replace("argv = []", 'argv = []\ncolour = "red"'))
    listed = bench.run("models")
    assert (listed.code, f"!! {file}:9: command.colour is not known here" in listed.out) == (0, True)
    assert "claude" not in {provider["name"] for provider in bench.run("models", "--json").json["providers"]}
    asked = bench.run("consult", "Well?", "--tool", "claude")
    told = f"The provider file of 'claude' cannot be used: {file}:9: command.colour"
    assert (asked.code, told in asked.err) == (2, True)
    assert bench.run("consult", "Well?", "--tool", "ann").code == 0


@pytest.mark.parametrize("place", [".sparring/providers", ".config/sparring/providers", ".claude/providers"])
def test_a_provider_file_of_the_repository_is_ignored_with_a_notice(place: str, bench: Workbench) -> None:
    bench.extra["AI_STATE_DIR"] = ".claude"
    file = add(bench.project / place, "ann")
    done = bench.run("consult", "Well?", "--tool", "ann")
    notice = f"[WARN] Ignored {place}/ann.toml: a repository must not choose what is executed."
    assert (done.code, "An answer." in done.out, notice in done.err) == (0, True, True)
    assert f"!! {file}: ignored" in bench.run("models").out


def test_a_config_folder_inside_the_repository_is_the_repositorys(bench: Workbench) -> None:
    for name in ("eve", "fay", "guy", "hal"):
        add(bench.project / "providers", name)
    bench.extra["SPARRING_CONFIG_DIR"] = str(bench.project)
    done = bench.run("consult", "Well?", "--with", "offline")
    assert "providers/eve.toml, providers/fay.toml, providers/guy.toml and 1 more" in done.err
    assert bench.run("consult", "Well?", "--tool", "eve").code == 2


def test_a_home_folder_under_version_control_is_still_the_users_own(bench: Workbench) -> None:
    bench.extra["HOME"] = str(bench.project)
    bench.extra["SPARRING_CONFIG_DIR"] = str(bench.project / ".config" / "sparring")
    add(bench.project / ".config" / "sparring" / "providers", "eve")
    done = bench.run("consult", "Well?", "--tool", "eve")
    assert (done.code, "Chosen by" in done.out, "[WARN]" in done.err) == (0, True, False)
