import json
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sparring.evaluation.measure import measured
from sparring.evaluation.page import page_of_evaluation
from sparring.evaluation.rows_file import as_csv
from sparring.schema.evaluation import Evaluation, EvaluationPlan
from sparring.testing import ModelEndpoint
from support.evaluated_rows import read_rows
from support.evaluating import TOOLS, add_voters, blind_label, gold_of, labelled, voter
from support.workbench import Workbench

ROWS = 6
COMMAND = ("evaluate", "rows.csv", "--with", "ann,bob,cy", "--set", "max_rounds=2", "--output", "out")


@pytest.fixture
def endpoints() -> Iterator[dict[str, ModelEndpoint]]:
    found = {name: ModelEndpoint(voter(name), keeps_alive=True) for name in TOOLS}
    yield found
    for each in found.values():
        each.close()


@pytest.fixture
def voting(tmp_path: Path, endpoints: dict[str, ModelEndpoint]) -> Workbench:
    """Three voters, and labelled rows."""
    bench = Workbench.below(tmp_path)
    add_voters(bench, endpoints)
    (bench.project / "rows.csv").write_text(labelled(ROWS), encoding="utf-8")
    return bench


def asked(endpoints: dict[str, ModelEndpoint]) -> int:
    return sum(len(each.requests) for each in endpoints.values())


@pytest.mark.slow
def test_all_arms_share_their_first_round_and_spend_the_same(
    voting: Workbench, endpoints: dict[str, ModelEndpoint]
) -> None:
    done = voting.run(*COMMAND, "--arms", "single,vote,self:ann,revise,placebo,debate", "--json")
    assert done.code == 0, done.err
    found = Evaluation.model_validate_json(done.out)
    assert [arm.name for arm in found.arms] == [
        *("single:ann", "single:bob", "single:cy", "vote", "self:ann", "revise", "placebo", "debate")
    ]
    ratios = {arm.name: arm.spend_ratio for arm in found.arms}
    assert ratios == pytest.approx(
        dict.fromkeys(ratios, 1.0) | {name: ratios[name] for name in ratios if ":" in name}, abs=0.02
    )
    first = [each.prompt for name in TOOLS for each in endpoints[name].requests if "**ROUND" not in each.prompt]
    paid, counted_ = asked(endpoints), sum(arm.use.calls for arm in found.arms)
    assert paid < counted_
    assert len(first) < paid

    again = voting.run(*COMMAND, "--arms", "single,vote,self:ann,revise,placebo,debate", "--json")
    assert again.out == done.out
    assert asked(endpoints) == paid


def test_every_figure_follows_from_the_file_of_rows(voting: Workbench) -> None:
    done = voting.run(*COMMAND, "--set", "group=topic", "--gate", "code", "--json")
    found = Evaluation.model_validate_json(done.out)
    out = voting.project / "out"
    rows = read_rows(out / "rows.parquet")
    assert measured(rows, found.plan) == found
    assert Evaluation.model_validate_json((out / "evaluation.json").read_bytes()) == found
    (out / "rows.csv").write_bytes(as_csv(rows))
    assert read_rows(out / "rows.csv") == rows
    assert [each.gold for each in rows] == [gold_of(number) for number in range(1, ROWS + 1)]
    page = (out / "evaluation.html").read_text(encoding="utf-8")
    assert found.sentence in page
    assert page == page_of_evaluation(measured(rows, found.plan), rows, "rows.parquet", "project")
    for arm in found.arms:
        assert f"{arm.whole.right:,} of {arm.whole.rows:,} (" in page
    for pair in found.pairs:
        assert f"<td>{100 * pair.difference:+.1f}</td>" in page
        assert f"<td>{pair.p_exact:.3g}</td>" in page
    assert "<script" not in page


def test_unreported_prices_cannot_be_made_equal(voting: Workbench, endpoints: dict[str, ModelEndpoint]) -> None:
    done = voting.run(*COMMAND, "--set", "budget=usd")
    assert done.code == 2
    assert "not every answer came with prices" in done.err
    paid = asked(endpoints)
    assert voting.run(*COMMAND, "--set", "budget=tokens", "--arms", "vote,debate").code == 0
    assert asked(endpoints) > paid
    found = Evaluation.model_validate_json((voting.project / "out" / "evaluation.json").read_bytes())
    assert {arm.name: arm.spend_ratio for arm in found.arms} == {"vote": pytest.approx(1, abs=0.05), "debate": 1}
    assert any("was changed: arms, budget" in told for told in found.deviations)


