"""What is refused: one clear sentence, the right exit code, nothing started, nothing lost."""

import json
import os
import shlex

import pytest

from sparring.providers.known import load_providers
from sparring.schema.fact_check import CLAIM_LIMIT
from support.workbench import DEBATE, Workbench

NOT_UTF_8 = os.fsdecode(b"caf\xe9")
MIB = 1024 * 1024
TOPIC = "debate t --proposer ann --challenger bob --judge cy"
ASK = "consult q --tool ann"
CHECK = "fact-check c --agents ann,bob,cy"
WITH = f"{CHECK} --evidence e"
JURY = "jury c --truth t --provider ann"
CHAIRED = "chaired-debate t --promoter ann --detractor bob --chair cy"
PLAN = "review --plan README.md"
ENTRY = "log append opening promoter opening_statement README.md"

REFUSED = (
    (
        f"debate {'why' * 40_000} --proposer ann --challenger bob",
        "topic must have at most 100,000 characters",
    ),
    ("debate '  \n ' --proposer ann --challenger bob", "topic must not be empty."),
    ("debate 'a\x01b' --proposer ann --challenger bob", "topic: must not hold control characters."),
    (f"debate {NOT_UTF_8} --proposer ann --challenger bob", "topic is not UTF-8 text."),
    (f"debate t --proposer {'x' * 999}", f"There is no tool named '{'x' * 58}…. Known tools: "),
    (f"{TOPIC} --rounds 6", "rounds must be at most 5; it is 6."),
    (f"{TOPIC} --effort huge", "The effort must be one of low, medium, high, max; it is 'huge'."),
    (f"{TOPIC} --timeout 0", "timeout must be more than 0; it is 0.0."),
    (f"{TOPIC} --timeout inf", "timeout must be a finite number; it is inf."),
    (f"{TOPIC} --max-cost 0", "--max-cost and --max-time must be greater than 0, and finite."),
    (f"{TOPIC} --max-time inf", "--max-cost and --max-time must be greater than 0, and finite."),
    ("consult q --tool ann --max-calls 2", "There is no option --max-calls. Did you mean --max-cost"),
    (f"{TOPIC} --max-calls 0", "--max-calls and --max-tokens must be 1 or more."),
    (f"{TOPIC} --model-judge '--rm -rf'", "model: '--rm -rf' begins with a hyphen or holds characters that are not"),
    (f"{TOPIC} --substitute nobody", "There is no tool named 'nobody'."),
    (f"{TOPIC} --substitute offline", "offline has no model, and can take nobody's place."),
    (f"{ASK} '--continue=-x;rm'", "session_id: '-x;rm' begins with a hyphen or holds"),
    (f"{ASK} --count 2 --continue", "A session is continued by one answer; leave out the count"),
    (f"{ASK} --count 6", "The count must be 1 to 5; it is 6."),
    (f"{ASK} --repo-access write", "The repository access must be one of none, read; it is 'write'."),
    (
        f"consult {'q' * 41} --tool ann --max-tokens 9",
        "The prompts alone have about 10 tokens; the limit is 9.",
    ),
    ("consult q --continue", "There is no session to continue: no consultation has left one"),
    ("consult q --continue 2", "There is no answer 2 to go on with; of the last several there"),
    ("consult q --continue abc", "There is no session 'abc' among the last ones."),
    ("consult q --tool ann,bob,cy --count 2", "3 tools, 2 times each, are 6 at once; at most 5 can be asked."),
    ("consult q --tool ann,bob,cy,ann:a,bob:b,cy:c", "6 tools are 6 at once; at most 5 can be asked."),
    ("consult q --tool ann,ann", "'ann,ann' names a tool twice."),
    ("consult q --context nope", "There is no context 'nope'. It can be `diff` or `file=PATH`."),
    ("consult q --context-limit 0", "--context-limit must be 1 to 2,048 KiB; it is 0."),
    (CHECK, "There is no evidence to hold the claim against. Give at least one text or file."),
    (
        f"fact-check {'x' * (CLAIM_LIMIT + 1)} --evidence e --provider ann",
        f"claim must have at most {CLAIM_LIMIT:,}",
    ),
    (f"{WITH} --evidence ' \n '", "evidence 2 is empty; evidence must say something."),
    (f"{WITH} --evidence 'a\x1bb'", "evidence 2 holds the control character U+001B in line 1."),
    (f"{WITH} --evidence {NOT_UTF_8}", "evidence 2 is not UTF-8 text."),
    (f"{WITH} --evidence-file .", "'.' is a folder; name the files."),
    (f"{WITH} --evidence-file 'a\nb'", r"'a\nb' holds control characters."),
    (f"{WITH} --evidence-file .env", "'.env' may hold secrets and is not handed over. If it holds none, allow it"),
    (f"{WITH} --evidence-file pipe", "'pipe' "),
    (f"{WITH} --evidence-file circle", "'circle' "),
    (f"{WITH} --evidence-limit 2049", "--evidence-limit must be 1 to 2,048 KiB; it is 2,049."),
    (f"{WITH} --count 2", "3 agents are named and 2 asked for. Leave the count out."),
    (f"{WITH} --provider ann", "The agents are named twice: give a list of them, or one tool"),
    (f"{WITH} --max-rounds 6", "max_rounds must be at most 5; it is 6."),
    (f"{WITH} --escalation often", "The escalation must be one of auto, always, never; it is 'often'."),
    (f"{WITH} --language Vietnamese", "The language must be a tag such as en, vi or pt-BR; it is 'Vietnamese'."),
    ("fact-check c --evidence e --agents ann", "A fact-check has 2 to 7 agents; 1 is named. The same tool may be"),
    (f"fact-check c --evidence e --agents {'ann,' * 7}ann", "A fact-check has 2 to 7 agents; 8 are named."),
    ("fact-check c --evidence e --count 8", "A fact-check has 2 to 7 agents; 8 are asked for."),
    ("fact-check c --claims claims.jsonl", "Give either a claim with its evidence, or --claims."),
    ("fact-check --agents ann,bob", "There is no claim."),
    ("jury", "There is no claim. Type it, or judge a table of claims with --pairs."),
    ("jury c --provider ann", "There is no truth to hold the claim against. Give it with --truth or pipe it in."),
    (f"{JURY} --truth-file a", "The truth is given twice: as a text and as a file."),
    (f"{JURY} --rebuttals 3", "rebuttals must be at most 2; it is 3."),
    (f"{JURY} --row-id {'x' * 201}", "row_id must have at most 200 characters"),
    (f"{JURY} --pairs pairs.csv", "Give either a claim with its truth, or --pairs."),
    ("jury --pairs none.csv", "none.csv cannot be read: No such file"),
    ("jury --pairs pairs.csv --at-once 0", "The number of rows judged at once must be 1 to 32; it is 0."),
    ("jury --pairs pairs.csv --column x=y", "There is no column mapping"),
    ("chaired-debate", "There is no topic to debate. Name one, or write it in config/debate-config.json."),
    (f"{CHAIRED} --time-budget nan", "The time budget must be a number of minutes above 0; it is nan."),
    (f"{CHAIRED} --config missing.json", "'missing.json' cannot be read: No such file or directory."),
    (
        "log append overture promoter opening_statement README.md",
        "The phase must be one of opening, rebuttal,",
    ),
    ("log append opening nobody opening_statement README.md", "The speaker must be one of chair, promoter, detractor,"),
    ("log append opening promoter speech README.md", "The type must be one of opening_statement, new_point,"),
    ("log append opening promoter opening_statement gone", "'gone' cannot be read: No such file or directory."),
    (
        "log append opening promoter opening_statement huge.txt",
        "The content has 5,242,880 bytes; it may have 20,000",
    ),
    (f"{ENTRY} https://x", "SOURCES cannot be used: "),
    (f"""{ENTRY} '[{{"title": "x"}}]'""", "SOURCES cannot be used: 0.url is missing."),
    (f"{ENTRY} [] one", "REBUTTAL_TO_SEQ must be null or the number of an"),
    (f"{ENTRY} [] '' 0", "target_seq must be at least"),
    (f"{ENTRY} [] '' {'9' * 5000}", "TARGET_SEQ must be null or the number"),
    ("runs list --state interupted", "There is no state of a run 'interupted'. Did you mean interrupted?"),
    ("runs prune --keep 0 --older-than 1d", "Say which runs go. Give --older-than 30d, or --keep 100."),
    ("runs prune --older-than 1m", "--older-than must be an age such as 12h, 30d or 8w; it is '1m'."),
    ("runs prune", "Say which runs go. Give --older-than 30d, or --keep 100."),
    (f"{PLAN} --reviewers ann,offline", "offline has no model, and cannot review."),
    (f"{PLAN} --reviewers {'ann,' * 8}ann", "A review has 8 reviewers at the most; 9 are named."),
    (f"{PLAN} --reviewers ann,bob --since last", "There is no review to go on from in this project."),
    (f"{PLAN} --since yesterday", "--since can be `last` and nothing else; it is 'yesterday'."),
    (f"{PLAN} --examine 201", "--examine must be 0 to 200; it is 201."),
    (f"{PLAN} --fail-on blocker", "The fail_on must be one of critical, major, minor, note; it is 'blocker'."),
    (f"{PLAN} --reviewers ann,bob --sarif nowhere/out.sarif", "There is no folder"),
    (f"{PLAN} --reviewers ann,bob --sarif .", ""),
    (f"{PLAN} --reviewers ann,bob --comments gitea", "--comments must be one of github, gitlab; it is 'gitea'"),
    (
        f"{PLAN} --reviewers ann,bob --comments gitlab",
        "Comments for GitLab need two commits, and the working tree is none.",
    ),
    (f"{PLAN} --reviewers ann,bob --comments github --sarif -", "Only one thing can be printed."),
    ("config set efort high", "There is no option 'efort' to have a default. Did you mean effort"),
    ("config set debate.truth x", "There is no option 'debate.truth' to have a default."),
    ("config set topic x", "There is no option 'topic'"),
    (
        "config set effort much",
        "A default cannot be used: The effort must be one of low, medium, high, max; it is 'much'.",
    ),
    ("config set debate.rounds 9", "A default cannot be used: rounds must be at most 5; it is '9'."),
    ("runs show debate-20260101T000000Z-0000", ""),
    ("runs show ../../etc/passwd", ""),
    ("runs resume last", ""),
    ("doctor --host emacs", "There is no host named 'emacs'."),
    ("install", "Name a host, or give --all instead."),
    ("uninstall claude --all", "Name a host, or give --all instead."),
    ("uninstall claude --user --project", "Give --user or --project, not both."),
    ("serve --http 8000", "'8000' is no address. Give HOST:PORT, e.g. 127.0.0.1:8000 or [::1]:8000."),
    ("serve --token-file x", "A token is for who is served over HTTP. Add --http HOST:PORT."),
)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A project with much in it that cannot be used, in which nothing is ever begun."""
    bench = Workbench.below(tmp_path_factory.mktemp("untouched"))
    (bench.project / "huge.txt").touch()
    os.truncate(bench.project / "huge.txt", 5 * MIB)
    (bench.project / "pairs.csv").write_text("claim,truth\na,b\n", encoding="utf-8")
    (bench.project / ".env").write_text("A=1\n", encoding="utf-8")
    (bench.project / "circle").symlink_to("circle")
    os.mkfifo(bench.project / "pipe")
    return bench


@pytest.mark.parametrize(("typed", "sentence"), REFUSED, ids=[f"{typed[:60]}" for typed, _ in REFUSED])
def test_a_request_that_cannot_work_starts_nothing(untouched: Workbench, typed: str, sentence: str) -> None:
    done = untouched.run(*shlex.split(typed))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err
    assert len(done.err.splitlines()) == 1
    assert not [*untouched.state.glob("*/runs"), *untouched.root.rglob("*.jsonl"), *untouched.root.rglob("config.toml")]


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"caf\xe9", "Standard input is not UTF-8 text."),
        (b"a\x00b", "standard input holds the control character U+0000 in line 1."),
        (b"y" * (5 * MIB), "The evidence has 5,120 KiB; the limit is 1,024 KiB. Biggest: standard input 5,120 KiB."),
        (b"x" * (8 * MIB + 1), "Standard input holds more than 8 MiB; ask something shorter."),
        (b" \n", "There is no evidence to hold the claim against."),
    ],
    ids=["latin-1", "nul", "5 MiB", "9 MiB", "blank"],
)
def test_what_is_piped_in_is_held_to_the_same_rules(untouched: Workbench, stdin: bytes, sentence: str) -> None:
    done = untouched.run(*shlex.split(CHECK), stdin=stdin)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("runs show --json", "RUN_ID is missing.", "`sparring runs show --help` shows what can be typed."),
        ("consult q --tool nobody --json", "There is no tool named 'nobody'.", "Known tools: {tools}."),
        (f"{CHECK} --json", "There is no evidence to hold the claim against.", "Give at least one text or file."),
    ],
)
def test_with_json_the_error_is_an_object_too(untouched: Workbench, typed: str, message: str, hint: str) -> None:
    done = untouched.run(*shlex.split(typed))
    hint = hint.replace("{tools}", ", ".join([*load_providers(None).specs, "ann", "bob", "cy"]))
    assert (done.code, done.json) == (2, {"error": {"code": "usage", "message": message, "hint": hint}})
    assert done.err == f"Error: {message} {hint}\n"


def test_a_tool_that_is_not_installed_is_named_with_what_to_do(untouched: Workbench) -> None:
    done = untouched.run("consult", "q", "--tool", "claude")
    assert done.code == 3
    assert done.err == (
        "Error: Claude Code is not installed: no `claude` on PATH. "
        "Install it with `npm install -g @anthropic-ai/claude-code`, then run `claude` once to sign in.\n"
    )
    assert untouched.run("consult", "q", "--tool", "scripted").code == 3


@pytest.mark.parametrize("state", ["a-file", "x" * 300])
@pytest.mark.parametrize("command", [DEBATE, ("runs", "list")], ids=lambda it: it[0])
def test_a_state_directory_that_cannot_be_one_is_refused_in_a_sentence(
    bench: Workbench, command: tuple[str, ...], state: str
) -> None:
    (bench.project / "a-file").write_text("not a folder", encoding="utf-8")
    bench.extra["AI_STATE_DIR"] = state
    done = bench.run(*command)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert state in done.err
    assert (bench.project / "a-file").read_text(encoding="utf-8") == "not a folder"


def test_a_project_whose_path_is_no_text_is_still_spoken_of_in_json(bench: Workbench) -> None:
    odd = bench.project / NOT_UTF_8
    (odd / ".git").mkdir(parents=True)
    for arguments in (("doctor", "--json"), ("runs", "show", "debate-1", "--json")):
        assert "project/caf" in json.dumps(bench.run(*arguments, cwd=odd).json)


def test_a_current_folder_that_is_gone_is_said_so(bench: Workbench) -> None:
    done = bench.run("runs", "list", cwd=None)
    assert (done.code, done.err) == (2, "Error: The current folder does not exist any more. Change to another one.\n")
    assert bench.run("redact", stdin=b"a", cwd=None).out == "a"


@pytest.mark.parametrize(
    ("content", "said"),
    [("{ torn", "Move the file away"), (json.dumps({"schema_version": 99}), "99"), ("[]", "Move the file away")],
)
def test_a_last_debate_that_cannot_be_understood_is_never_overwritten(
    bench: Workbench, content: str, said: str
) -> None:
    last = bench.state / "debate" / "last-debate.json"
    last.parent.mkdir(parents=True)
    last.write_text(content, encoding="utf-8")
    done = bench.run(*DEBATE)
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 1)
    assert str(last) in done.err
    assert said in done.err
    assert last.read_text(encoding="utf-8") == content
