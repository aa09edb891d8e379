"""Who sits where when some seats, all or none were named."""

from dataclasses import replace
from pathlib import Path

import pytest

from sparring.app import DebateWish, JuryWish
from sparring.errors import UsageError
from sparring.schema.participants import Participant
from support.installed import app_with
from support.workbench import Workbench

SEATS = ("advocate", "skeptic", "fact_checker", "judge")
BOTH_CLAUDE = "[WARN] claude is both advocate and skeptic, each in a fresh session."
JUDGE_CLAUDE = "[WARN] The judge is claude, the advocate's own tool, in a fresh session."


@pytest.mark.parametrize(
    ("installed", "named", "seats", "notices"),
    [
        (("claude", "codex", "gemini", "opencode"), {}, "claude codex opencode gemini", ()),
        (("claude", "codex", "gemini"), {}, "claude codex claude gemini", ()),
        (("claude", "codex"), {}, "claude codex codex claude", (JUDGE_CLAUDE,)),
        (("claude",), {}, "claude claude claude claude", (BOTH_CLAUDE, JUDGE_CLAUDE)),
        (("claude", "codex", "gemini"), {"judge": "claude"}, "codex gemini claude claude", ()),
        (("claude", "codex"), {"provider": "ann"}, "ann ann ann ann", None),
        (("claude",), {"provider": "ann", "judge": "bob"}, "ann ann ann bob", None),
        (
            (),
            {"judge": "bob"},
            "offline offline offline bob",
            ("[WARN] No AI tool is installed: offline, which is rule-based, is advocate, skeptic and fact-checker.",),
        ),
    ],
)
def test_seats_of_a_jury_go_round_among_the_tools_installed(
    tmp_path: Path, installed: tuple[str, ...], named: dict[str, str], seats: str, notices: tuple[str, ...] | None
) -> None:
    app = app_with(Workbench.below(tmp_path), *installed)
    request = app.jury_request(replace(JuryWish("It is tall.", "It is high."), **named))
    assert " ".join(getattr(request, seat).tool for seat in SEATS) == seats
    assert notices is None or request.notices == notices


def test_a_model_is_spelled_with_its_tool_or_beside_it(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    wish = JuryWish("It is tall.", "It is high.", advocate="ann:m-1", provider="bob:m-2", model_judge="m-2")
    request = app.jury_request(wish)
    assert request.advocate == Participant(tool="ann", model="m-1")
    assert request.judge == request.skeptic == Participant(tool="bob", model="m-2")


def test_two_models_for_one_seat_are_refused(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    with pytest.raises(UsageError, match=r"Two models are named for 'ann': 'm-1' and 'm-2'."):
        app.jury_request(JuryWish("It is tall.", "It is high.", provider="ann:m-1", model_judge="m-2"))


def test_a_debate_reads_the_same_spelling(tmp_path: Path) -> None:
    app = app_with(Workbench.below(tmp_path))
    request = app.debate_request(DebateWish("So?", proposer="ann:m-1", challenger="bob", judge="cy:auto"))
    assert request.proposer == Participant(tool="ann", model="m-1")
    assert (request.challenger, request.judge) == (Participant(tool="bob"), Participant(tool="cy"))