def test_the_plan_is_written_before_any_call_and_deviations_are_reported(
    voting: Workbench, endpoints: dict[str, ModelEndpoint]
) -> None:
    planned = voting.run(*COMMAND, "--plan")
    assert planned.code == 0
    assert "each compared with vote" in planned.out
    assert asked(endpoints) == 0
    plan = EvaluationPlan.model_validate_json((voting.project / "out" / "plan.json").read_bytes())
    assert (plan.rows, plan.about, plan.against, plan.rows_needed) == (ROWS, "debate", "vote", 1917)

    kept = Evaluation.model_validate_json(voting.run(*COMMAND, "--json").out)
    assert kept.plan == plan
    changed = Evaluation.model_validate_json(voting.run(*COMMAND, "--set", "margin=0.1", "--json").out)
    assert any("was changed: margin, rows needed" in told for told in changed.deviations)


def test_a_row_links_to_the_runs_of_its_arms(voting: Workbench) -> None:
    voting.run(*COMMAND, "--set", "against=single:ann")
    page = (voting.project / "out" / "evaluation.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(runs/[0-9a-f]{32}[.]html)"', page)
    assert links
    assert {each.name for each in (voting.project / "out" / "runs").iterdir()} == {Path(link).name for link in links}
    (first, *_) = read_rows(voting.project / "out" / "rows.parquet")
    for arm in first.arms.values():
        shown = voting.run("batch", "show", "project", arm.run, "--json")
        assert shown.code in {0, 4}, shown.err
        assert json.loads(shown.out)["agents"], arm.run


@pytest.fixture(params=[False, True], ids=["unusable answers", "refusals"])
def failing(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Workbench]:
    """Voters of whom some fail on some rows."""
    bench = Workbench.below(tmp_path)
    found = {name: ModelEndpoint(voter(name, fails=0.3, refuses=request.param), keeps_alive=True) for name in TOOLS}
    add_voters(bench, found)
    (bench.project / "rows.csv").write_text(labelled(ROWS), encoding="utf-8")
    yield bench
    for each in found.values():
        each.close()


@pytest.mark.slow
def test_a_failure_is_the_same_abstention_for_every_arm(failing: Workbench) -> None:
    done = failing.run(*COMMAND, "--json")
    assert done.code == 0, done.err
    found = Evaluation.model_validate_json(done.out)
    assert any("abstained on" in each for each in found.notices)
    for row in read_rows(failing.project / "out" / "rows.parquet"):
        blind = {seat.tool: seat.blind for seat in row.seats}
        assert {tool: row.arms[f"single:{tool}"].label for tool in TOOLS} == {tool: blind.get(tool) for tool in TOOLS}
    again = Evaluation.model_validate_json(failing.run(*COMMAND, "--json").out)
    assert [arm.whole for arm in again.arms] == [arm.whole for arm in found.arms]


def test_assertions_decide_the_exit_code(voting: Workbench) -> None:
    assert voting.run(*COMMAND, "--assert", "no-worse").code == 1
    assert voting.run(*COMMAND, "--assert", "no-worse", "--set", "margin=0.49").code == 0


ROW = "n1,It is so.,It is so.,SUPPORTED\n"
HEAD = "id,claim,evidence,gold\n"


@pytest.mark.parametrize(
    ("table", "arguments", "told"),
    [
        ("id,claim,evidence\nn1,It is.,It is.\n", (), "have no gold label"),
        (HEAD, (), "has no row"),
        (HEAD + ROW + "n2,It is not.,It is so.,SUPPORTED\n", (), "at least two classes"),
        (HEAD + ROW + "n2,It is not.,It is so.,true\n", (), "1 rows have another: 'true' in line 3"),
        (HEAD + ROW + "n1,It is not.,It is so.,REFUTED\n", (), "ids are given to several rows"),
        (HEAD + ROW + "n2,,It is so.,REFUTED\n", (), "1 of 2 rows cannot be evaluated; line 3"),
        ("", ("--arms", "vote,wish"), "There is no arm 'wish'"),
        ("", ("--arms", "self:nobody,vote"), "There is no arm 'self:nobody'"),
        ("", ("--arms", "vote,vote"), "named twice"),
        ("", ("--arms", "vote"), "nothing to compare"),
        ("", ("--set", "against=single"), "not one of the arms"),
        ("", ("--set", "margin=3"), "margin is a share"),
        ("", ("--set", "look=20,10"), "growing numbers"),
        ("", ("--set", "look=ten"), "look takes numbers"),
        ("", ("--set", "budget=words"), "budget takes"),
        ("", ("--gate", "luck"), "--gate takes code"),
        ("", ("--assert", "better"), "--assert takes no-worse"),
        ("", ("--format", "debate"), "debate cannot be evaluated on labelled rows. The winner of a debate is a seat"),
        ("", ("--format", "review"), "review cannot be evaluated on labelled rows. A review ends in findings"),
        ("", ("--format", "consult"), "'consult' cannot be evaluated on labelled rows; what can: fact-check, jury"),
        ("", ("--set", "group=nothing"), "has no column 'nothing'"),
        ("", ("--set", "max_rounds"), "--set takes NAME=VALUE"),
        ("", ("--set", "max_round=2"), "There is no setting 'max_round'. Did you mean max_rounds"),
        ("", ("--set", "gate=code"), "gate is not a setting but an option: --gate."),
        ("", ("--set", "margn=0.1"), "There is no setting 'margn'. Did you mean margin"),
        ("", ("--set", "timeout=0"), "timeout must be more than 0"),
        ("", ("--example",), "a table or --example, and not both"),
    ],
)
def test_bad_input_gives_one_sentence_and_no_call(
    voting: Workbench, endpoints: dict[str, ModelEndpoint], table: str, arguments: tuple[str, ...], told: str
) -> None:
    if table:
        (voting.project / "rows.csv").write_text(table, encoding="utf-8")
    done = voting.run(*COMMAND, *arguments)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err
    assert asked(endpoints) == 0
    assert not (voting.project / "out").exists()


def test_the_voters_of_these_tests_do_not_agree() -> None:
    assert len({tuple(blind_label(tool, row) for row in range(1, 30)) for tool in TOOLS}) == len(TOOLS)


def test_the_example_needs_no_table(voting: Workbench, endpoints: dict[str, ModelEndpoint]) -> None:
    done = voting.run("evaluate", "--example", "--with", "ann,bob", "--output", "out", "--plan", "--json")
    plan = EvaluationPlan.model_validate_json(done.out)
    assert (plan.rows, plan.group) == (200, "kind")
    assert len((voting.project / "out" / "example.jsonl").read_text(encoding="utf-8").splitlines()) == 200
    assert asked(endpoints) == 0


@pytest.mark.process
def test_an_evaluation_killed_repeatedly_ends_the_same_without_repeated_calls(
    tmp_path: Path, endpoints: dict[str, ModelEndpoint]
) -> None:
    benches = [Workbench.below(tmp_path / name) for name in ("whole", "killed")]
    for bench in benches:
        add_voters(bench, endpoints)
        (bench.project / "rows.csv").write_text(labelled(ROWS), encoding="utf-8")
    whole, killed = benches
    command = (*COMMAND, "--arms", "vote,placebo,debate", "--set", "at_once=1", "--json")
    reference = Evaluation.model_validate_json(whole.run(*command).out)
    drawn = random.Random(1)  # noqa: S311 -- nothing secret
    tool, needed = drawn.choice(TOOLS), asked(endpoints)
    points = sorted(drawn.sample(range(1, len(endpoints[tool].requests) + 1), 3))

    for endpoint in endpoints.values():
        endpoint.requests.clear()
    for point in points:
        process = killed.start(*command)
        endpoints[tool].wait_for(point)
        process.kill()
        process.communicate()
    done = Evaluation.model_validate_json(killed.run(*command).out)
    assert _without_time(done) == _without_time(reference)
    assert asked(endpoints) - needed <= len(points) * len(TOOLS)  # those that were under way


def _without_time(found: Evaluation) -> object:
    """All figures but times: of the plan, and of answers, which an endpoint takes as it can."""
    dumped = found.model_dump()
    dumped["plan"].pop("declared_at")
    for arm in dumped["arms"]:
        arm["use"].pop("seconds")
    for pair in dumped["pairs"]:
        pair.pop("seconds_per_right")
    return dumped


def test_interim_looks_go_on_while_rows_cannot_tell(voting: Workbench, endpoints: dict[str, ModelEndpoint]) -> None:
    done = voting.run(*COMMAND, "--set", "look=2,4", "--json")
    found = Evaluation.model_validate_json(done.out)
    assert found.plan.looks == (2, 4, ROWS)
    assert found.rows == ROWS
    assert [line.split(":")[0] for line in done.err.splitlines() if line.startswith("After")] == [
        "After 2 rows",
        "After 4 rows",
        "After 6 rows",
    ]
    paid = asked(endpoints)
    assert voting.run(*COMMAND, "--set", "look=2,4", "--json").out == done.out
    assert asked(endpoints) == paid


@pytest.mark.slow
def test_an_evaluation_that_ends_at_a_look_keeps_to_its_plan(
    voting: Workbench, endpoints: dict[str, ModelEndpoint]
) -> None:
    (voting.project / "rows.csv").write_text(labelled(40), encoding="utf-8")
    for name, endpoint in endpoints.items():
        endpoint.behaviour = voter(name, 0.0 if name == "ann" else 1.0)
    command = (
        *COMMAND,
        "--arms",
        "single:ann,vote,debate",
        "--set",
        "against=single:ann",
        "--set",
        "look=10,30",
        "--json",
    )
    done = voting.run(*command, "--assert", "no-worse")
    assert done.code == 0, done.err
    found = Evaluation.model_validate_json(done.out)
    assert (found.rows, found.verdict, found.deviations) == (30, "better", ())
    assert "The evaluation ended at a planned look, after 30 of 40 rows." in found.notices


def test_the_advice_is_adopted_and_an_option_that_is_set_is_part_of_the_plan(voting: Workbench) -> None:
    found = Evaluation.model_validate_json(voting.run(*COMMAND, "--json").out)
    assert found.escalation == "never"
    shown = voting.run(*COMMAND)
    advice = shown.out.splitlines()[-1].removeprefix("Advice: sparring ").split()
    assert voting.run(*advice).code == 0
    assert 'fact-check.escalation = "never"' in voting.run("config", "show").out
    changed = Evaluation.model_validate_json(voting.run(*COMMAND, "--json").out)
    assert changed.plan.options == {"escalation": "never", "max_rounds": "2", "participants": "ann,bob,cy"}
    assert [each.split(": ")[1] for each in changed.deviations if "was changed" in each] == ["options."]


def test_a_limit_below_the_price_is_reported_before_any_call(voting: Workbench) -> None:
    done = voting.run(*COMMAND, "--max-calls", "20")
    assert "The limit of 20 calls is less than the about 66 that these arms take" in done.err


def test_a_limit_leaves_out_rows_and_a_higher_one_goes_on(
    voting: Workbench, endpoints: dict[str, ModelEndpoint]
) -> None:
    short = voting.run(*COMMAND, "--max-calls", "20", "--json")
    assert short.code in {2, 4}, short.err
    assert asked(endpoints) <= 20
    whole = voting.run(*COMMAND, "--max-calls", "1000", "--json")
    assert whole.code == 0, whole.err
    found = Evaluation.model_validate_json(whole.out)
    assert found.rows == ROWS
    prompts = [each.prompt for endpoint in endpoints.values() for each in endpoint.requests]
    assert len(prompts) < sum(arm.use.calls for arm in found.arms)


def test_a_gated_table_asks_only_about_rows_that_code_leaves_open(
    voting: Workbench, endpoints: dict[str, ModelEndpoint]
) -> None:
    table = "id,claim,evidence,gold\na,It opened in 1889.,It opened in 1889.,SUPPORTED\n"
    table += "b,It opened in 1889.,It is a tower. It opened in 1889.,REFUTED\n"
    table += labelled(1).splitlines()[1].rsplit(",", 1)[0] + "\n"
    (voting.project / "rows.csv").write_text(table, encoding="utf-8")
    command = (
        "batch",
        "fact-check",
        "--input",
        "rows.csv",
        "--with",
        "ann,bob",
        "--max-rounds",
        "1",
        "--set",
        "write=jsonl",
    )
    done = voting.run(*command, "--output", "gated", "--gate", "code")
    assert done.code == 0, done.err
    assert "2 decided by code, without a model" in done.out
    assert "of 2 with a gold label it has 1 right" in done.out
    manifest = json.loads((voting.project / "gated" / "_manifest.json").read_bytes())
    assert manifest["by_code"] == {"rows": 2, "with_gold": 2, "right": 1}
    assert asked(endpoints) == manifest["spent"]["calls"] > 0
    rows = [
        json.loads(line) for line in (voting.project / "gated" / "part-00000.jsonl").read_text("utf-8").splitlines()
    ]
    assert [bool(row["calls"]) for row in rows] == [False, False, True]

    again = voting.run(*command, "--output", "open")
    assert "decided by code" not in again.out
    assert "by_code" not in json.loads((voting.project / "open" / "_manifest.json").read_bytes())


@pytest.mark.parametrize(
    ("column", "told"),
    [("gold", "of 1 with a gold label it has 1 right"), ("other", "without gold labels its accuracy is unknown")],
)
def test_a_gated_table_says_what_that_saved_and_risked(
    voting: Workbench, endpoints: dict[str, ModelEndpoint], column: str, told: str
) -> None:
    table = f"id,claim,evidence,{column}\na,It opened in 1889.,It opened in 1889.,SUPPORTED\n"
    table += labelled(1).splitlines()[1].rsplit(",", 1)[0] + "\n"
    (voting.project / "rows.csv").write_text(table, encoding="utf-8")
    command = ("batch", "fact-check", "--input", "rows.csv", "--with", "ann,bob", "--max-rounds", "1")
    command += ("--set", "write=jsonl")
    done = voting.run(*command, "--output", "gated", "--gate", "code")
    assert done.code == 0, done.err
    saved = "1 decided by code, without a model, which saved about 4 calls"
    assert f"{saved}; {told}" in done.out
    paid = asked(endpoints)
    gated = ("--output", "gated", "--gate", "code")
    assert "decided by code" not in voting.run(*command, "--output", "open").out
    assert asked(endpoints) > paid
    assert "Calls: 0" in voting.run(*command, *gated, "--set", "fresh=true", "--dry-run").out
    refused = voting.run(*command, "--output", "gated", "--gate", "luck")
    assert (refused.code, "gate takes code" in refused.err) == (2, True)


def test_only_formats_with_checks_have_a_gate(voting: Workbench) -> None:
    (voting.project / "questions.csv").write_text("question\nIs it so?\n", encoding="utf-8")
    done = voting.run("batch", "consult", "--input", "questions.csv", "--output", "out", "--gate", "code")
    assert (done.code, "Code decides no rows of consult" in done.err) == (2, True)


def test_the_price_is_estimated_from_earlier_answers_before_any_call(tmp_path: Path) -> None:
    bench, found = Workbench.below(tmp_path), {name: ModelEndpoint(voter(name, usd=0.01)) for name in TOOLS}
    add_voters(bench, found)
    (bench.project / "rows.csv").write_text(labelled(ROWS), encoding="utf-8")
    first = bench.run(*COMMAND, "--plan", "--json")
    planned = EvaluationPlan.model_validate_json(first.out).price
    assert (planned.tokens, planned.cost_usd, planned.answers) == (None, None, 0)
    assert planned.calls > 0
    assert not (bench.project / ".sparring").exists()
    assert asked(found) == 0

    done = bench.run(*COMMAND, "--json")
    assert "dollars are unknown" in done.err
    used = Evaluation.model_validate_json(done.out)
    paid = asked(found)
    again = bench.run(*COMMAND, "--output", "again", "--plan", "--json")
    planned = EvaluationPlan.model_validate_json(again.out).price
    assert planned.answers == paid
    assert planned.tokens
    assert planned.cost_usd
    debate = next(arm.use for arm in used.arms if arm.name == "debate")
    assert debate.cost_usd
    assert planned.cost_usd / planned.calls == pytest.approx(debate.cost_usd / debate.calls, rel=0.3)
    assert "of prompts and" in bench.run(*COMMAND, "--output", "again", "--plan").out
    for each in found.values():
        each.close()


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["calls", "tokens", "usd"])
def test_arms_spend_the_same_in_each_unit_and_few_passes_over_the_rows_are_made(tmp_path: Path, budget: str) -> None:
    rows = 5
    bench, found = Workbench.below(tmp_path), {name: ModelEndpoint(voter(name, usd=0.01)) for name in TOOLS}
    add_voters(bench, found)
    (bench.project / "rows.csv").write_text(labelled(rows), encoding="utf-8")
    command = ("evaluate", "rows.csv", "--with", "ann,bob,cy", "--set", "max_rounds=5", "--set")
    done = bench.run(
        *command,
        "escalation=always",
        "--arms",
        "vote,self:bob,debate",
        "--set",
        f"budget={budget}",
        "--output",
        "out",
        "--json",
    )
    assert done.code == 0, done.err
    ratios = [arm.spend_ratio for arm in Evaluation.model_validate_json(done.out).arms]
    assert ratios == pytest.approx([1.0] * 3, abs=0.02)
    with closing(sqlite3.connect(next(bench.project.glob(".sparring/**/*.sqlite")))) as ledger:
        ((runs,),) = ledger.execute("SELECT count(*) FROM sparring_row_result")
    assert runs <= 13 * rows
    for each in found.values():
        each.close()
