"""A chaired debate as a user asks for it, made complete: the config file, the seats, who may search, where files go."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.app import App
from sparring.errors import UsageError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.seating.options import Given
from support.golden import Golden
from support.installed import app_with
from support.playing import shown
from support.workbench import Workbench

pytestmark = pytest.mark.slow


TOPIC = "A four-day week raises productivity."
SEATED: Mapping[str, Any] = {"topic": TOPIC, "promoter": "ann", "detractor": "bob", "chair": "cy"}
SCRIPTED = ChairedDebateOptions(**SEATED)
WHOLE = {
    "topic": "Another.",
    "output_dir": "debates/first",
    "min_rounds": 2,
    "max_rounds": 4,
    "time_budget_minutes": 1.5,
    "models": {"promoter": "ann:m-1", "detractor": "bob", "chair": "cy", "audience": "cy", "reporter": "ann"},
}
NULLS = {"topic": TOPIC, "output_dir": None, "language": "vi", "style": 1, "models": {"verifier": "x", "chair": "cy"}}
REAL = {"models": {"promoter": "claude", "detractor": "codex", "audience": "gemini"}}


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


def configure(bench: Workbench, config: object, path: str = "config/debate-config.json") -> Path:
    file = bench.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
    return file


REQUESTS: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None, str]] = {
    "what is not said is as the specification has it": (SEATED, None, ""),
    "the config file says what was not typed": ({}, WHOLE, ""),
    "what was typed goes before the config file": (
        {**SEATED, "output_dir": "b", "max_rounds": 2, "time_budget_minutes": 0.5},
        WHOLE,
        "",
    ),
    # Where one bound of the rounds is said, the other gives way.
    "at most one round": ({**SEATED, "max_rounds": 1}, None, ""),
    "at least five": ({**SEATED, "min_rounds": 5}, None, ""),
    "at least none, and the config says at most one": ({**SEATED, "min_rounds": 0}, {"max_rounds": 1}, ""),
    "at least four, says the config": (SEATED, {"min_rounds": 4}, ""),
    "null or unknown in the config is no error": ({"promoter": "ann", "detractor": "bob"}, NULLS, ""),
    "a long list of unknown members is cut": (SEATED, {f"x{number:02}": 1 for number in range(12)}, ""),
    # Empty seats are given to different tools as far as they go, and debaters search if their tool can.
    "three tools": ({"topic": TOPIC}, None, "claude codex gemini"),
    "two tools": ({"topic": TOPIC}, None, "claude codex"),
    "one tool": ({"topic": TOPIC}, None, "claude"),
    "a detractor was named": ({"topic": TOPIC, "detractor": "claude"}, None, "claude codex gemini"),
    "debaters and a provider for the rest": (
        {"topic": TOPIC, "promoter": "ann:m-1", "detractor": "bob", "provider": "offline"},
        None,
        "",
    ),
    "a chair of the promoter's family": (
        {"topic": TOPIC, "promoter": "copilot", "detractor": "bob", "chair": "opencode"},
        None,
        "copilot opencode",
    ),
    "the provider for every seat goes before the config, so that offline needs nothing": (
        {"topic": TOPIC, "provider": "offline"},
        REAL,
        "claude",
    ),
    "only the promoter can search": ({"topic": TOPIC, "promoter": "claude", "provider": "offline"}, None, "claude"),
    "nobody may search": (
        {"topic": TOPIC, "promoter": "claude", "provider": "offline", "no_web": True},
        None,
        "claude",
    ),
}


def test_a_request_is_made_complete_from_what_was_typed_the_config_and_what_is_installed(
    tmp_path: Path, golden: Golden
) -> None:
    made = dict[str, ChairedDebateRequest]()
    for name, (typed, config, installed) in REQUESTS.items():
        bench = Workbench.below(tmp_path / str(len(made)))
        if config:
            configure(bench, config)
        made[name] = app_with(bench, *installed.split()).request(ChairedDebateOptions.model_validate(typed))
    golden.holds("requests/chaired-debate.txt", shown(made))


def test_a_named_config_is_read_instead_and_may_lie_anywhere_if_the_user_names_it(bench: Workbench) -> None:
    configure(bench, {"topic": "The project's."})
    elsewhere = bench.root / "elsewhere.json"
    elsewhere.write_text(json.dumps({"topic": TOPIC}), encoding="utf-8")
    app = app_with(bench)
    options = SCRIPTED.model_copy(update={"topic": "", "config": str(elsewhere)})
    assert app.request(options, Given(is_by_user=True)).topic == TOPIC
    with pytest.raises(UsageError, match="outside of the project"):
        app.request(options)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("{", "config/debate-config.json cannot be used: It is not JSON: "),
        ("[" * 5000, "config/debate-config.json cannot be used: It is not JSON: "),
        ("[1]", "config/debate-config.json cannot be used: It must hold one JSON object."),
        ('{"min_rounds": "two"}', "config/debate-config.json cannot be used: min_rounds must be a whole number"),
        ('{"time_budget_minutes": 0}', "cannot be used: time_budget_minutes must be more than 0; it is 0."),
        ('{"models": ["ann"]}', "config/debate-config.json cannot be used: models must be a table"),
        ('{"max_rounds": 11}', "max_rounds must be at most 10; it is 11."),
        (
            '{"min_rounds": 3, "max_rounds": 2}',
            "min_rounds is 3 and max_rounds is 2: the least cannot be more than the most.",
        ),
        ('{"output_dir": "../up"}', "The output folder '../up' leads upwards with `..`."),
        (" " * 65_537, "config/debate-config.json has more than 64 KiB, the most that a config file may have."),
        (
            '{"models": {"audience": "opus"}}',
            "config/debate-config.json says that the audience is 'opus': There is no tool named 'opus'.",
        ),
        ('{"models": {"audience": "opus"}}', "Write a tool, or a tool and its model, e.g. claude:MODEL."),
        ('{"models": {"audience": "ann:-x"}}', "model: '-x' begins with a hyphen"),
    ],
)
def test_a_config_that_cannot_be_used_is_refused_in_a_sentence(bench: Workbench, config: str, sentence: str) -> None:
    configure(bench, config)
    with pytest.raises(UsageError) as refusal:
        app_with(bench).request(SCRIPTED)
    assert sentence in str(refusal.value)


def test_a_config_that_is_a_link_out_of_the_project_or_a_folder_is_refused(bench: Workbench) -> None:
    outside = bench.root / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    app, file = app_with(bench), configure(bench, {})
    file.unlink()
    file.symlink_to(outside)
    with pytest.raises(UsageError, match="outside of the project"):
        app.request(SCRIPTED)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        app.request(SCRIPTED)


def test_without_a_topic_anywhere_it_is_said_where_to_write_one(bench: Workbench) -> None:
    app = app_with(bench)
    with pytest.raises(UsageError, match=r"no topic .* write it in config/debate-config.json"):
        app.request(SCRIPTED.model_copy(update={"topic": " "}))
    configure(bench, {"topic": " "})
    with pytest.raises(UsageError, match=r"no topic .* write it in config/debate-config.json"):
        app.request(SCRIPTED.model_copy(update={"topic": ""}))


def test_the_chair_is_of_another_family_if_there_is_one(bench: Workbench) -> None:
    for name, family in (("eve", "anthropic"), ("fay", "solo")):
        (bench.providers / f"{name}.toml").write_text(
            f'kind = "cli"\nfamily = "{family}"\ntitle = "{name}"\noutput = "claude"\n'
            '[command]\nprogram = "sh"\nargv = ["{effort}"]\neffort = ["{effort}"]\n[efforts]\nmedium = "m"\n',
            encoding="utf-8",
        )
    app = app_with(bench, "claude", "codex", "sh")
    request = app.request(ChairedDebateOptions(topic=TOPIC, promoter="claude", detractor="codex"))
    assert request.chair.tool == "fay"
    assert not [notice for notice in request.notices if notice.startswith("[WARN]")]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({**SEATED, "detractor": "ann:m-1"}, "Promoter and detractor must be different tools; both are ann"),
        ({**SEATED, "detractor": "ann", "provider": "cy"}, "Promoter and detractor must be different tools; both are"),
        ({**SEATED, "audience": "nobody"}, "no tool named 'nobody'"),
    ],
)
def test_seats_that_cannot_be_filled_are_refused(bench: Workbench, typed: Mapping[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        app_with(bench).request(ChairedDebateOptions.model_validate(typed))


@pytest.mark.parametrize(
    ("spelled", "folder"),
    [("out", "out"), ("out/deep/", "out/deep"), ("./out", "out"), (".", "."), ("a b", "a b"), ("  ", None)],
)
def test_the_output_folder_lies_below_the_project(bench: Workbench, spelled: str, folder: str | None) -> None:
    assert app_with(bench).request(SCRIPTED.model_copy(update={"output_dir": spelled})).output_dir == folder
    assert not (bench.project / "out").exists()


@pytest.mark.parametrize(
    ("spelled", "problem"),
    [
        ("/out", "is not relative to the project"),
        ("~/out", "is not relative to the project"),
        ("C:\\out", "is not relative to the project"),
        ("\\\\host\\out", "is not relative to the project"),
        ("a/../../b", "leads upwards"),
        ("a\\..\\b", "leads upwards"),
        (".git/hooks", "is a hidden one"),
        ("a/.claude/commands", "is a hidden one"),
        ("a\nb", "holds control characters"),
        ("link/out", "leads out of the project"),
        ("circle", "leads out of the project|is not a folder"),
        ("README.md", "is not a folder"),
    ],
)
def test_an_output_folder_that_lies_elsewhere_is_refused(bench: Workbench, spelled: str, problem: str) -> None:
    (bench.project / "link").symlink_to(bench.root)
    (bench.project / "circle").symlink_to("circle")
    with pytest.raises(UsageError, match=problem):
        app_with(bench).request(SCRIPTED.model_copy(update={"output_dir": spelled}))


def test_secrets_are_taken_out_of_the_topic(bench: Workbench) -> None:
    app: App = app_with(bench)
    request = app.request(SCRIPTED.model_copy(update={"topic": "Is ghp_" + "a1B2" * 9 + " a good token?"}))
    assert "ghp_" not in request.topic
