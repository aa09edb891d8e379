"""What must hold whatever a model says: nobody scripted these answers, and no test asserts what they are.

A real small model (SmolLM2-135M) sits in every seat. `make real` runs what fits into six minutes on two cores,
`make real-all` the rest.
"""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from sparring.engine.course import UnusableReplyError
from sparring.engine.replies import COPIED, read_form
from sparring.evaluation.example import example_table
from sparring.evaluation.measure import measured
from sparring.formats.debate.replies import FirstBallot, SecondBallot
from sparring.schema.audit import JudgeAudit
from sparring.schema.evaluation import Evaluation
from sparring.testing.workspace import Finished
from support.evaluated_rows import read_rows
from support.processes import heeding_endings, processes_with_home
from support.real_model import SEATS, Answered, RealModel, content_words, running
from support.workbench import PROGRAM, Workbench

pytestmark = [pytest.mark.real, pytest.mark.process, pytest.mark.timeout(900)]

LEFT, RIGHT, THIRD = SEATS
TOPIC = "Should the client retry a failed payment after a timeout?"
PLAIN = ("--set", "exhibits=none", "--timeout", "600")
DEBATE = (
    "debate",
    TOPIC,
    "--proposer",
    LEFT,
    "--challenger",
    RIGHT,
    "--seat",
    f"judge={THIRD}",
    "--rounds",
    "1",
    *PLAIN,
)
EVIDENCE = "The library closed in 2019 and reopened in June 2021."
FACT_CHECK = (
    *("fact-check", "The library reopened in June 2020.", "--evidence", EVIDENCE),
    *("--with", ",".join(SEATS), "--timeout", "600"),
)
JURY = ("jury", "The tower has 13 bells.", "--truth", "The tower has 12 bells.", "--with", LEFT, "--timeout", "600")
CHAIRED = (
    *(
        "chaired-debate",
        "Retrying costs more than it saves.",
        "--seat",
        f"promoter={LEFT}",
        "--seat",
        f"detractor={RIGHT}",
    ),
    *("--seat", f"chair={THIRD}", "--set", "no_web=true", "--timeout", "600"),
)
REVIEW = ("review", "README.md", "--with", f"{LEFT},{RIGHT}", "--timeout", "600")
CONSULT = ("consult", TOPIC, "--tool", LEFT)

WITHOUT_VERDICT = {0, 1, 4}
"""The exit codes that a run may end with: done, failed, done without a verdict."""


def held(bench: Workbench, *arguments: str) -> Finished:
    """The command, which must end in order and leave no process behind."""
    done = bench.run(*arguments)
    assert done.code in WITHOUT_VERDICT, done.err
    assert "Traceback" not in done.out + done.err
    assert not processes_with_home(bench.root)
    return done


def result(bench: Workbench, *arguments: str) -> dict[str, object]:
    """What the command says as JSON."""
    return json.loads(held(bench, *arguments, "--json").out)


@pytest.mark.parametrize("command", [CONSULT, REVIEW, JURY], ids=lambda command: command[0])
def test_a_command_ends_in_order(bench: Workbench, command: tuple[str, ...]) -> None:
    held(bench, *command)


@pytest.mark.slow
def test_a_chaired_debate_ends_in_order(bench: Workbench) -> None:
    held(bench, *CHAIRED)


class Debated(Struct, frozen=True):
    """A debate of the model with itself.

    Attributes:
        last: ``last-debate.json``.
        answered: What the model was asked in it, in order.
    """

    said: Finished
    last: Mapping[str, Any]
    answered: Sequence[Answered]


@pytest.fixture(scope="module")
def debated(tmp_path_factory: pytest.TempPathFactory, model: RealModel) -> Debated:
    bench = Workbench.below(tmp_path_factory.mktemp("debate"))
    model.add_to(bench)
    before = len(model.answered)
    said = held(bench, *DEBATE)
    last = json.loads((bench.state / "debate" / "last-debate.json").read_text("utf-8"))
    return Debated(said, last, model.answered[before:])


def test_a_debate_has_no_winner_that_no_vote_of_both_orders_carries(debated: Debated) -> None:
    if debated.last.get("winner"):
        assert debated.last["judgement"]["firmness"] in {"both_orders", "tie_break"}


@pytest.mark.slow  # a share of few speeches, which another processor may change
def test_speeches_are_about_the_topic(debated: Debated) -> None:
    speeches = [each.response for each in debated.answered if each.schema is None]
    about = [speech for speech in speeches if content_words(speech) & content_words(TOPIC)]
    assert len(about) >= 0.8 * len(speeches)


def test_a_debate_asks_about_as_much_as_it_announces(debated: Debated) -> None:
    announced = re.search(r"(\d+) to (\d+) calls, usually \d+, about ([\d,]+) tokens of prompts", debated.said.err)
    assert announced, debated.said.err
    fewest, most, tokens = (int(number.replace(",", "")) for number in announced.groups())
    calls, read = len(debated.answered), sum(each.prompt_tokens for each in debated.answered)
    assert fewest <= calls <= 1.25 * most
    assert read <= 1.15 * tokens * max(
        1, calls / fewest
    )  # the tokens are those of a run in which nobody is asked again


