"""A chaired debate as a user asks for it, made complete: the config file, the seats, who may search, where files go."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import UsageError
from sparring.formats.chaired_debate.options import ChairedDebateOptions
from sparring.participants.options import AccompanyingInput
from sparring.schema.chaired_debate import ChairedDebateRequest
from support.desk import write
from support.golden import Golden
from support.installed import app_with
from support.playing import shown
from support.texts import texts
from support.workbench import Workbench

pytestmark = pytest.mark.slow

TOPIC = "A four-day week raises productivity."
REFUSED = texts("chaired-debate-refusals")
SEATED: Mapping[str, Any] = {"topic": TOPIC, "participants": "ann,bob,cy"}
OFFLINE: Mapping[str, Any] = {"topic": TOPIC, "participants": "offline"}
TYPED = {"output_dir": "b", "max_rounds": 2, "time_budget_minutes": 0.5}
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


def configure(bench: Workbench, config: object) -> Path:
    return write(bench.project / "config/debate-config.json", config if isinstance(config, str) else json.dumps(config))


REQUESTS: dict[str, tuple[Mapping[str, Any], Mapping[str, Any] | None, str]] = {
    "what is not said is as the specification has it": (SEATED, None, ""),
    "the config file says what was not typed": ({}, WHOLE, ""),
    "what was typed goes before the config file": ({**SEATED, **TYPED}, WHOLE, ""),
    # Where one bound of the rounds is said, the other gives way.
    "at most one round": ({**SEATED, "max_rounds": 1}, None, ""),
    "at least five": ({**SEATED, "min_rounds": 5}, None, ""),
    "at least none, and the config says at most one": ({**SEATED, "min_rounds": 0}, {"max_rounds": 1}, ""),
    "at least four, says the config": (SEATED, {"min_rounds": 4}, ""),
    "null or unknown in the config is no error": ({"participants": "ann,bob"}, NULLS, ""),
    "a long list of unknown members is cut": (SEATED, {f"x{number:02}": 1 for number in range(12)}, ""),
    # Empty seats are given to different tools as far as they go, and debaters search if their tool can.
    "three tools": ({"topic": TOPIC}, None, "claude codex gemini"),
    "two tools": ({"topic": TOPIC}, None, "claude codex"),
    "one tool": ({"topic": TOPIC}, None, "claude"),
    "a detractor was named": ({"topic": TOPIC, "seat": ["detractor=claude"]}, None, "claude codex gemini"),
    "debaters and a provider for the rest": ({**OFFLINE, "seat": ["promoter=ann:m-1", "detractor=bob"]}, None, ""),
    "a chair of the promoter's family": (
        {**SEATED, "seat": ["promoter=copilot", "chair=opencode"]},
        None,
        "copilot opencode",
    ),
    "the provider for every seat goes before the config, so that offline needs nothing": (OFFLINE, REAL, "claude"),
    "only the promoter can search": ({**OFFLINE, "seat": ["promoter=claude"]}, None, "claude"),
    "nobody may search": ({**OFFLINE, "seat": ["promoter=claude"], "no_web": True}, None, "claude"),
}


def test_a_request_is_completed_from_what_was_typed_the_config_and_the_tools(tmp_path: Path, golden: Golden) -> None:
    made = dict[str, ChairedDebateRequest]()
    for name, (typed, config, installed) in REQUESTS.items():
        bench = Workbench.below(tmp_path / str(len(made)))
        if config:
            configure(bench, config)
        made[name] = app_with(bench, *installed.split()).request(ChairedDebateOptions.model_validate(typed))
    golden.holds("requests/chaired-debate.txt", shown(made))


def test_a_named_config_is_read_instead_and_may_lie_anywhere_if_the_user_names_it(bench: Workbench) -> None:
    configure(bench, {"topic": "The project's."})
    elsewhere = write(bench.root / "elsewhere.json", json.dumps({"topic": TOPIC}))
    app = app_with(bench)
    options = SCRIPTED.model_copy(update={"topic": "", "config": str(elsewhere)})
    assert app.request(options, AccompanyingInput(is_by_user=True)).topic == TOPIC
    with pytest.raises(UsageError, match="outside of the project"):
        app.request(options)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        *REFUSED["config"],
        ("[" * 5000, "config/debate-config.json cannot be used: It is not JSON: "),
        (" " * 65_537, "config/debate-config.json has more than 64 KiB, the most that a config file may have."),
    ],
)
def test_a_config_that_cannot_be_used_is_refused_in_a_sentence(bench: Workbench, config: str, sentence: str) -> None:
    configure(bench, config)
    with pytest.raises(UsageError) as refusal:
        app_with(bench).request(SCRIPTED)
    assert sentence in str(refusal.value)


def test_a_config_that_is_a_link_out_of_the_project_or_a_folder_is_refused(bench: Workbench) -> None:
    app, file = app_with(bench), configure(bench, {})
    file.symlink_to(file.rename(bench.root / "outside.json"))
    with pytest.raises(UsageError, match="outside of the project"):
        app.request(SCRIPTED)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        app.request(SCRIPTED)


def test_a_missing_topic_is_refused_with_the_place_for_it(bench: Workbench) -> None:
    for topic in (" ", ""):
        with pytest.raises(UsageError, match=r"no topic .* write it in config/debate-config.json"):
            app_with(bench).request(SCRIPTED.model_copy(update={"topic": topic}))
        configure(bench, {"topic": " "})


def test_the_chair_is_of_another_family_if_there_is_one(bench: Workbench) -> None:
    for name, family in (("eve", "anthropic"), ("fay", "solo")):
        (bench.providers / f"{name}.toml").write_text(
            f'kind = "cli"\nfamily = "{family}"\ntitle = "{name}"\noutput = "claude"\n'
            '[command]\nprogram = "sh"\nargv = ["{effort}"]\neffort = ["{effort}"]\n[efforts]\nmedium = "m"\n',
            encoding="utf-8",
        )
    wish = ChairedDebateOptions(topic=TOPIC, participants="claude,codex")
    request = app_with(bench, "claude", "codex", "sh").request(wish)
    assert request.chair.tool == "fay"
    assert not [notice for notice in request.notices if notice.startswith("[WARN]")]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({**SEATED, "seat": ["detractor=ann:m-1"]}, "Promoter and detractor must be different tools; both are ann"),
        (
            {"topic": TOPIC, "participants": "cy", "seat": ["promoter=ann", "detractor=ann"]},
            "Promoter and detractor must be different tools; both are",
        ),
        ({**SEATED, "seat": ["audience=nobody"]}, "no tool named 'nobody'"),
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


@pytest.mark.parametrize(("spelled", "problem"), REFUSED["output-folder"])
def test_an_output_folder_that_lies_elsewhere_is_refused(bench: Workbench, spelled: str, problem: str) -> None:
    (bench.project / "link").symlink_to(bench.root)
    (bench.project / "circle").symlink_to("circle")
    with pytest.raises(UsageError, match=problem):
        app_with(bench).request(SCRIPTED.model_copy(update={"output_dir": spelled}))


def test_secrets_are_redacted_in_the_topic(bench: Workbench) -> None:
    topic = "Is ghp_" + "a1B2" * 9 + " a good token?"
    assert "ghp_" not in app_with(bench).request(SCRIPTED.model_copy(update={"topic": topic})).topic
