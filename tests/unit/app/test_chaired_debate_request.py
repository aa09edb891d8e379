"""A chaired debate as a user asks for it, made complete: the config file, the seats, who may search, where files go."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparring.app import App, ChairedDebateWish, NamedFile
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.participants import Participant
from support.installed import app_with
from support.workbench import Workbench

pytestmark = pytest.mark.process


TOPIC = "A four-day week raises productivity."
SCRIPTED = ChairedDebateWish(topic=TOPIC, promoter="ann", detractor="bob", chair="cy")
NO_WEB = "Nobody searches the web: what the debaters cannot source they have to label."
SEATS = ("promoter", "detractor", "chair")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


def configure(bench: Workbench, config: object, path: str = "config/debate-config.json") -> Path:
    file = bench.project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
    return file


def cannot(*roles: tuple[str, str]) -> tuple[str, ...]:
    return tuple(
        f"The {role} ({tool}) cannot search the web, and has to label what it cannot source." for role, tool in roles
    )


BOTH_CANNOT = cannot(("promoter", "ann"), ("detractor", "bob"))


def test_what_is_not_said_is_as_the_specification_has_it(bench: Workbench) -> None:
    request = app_with(bench).chaired_debate_request(SCRIPTED)
    assert request.participants == (
        (Role.CHAIR, Participant(tool="cy")),
        (Role.PROMOTER, Participant(tool="ann")),
        (Role.DETRACTOR, Participant(tool="bob")),
    )
    assert (request.topic, request.min_rounds, request.max_rounds, request.time_budget_s) == (TOPIC, 1, 3, None)
    assert (request.output_dir, request.searching, request.notices) == (None, (), BOTH_CANNOT)


def test_the_config_file_says_what_was_not_typed(bench: Workbench) -> None:
    configure(
        bench,
        {
            "topic": TOPIC,
            "output_dir": "debates/first",
            "min_rounds": 2,
            "max_rounds": 4,
            "time_budget_minutes": 1.5,
            "models": {"promoter": "ann:m-1", "detractor": "bob", "chair": "cy", "audience": "cy", "reporter": "ann"},
        },
    )
    request = app_with(bench).chaired_debate_request(ChairedDebateWish())
    assert request.participants == (
        (Role.CHAIR, Participant(tool="cy")),
        (Role.PROMOTER, Participant(tool="ann", model="m-1")),
        (Role.DETRACTOR, Participant(tool="bob")),
        (Role.AUDIENCE, Participant(tool="cy")),
        (Role.REPORTER, Participant(tool="ann")),
    )
    assert (request.topic, request.output_dir) == (TOPIC, "debates/first")
    assert (request.min_rounds, request.max_rounds, request.time_budget_s) == (2, 4, 90.0)
    said = "topic, output_dir, min_rounds, max_rounds, time_budget_minutes, models"
    assert request.notices[0] == f"From config/debate-config.json, where nothing else is said: {said}."


def test_what_was_typed_goes_before_the_config_file(bench: Workbench) -> None:
    configure(
        bench,
        {"topic": "Another.", "output_dir": "a", "max_rounds": 5, "time_budget_minutes": 9, "models": {"chair": "bob"}},
    )
    wish = replace(SCRIPTED, output_dir="b", max_rounds=2, time_budget_s=30.0)
    request = app_with(bench).chaired_debate_request(wish)
    assert (request.topic, request.chair.tool, request.output_dir) == (TOPIC, "cy", "b")
    assert (request.max_rounds, request.time_budget_s) == (2, 30.0)


@pytest.mark.parametrize(
    ("typed", "config", "bounds"),
    [
        ({"max_rounds": 1}, {}, (1, 1)),
        ({"min_rounds": 5}, {}, (5, 5)),
        ({"min_rounds": 0}, {"max_rounds": 1}, (0, 1)),
        ({}, {"min_rounds": 4}, (4, 4)),
    ],
)
def test_where_one_bound_of_the_rounds_is_said_the_other_gives_way(
    bench: Workbench, typed: Mapping[str, Any], config: Mapping[str, Any], bounds: tuple[int, int]
) -> None:
    configure(bench, config)
    request = app_with(bench).chaired_debate_request(replace(SCRIPTED, **typed))
    assert (request.min_rounds, request.max_rounds) == bounds


def test_a_named_config_is_read_instead_and_may_lie_anywhere_if_the_user_names_it(bench: Workbench) -> None:
    configure(bench, {"topic": "The project's."})
    elsewhere = bench.root / "elsewhere.json"
    elsewhere.write_text(json.dumps({"topic": TOPIC}), encoding="utf-8")
    app = app_with(bench)
    wish = replace(SCRIPTED, topic="", config=NamedFile(str(elsewhere), is_named_by_user=True))
    assert app.chaired_debate_request(wish).topic == TOPIC
    with pytest.raises(UsageError, match="outside of the project"):
        app.chaired_debate_request(replace(SCRIPTED, config=NamedFile(str(elsewhere))))


def test_what_is_null_or_unknown_in_the_config_is_no_error(bench: Workbench) -> None:
    configure(
        bench,
        {"topic": TOPIC, "output_dir": None, "language": "vi", "style": 1, "models": {"verifier": "x", "chair": "cy"}},
    )
    request = app_with(bench).chaired_debate_request(replace(SCRIPTED, topic="", chair=""))
    assert request.chair.tool == "cy"
    assert request.notices == (
        "From config/debate-config.json, where nothing else is said: topic, models.",
        "[WARN] Ignored in config/debate-config.json, since sparring does not know it: language, style.",
        "[WARN] Ignored in config/debate-config.json: there are no such seats: verifier.",
        *BOTH_CANNOT,
    )


def test_a_long_list_of_unknown_members_is_cut(bench: Workbench) -> None:
    configure(bench, {f"x{number:02}": 1 for number in range(12)})
    request = app_with(bench).chaired_debate_request(SCRIPTED)
    assert request.notices[0].endswith("x00, x01, x02, x03, x04, x05, x06, x07, x08, x09 and 2 more.")


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("{", "config/debate-config.json cannot be used: It is not JSON: "),
        ("[" * 5000, "config/debate-config.json cannot be used: It is not JSON: "),
        ("[1]", "config/debate-config.json cannot be used: It must hold one JSON object."),
        ('{"min_rounds": "two"}', "config/debate-config.json cannot be used: min_rounds: input should be a valid int"),
        ('{"time_budget_minutes": 0}', "cannot be used: time_budget_minutes: input should be greater than 0, it is 0."),
        ('{"models": ["ann"]}', "config/debate-config.json cannot be used: models: "),
        ('{"max_rounds": 11}', "max_rounds: input should be less than or equal to 10, it is 11."),
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
        app_with(bench).chaired_debate_request(SCRIPTED)
    assert sentence in str(refusal.value)


def test_a_config_that_is_a_link_out_of_the_project_or_a_folder_is_refused(bench: Workbench) -> None:
    outside = bench.root / "outside.json"
    outside.write_text("{}", encoding="utf-8")
    app, file = app_with(bench), configure(bench, {})
    file.unlink()
    file.symlink_to(outside)
    with pytest.raises(UsageError, match="outside of the project"):
        app.chaired_debate_request(SCRIPTED)
    file.unlink()
    file.mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        app.chaired_debate_request(SCRIPTED)


def test_without_a_topic_anywhere_it_is_said_where_to_write_one(bench: Workbench) -> None:
    app = app_with(bench)
    with pytest.raises(UsageError, match=r"no topic .* write it in config/debate-config.json"):
        app.chaired_debate_request(replace(SCRIPTED, topic=" "))
    configure(bench, {"topic": " "})
    with pytest.raises(UsageError, match=r"no topic .* write it in config/debate-config.json"):
        app.chaired_debate_request(replace(SCRIPTED, topic=""))


@pytest.mark.parametrize(
    ("installed", "typed", "seats", "warnings"),
    [
        (("claude", "codex", "gemini"), {}, "claude codex gemini", ()),
        (("claude", "codex"), {}, "claude codex claude", ("The chair is claude, the promoter's own tool, in a fresh",)),
        (
            ("claude",),
            {},
            "claude offline claude",
            ("No further AI tool is installed: offline, which is rule-based, is the detractor.", "The chair is claude"),
        ),
        (
            (),
            {},
            "offline offline offline",
            (
                "No further AI tool is installed: offline, which is rule-based, is the promoter.",
                "No further AI tool is installed: offline, which is rule-based, is the detractor.",
                "The chair is offline, the promoter's own tool",
            ),
        ),
        (("claude", "codex", "gemini"), {"detractor": "claude"}, "codex claude gemini", ()),
        (("claude",), {"provider": "offline"}, "offline offline offline", ("The chair is offline",)),
        ((), {"promoter": "ann:m-1", "detractor": "bob", "provider": "offline"}, "ann bob offline", ()),
        ((), {"promoter": "ann", "detractor": "bob", "chair": "cy"}, "ann bob cy", ()),
        (
            ("copilot", "opencode"),
            {"promoter": "copilot", "detractor": "bob", "chair": "opencode"},
            "copilot bob opencode",
            ("The chair is opencode, of the same family (mixed) as the promoter's tool copilot.",),
        ),
    ],
)
def test_empty_seats_are_given_to_different_tools_as_far_as_they_go(
    bench: Workbench, installed: tuple[str, ...], typed: Mapping[str, Any], seats: str, warnings: tuple[str, ...]
) -> None:
    request = app_with(bench, *installed).chaired_debate_request(replace(ChairedDebateWish(topic=TOPIC), **typed))
    assert " ".join(getattr(request, seat).tool for seat in SEATS) == seats
    told = [notice for notice in request.notices if notice.startswith("[WARN]")]
    assert len(told) == len(warnings)
    for notice, warning in zip(told, warnings, strict=True):
        assert notice.startswith(f"[WARN] {warning}")


def test_the_chair_is_of_another_family_if_there_is_one(bench: Workbench) -> None:
    for name, family in (("eve", "anthropic"), ("fay", "solo")):
        (bench.providers / f"{name}.toml").write_text(
            f'kind = "cli"\nfamily = "{family}"\ntitle = "{name}"\noutput = "claude"\n'
            '[command]\nprogram = "sh"\nargv = ["{effort}"]\neffort = ["{effort}"]\n[efforts]\nmedium = "m"\n',
            encoding="utf-8",
        )
    app = app_with(bench, "claude", "codex", "sh")
    request = app.chaired_debate_request(ChairedDebateWish(topic=TOPIC, promoter="claude", detractor="codex"))
    assert request.chair.tool == "fay"
    assert not [notice for notice in request.notices if notice.startswith("[WARN]")]


def test_the_provider_for_every_seat_goes_before_the_config_so_that_offline_needs_nothing(bench: Workbench) -> None:
    configure(bench, {"models": {"promoter": "claude", "detractor": "codex", "audience": "gemini"}})
    request = app_with(bench).chaired_debate_request(ChairedDebateWish(topic=TOPIC, provider="offline"))
    assert {participant.tool for _, participant in request.participants} == {"offline"}
    assert (request.audience, request.reporter) == (Participant(tool="offline"), None)


@pytest.mark.parametrize("typed", [{"provider": "ann"}, {"promoter": "ann", "detractor": "ann:m-1", "chair": "cy"}])
def test_one_tool_cannot_sit_on_both_sides(bench: Workbench, typed: Mapping[str, Any]) -> None:
    with pytest.raises(UsageError, match="Promoter and detractor must be different tools; both are ann"):
        app_with(bench).chaired_debate_request(replace(ChairedDebateWish(topic=TOPIC), **typed))


def test_a_tool_that_does_not_exist_is_refused(bench: Workbench) -> None:
    with pytest.raises(UsageError, match="no tool named 'nobody'"):
        app_with(bench).chaired_debate_request(replace(SCRIPTED, audience="nobody"))


@pytest.mark.parametrize(
    ("typed", "searching", "told"),
    [
        ({}, (Role.PROMOTER,), ("The promoter (claude) may search the web.", *cannot(("detractor", "offline")))),
        ({"no_web": True}, (), (NO_WEB,)),
    ],
)
def test_debaters_search_the_web_if_their_tool_can_and_the_user_lets_them(
    bench: Workbench, typed: Mapping[str, Any], searching: tuple[Role, ...], told: tuple[str, ...]
) -> None:
    wish = ChairedDebateWish(topic=TOPIC, promoter="claude", provider="offline")
    request = app_with(bench, "claude").chaired_debate_request(replace(wish, **typed))
    assert request.searching == searching
    assert request.notices[-len(told) :] == told


@pytest.mark.parametrize(
    ("spelled", "folder"),
    [("out", "out"), ("out/deep/", "out/deep"), ("./out", "out"), (".", "."), ("a b", "a b"), ("  ", None)],
)
def test_the_output_folder_lies_below_the_project(bench: Workbench, spelled: str, folder: str | None) -> None:
    assert app_with(bench).chaired_debate_request(replace(SCRIPTED, output_dir=spelled)).output_dir == folder
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
        app_with(bench).chaired_debate_request(replace(SCRIPTED, output_dir=spelled))


def test_secrets_are_taken_out_of_the_topic(bench: Workbench) -> None:
    app: App = app_with(bench)
    request = app.chaired_debate_request(replace(SCRIPTED, topic="Is ghp_" + "a1B2" * 9 + " a good token?"))
    assert "ghp_" not in request.topic