def test_an_answer_that_a_schema_bound_to_the_end_is_readable(debated: Debated) -> None:
    whole = [each for each in debated.answered if each.schema and each.stop == "stop"]
    assert sum(is_readable(each) for each in whole) >= 0.95 * len(whole)


FORMS = {f"sparring_{form.form}": form for form in (FirstBallot, SecondBallot)}


def is_readable(answered: Answered) -> bool:
    """Return whether our reader finds the form; a model may have copied its example, which is no answer."""
    try:
        read_form(answered.response, FORMS[answered.schema or ""])
    except UnusableReplyError as error:
        return str(error) == COPIED
    return True


def test_a_fact_check_has_no_label_that_no_quote_carries(bench: Workbench) -> None:
    said = held(bench, *FACT_CHECK)
    labels = re.findall(r"^# Fact-check: (SUPPORTED|REFUTED)", said.out, re.MULTILINE)
    assert not labels or "“" in said.out


def test_a_debate_killed_during_a_stream_can_be_resumed(bench: Workbench, model: RealModel) -> None:
    before = len(model.answered)
    with heeding_endings():
        run = subprocess.Popen(
            (*PROGRAM, *DEBATE),
            cwd=bench.project,
            env=bench.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    assert run.stderr
    next(line for line in run.stderr if b"challenger" in line and b"asked" in line)
    run.kill()
    run.communicate()
    resumed = bench.run("runs", "resume", "last")
    assert resumed.code in WITHOUT_VERDICT, resumed.err
    openings = [each for each in model.answered[before:] if each.prompt == model.answered[before].prompt]
    assert len(openings) == 1


def test_a_prompt_longer_than_the_context_is_reported(tmp_path: Path) -> None:
    with running(tmp_path, context=1024, most_tokens=32) as small:
        bench = Workbench.below(tmp_path / "bench")
        small.add_to(bench)
        (bench.project / "long.md").write_text("A client retries a payment. " * 1_000, "utf-8")
        said = result(bench, "consult", TOPIC, "--tool", LEFT, "--context", "file=long.md")
    assert "context_too_long" in json.dumps(said)


@pytest.mark.slow
def test_a_table_of_twenty_rows_ends_against_one_slot_without_a_timeout(tmp_path: Path) -> None:
    with running(tmp_path, most_tokens=24) as model:
        bench = Workbench.below(tmp_path / "bench")
        model.add_to(bench)
        rows = [{"id": number, "question": f"What is {number} plus {number}?"} for number in range(20)]
        (bench.project / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        held(bench, *("batch", "consult", "--input", "rows.jsonl", "--output", "out", "--tool", LEFT))
        assert len(model.answered) == 20


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_an_evaluation_ends_in_order_and_spends_the_same_on_each_arm(bench: Workbench) -> None:
    """Its report is the table of docs/evaluate.md; `-s` shows it."""
    rows = example_table(24)
    (bench.project / "rows.jsonl").write_bytes(rows)
    done = held(
        bench,
        *("evaluate", "rows.jsonl", "--with", ",".join(SEATS), "--arms", "single,vote,revise,placebo,debate"),
        *("--gate", "code", "--set", "group=kind", "--set", "max_rounds=2", "--set", "timeout_s=600"),
    )
    print(f"\n{done.out}")  # noqa: T201 -- what docs/evaluate.md shows
    found = Evaluation.model_validate_json((bench.project / "evaluation" / "evaluation.json").read_bytes())
    assert found.sentence == done.out.splitlines()[0]
    assert measured(read_rows(bench.project / "evaluation" / "rows.parquet"), found.plan) == found
    ratios = {arm.name: arm.spend_ratio for arm in found.arms}
    assert ratios["vote"] == pytest.approx(1, abs=0.02)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_an_audit_of_a_judge_ends_in_order_and_follows_from_its_answers(bench: Workbench) -> None:
    """Its report is the table of docs/audit.md; `-s` shows it."""
    typed = ("--tool", LEFT, "--input", "12", "--set", "repeat=1", "--set", "probes=noise,position,style,injection")
    typed += ("--set", "at_once=1", "--timeout", "600")
    done = held(bench, "audit-judge", *typed)
    print(f"\n{done.out}")  # noqa: T201 -- what docs/audit.md shows
    audit = JudgeAudit.model_validate_json((bench.project / "audit" / "audit.json").read_bytes())
    assert audit.sentence == done.out.splitlines()[0]
    assert audit.use.answers == audit.plan.calls
    assert (audit.noise or 0.0) == 0.0  # temperature 0 and a fixed seed
    flagged = [each for each in audit.probes if each.verdict == "flagged"]
    assert all(each.p_holm is not None and each.p_holm <= 0.05 for each in flagged)
    again = held(bench, "audit-judge", *typed)
    assert again.out == done.out
