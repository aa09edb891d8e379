"""What a speech cites, of every kind, and what a working tree says about it."""

import pytest

from sparring.checks.citations import CommitSeen, Departure, check_ledger
from sparring.schema.consultation import Exhibit
from sparring.schema.lookups import CitationKind, CitationStatus, Ledger, LedgerEntry, TextSpan
from support.working_trees import MemoryTree

FILES = {
    "README.md": "Read me.\n",
    ".gitignore": "build\n",
    "src/app/runner.py": (
        "import asyncio\n\nfrom app.tools import call_all\n\n\n"
        "class Base:\n    def begin(self):\n        self.begun = True\n\n\n"
        'class Runner(Base):\n    """Runs."""\n\n    limit_s: float = 2.0\n\n    async def run(self, asks):\n'
        "        await asyncio.sleep(self.limit_s)\n        return [ask.put() for ask in asks]\n\n\n"
        "class Error(Exception):\n    pass\n\n\nclass Quiet(Error):\n    pass\n"
    ),
    "src/app/tools.py": "LIMIT = 3\n\n\ndef call_all(tools):\n    return [tool() for tool in tools]\n",
    "src/app/__init__.py": 'from app.runner import Runner\n\n__all__ = [\n    "Runner",\n]\n',
    "docs/made.md": "It writes lib/made.json when it ends.\n",
    "docs/not_a_word.md": "\n",
    "src/other/tools.py": "def other():\n    pass\n",
    "web/index.ts": (
        "export function draw(x: number) {\n  return x;\n}\n\nexport class Canvas {\n  resize(width) {\n  }\n}\n"
    ),
    "pkg/server.go": "type Server struct {\n}\n\nfunc (s *Server) Listen(port int) error {\n}\n",
    "lib/shape.rs": "pub struct Shape;\n\nimpl Shape {\n    pub fn area(&self) -> f64 {\n    }\n}\n",
}
TREE = MemoryTree(
    FILES,
    commits_seen={
        "abc1234": CommitSeen.THERE,
        "abc1235": CommitSeen.AMBIGUOUS,
        "abc1236": CommitSeen.PARTIAL_HISTORY,
        "abc1237": CommitSeen.NO_REPOSITORY,
    },
    gone={
        "src/app/loop.py": Departure("1234567", "src/app/runner.py"),
        "src/app/old.py": Departure("1234567"),
        "app/tools.py": Departure("1234567", "src/app/tools.py"),
    },
)


def told(text: str, tree: MemoryTree = TREE) -> list[tuple[str, str, str, str]]:
    entries = check_ledger(text, tree).entries
    assert [text[entry.start : entry.end] for entry in entries] == [entry.text for entry in entries]
    return [(entry.kind.value, entry.text, entry.status.value, entry.reason) for entry in entries]


def test_a_ledger_lists_what_is_cited_in_order_and_the_claims_that_cite_nothing() -> None:
    text = "It runs in `Runner.run`, see src/app/runner.py:16.\n\nThat is always faster than the rest."
    tree = MemoryTree(FILES)
    assert check_ledger(text, tree) == Ledger(
        entries=(
            LedgerEntry(
                text="Runner.run",
                start=12,
                end=22,
                kind=CitationKind.SYMBOL,
                status=CitationStatus.VERIFIED,
                reason="it is defined in src/app/runner.py",
            ),
            LedgerEntry(
                text="src/app/runner.py:16",
                start=29,
                end=49,
                kind=CitationKind.PATH,
                status=CitationStatus.VERIFIED,
                reason="the name beside it stands there",
            ),
        ),
        unsupported=(TextSpan(text="That is always faster than the rest.", start=52, end=88),),
    )
    assert tree.asked == 1


FILE = "the file exists"
NO_FILE = "there is no such file"
GONE = "there is no such file any more: it was"
DENIED = "it is named as something that is not there"
PERHAPS_A_WORD = "the line exists; the word beside the citation may not be a quotation"
QUOTED = "the quoted words stand there"
IN_RUNNER = "it stands in src/app/runner.py"
DEFINED = "it is defined in src/app/runner.py"
APART = "both names are there, but nothing shows that they belong together"
IN_TOOLS = "it stands in src/app/tools.py"
NO_CODE = "no file of the project holds that code"
COMMIT = "the commit exists"
CITED = {
    "path": [
        ("`‹README.md›`", "verified", FILE),
        ("`‹.gitignore›` has it", "verified", FILE),
        ("`‹src/app/›` and so on", "verified", "the folder exists"),
        ("`‹src/nothing›` is empty", "not_found", "there is no such folder"),
        ("`‹src/APP›` is empty", "not_found", "there is no such file; it is spelled src/app"),
        ("`‹runner.py:16›`", "verified", "the line exists; nothing is quoted from it (src/app/runner.py)"),
        ("`‹tools.py›`", "unchecked", "2 files end like that, such as src/app/tools.py"),
        ("`‹cache.py›`", "not_found", NO_FILE),
        ("‹cache.py› says so", "unchecked", "no file of the project has that name; it may be one of elsewhere"),
        ("`‹src/app/cache.py›`", "not_found", NO_FILE),
        ("Add `‹src/app/cache.py›`", "unchecked", "there is no such file, but it may be one that is proposed"),
        ("`‹python tools/a.py:4›`", "unchecked", "it may be a command and no path"),
        ("`‹src/app/.env.toml:3›`", "unchecked", "a file of that name may hold secrets and is not read"),
        ("`‹/etc/hosts.txt›`", "unchecked", "the path leads out of the project"),
        ("`‹pp/tools.py:1›`", "not_found", NO_FILE),
        ("`‹src/app/loop.py:3›`", "not_found", f"{GONE} renamed to src/app/runner.py in 1234567"),
        ("`‹src/app/old.py›`", "not_found", f"{GONE} deleted in 1234567"),
        ("`‹app/tools.py›`", "not_found", f"{GONE} renamed to src/app/tools.py in 1234567"),
        ("`Runner.run` (‹src/app/runner.py:17›)", "verified", "the name beside it stands there"),
        ("`Runner` (‹src/app/runner.py:19›)", "unchecked", PERHAPS_A_WORD),
        ("`call_all` (‹src/app/runner.py:18›)", "not_found", "call_all stands in line 3 and not near that line"),
        ("`call_all` (‹src/app/tools.py:1›)", "verified", QUOTED),
        ("`no_such_name` (‹src/app/tools.py:1›)", "unchecked", PERHAPS_A_WORD),
        ("‹src/app/runner.py:1› reads `sleep(self.limit_s)`", "not_found", "the quoted code is not near that line"),
        ("‹src/app/runner.py:1› reads `wake(self.limit_s)`", "not_found", "the quoted code is not in the file"),
        ("`‹README.md›` says “Read me once and for all”", "not_found", "the quoted words are not in the file"),
        ("“return [tool() for tool in tools]” (‹src/app/tools.py›)", "verified", QUOTED),
        ("`‹lib/made.json›` is made", "unchecked", "there is no such file, but docs/made.md speaks of it"),
    ],
    "symbol": [
        ("`‹limit_s›` is it", "verified", IN_RUNNER),
        ("`‹Limit_s›` is it", "not_found", "no file of the project holds Limit_s"),
        ("`‹Runner›` is it", "verified", DEFINED),
        ("`‹asyncio.sleep()›` waits", "verified", IN_RUNNER),
        ("`‹Runner.limit_s›` waits", "verified", DEFINED),
        ("`‹Runner.begin()›` waits", "verified", DEFINED),
        ("`‹Runner.begun›` waits", "verified", DEFINED),
        ("`‹Runner.stop()›` ends", "not_found", "no file of the project holds stop"),
        ("`‹Runner.call_all›` ends", "not_found", "Runner has no call_all"),
        ("`‹Quiet.call_all›` ends", "unchecked", APART),
        ("`‹asks.tool›` is one", "unchecked", APART),
        ("`‹tools.call_all›` is one", "verified", "src/app/tools.py has it"),
        ("`‹app.Runner›` is one", "verified", "src/app/__init__.py has it"),
        ("`‹app.runner›` is one", "verified", "it is the module src/app/runner.py"),
        ("`‹index.draw()›` draws", "verified", "web/index.ts has it"),
        ("`‹Canvas.resize›` draws", "verified", "it is defined in web/index.ts"),
        ("`‹Server.Listen›` listens", "verified", "it is defined in pkg/server.go"),
        ("`‹Shape::area›` measures", "verified", "it is defined in lib/shape.rs"),
        ("`‹draw()›` in `web/index.ts` draws", "verified", "it stands in web/index.ts"),
        ("`‹draw()›` in `src/app/tools.py` draws", "not_found", "draw is not in src/app/tools.py"),
        ("`src/app/runner.py` defines `‹Base.run›`", "not_found", "Base has no run"),
        ("`src/app/runner.py` has `‹asks.put›`", "unchecked", APART),
        ("`src/app/runner.py` has `‹Quiet.begun›`", "unchecked", APART),
        ("`‹Runner›` in `src/app/tools.py` runs", "not_found", "Runner is not in src/app/tools.py"),
        ("`‹tools.limit_s›` is one", "unchecked", APART),
        ("`src/app/tools.py` declares `‹tools.call_all›`", "verified", IN_TOOLS),
        ("`‹call_all›` in `/etc/x.py` is ours", "verified", IN_RUNNER),
        ("`‹src/app/tools.py::call_all›`", "verified", IN_TOOLS),
        ("`‹src/app/none.py::call_all›`", "not_found", NO_FILE),
        ("`‹stop_all()›` should come", "unchecked", "no file of the project holds stop_all, but it may be proposed"),
        ("there is no `‹stop_all()›`", "unchecked", f"{DENIED}; no file of the project holds stop_all"),
        ("there is no `‹call_all()›`", "unchecked", f"{DENIED}; and it is there"),
        ("`‹stop_all()›` is missing", "unchecked", DENIED),
        ("> `‹stop_all()›`", "unchecked", "it stands in a quotation of somebody else"),
        ("`‹Runner›` is not in `src/app/tools.py`", "verified", DEFINED),
        ("`src/app/tools.py` never calls `‹limit_s›`", "verified", IN_RUNNER),
    ],
    "pattern": [
        ("`‹await asyncio.sleep(...)›` waits", "verified", IN_RUNNER),
        ("`‹return  [tool() for tool in tools]›`", "verified", IN_TOOLS),
        ("`‹return [tool() for x in tools]›`", "not_found", NO_CODE),
        ("`‹ool() for tool in tools›`", "not_found", NO_CODE),
        ("`‹call_all(now)›` calls", "unchecked", "call_all is there, but no file holds the code as it is written here"),
        ("`‹def call_all(tools)›` in `src/app/tools.py`", "verified", IN_TOOLS),
        ("`‹def call_all(tools)›` in `README.md`", "not_found", "README.md does not hold that code"),
        ("`‹Read me›` is said", "verified", "it stands in README.md"),
    ],
    "commit": [
        ("commit ‹abc1234› did", "verified", COMMIT),
        ("`‹abc1234^›` did", "verified", COMMIT),
        ("commit `‹ABC1234›`? in ABC1234!", "verified", COMMIT),
        ("`‹abc1235›` did", "unchecked", "several commits begin like that"),
        ("`‹abc1236›` did", "unchecked", "this clone holds only a part of the history, without such a commit"),
        ("`‹abc1237›` did", "unchecked", "there is no git repository"),
        ("`‹abc1238›` did", "not_found", "there is no such commit"),
        ("commit ‹1234567› did", "not_found", "there is no such commit"),
    ],
    "url": [("<‹https://example.org/a_(b)›>", "unchecked", "addresses are not fetched here")],
    "benchmark": [("it is ‹3x› faster", "unchecked", "nobody has measured it again here")],
}
"""By kind: a sentence in which what is cited is marked, and what is said of it."""


@pytest.mark.parametrize(("kind", "said"), [(kind, said) for kind, cited in CITED.items() for said in cited])
def test_each_kind_of_citation_is_looked_up_by_its_own_rule(kind: str, said: tuple[str, str, str]) -> None:
    marked, status, reason = said
    cited = marked.partition("‹")[2].partition("›")[0]
    assert (kind, cited, status, reason) in told(marked.replace("‹", "").replace("›", ""))


@pytest.mark.parametrize(
    "text",
    [
        "a `word`, `true`, `None`, `404`, `--json`, `-v`, `0.5`, `and/or`, `text/html`, `read-only`, `.get`",
        "`git log --oneline`, `pip install x`, `make test`, `tool --flag`",
        "`two words` and `https://`",
        "` ` and `` and `" + "x" * 500 + "`",
        "Node.js is not a file.",
        "```\n`call_all` in src/app/tools.py\n```",
        "in defaced facade, at 1234567, since deadbeef",
        "a timeout of 30 s, up to 5 redirects, 8 MiB at most, a port like 8080",
        "`/nowhere` and `~/nowhere`",
        "> `word` and `two words` and `facade`",
    ],
)
def test_words_values_flags_commands_and_settings_are_no_citations(text: str) -> None:
    assert told(text) == []


def test_where_not_every_file_was_searched_what_was_not_found_is_unchecked() -> None:
    tree = MemoryTree(FILES, is_complete=False)
    reason = "not every file of the project was searched"
    assert told("`no_such_name` and `no_such_call(x)`", tree) == [
        ("symbol", "no_such_name", "unchecked", reason),
        ("pattern", "no_such_call(x)", "unchecked", reason),
    ]


def test_a_range_of_commits_cites_both() -> None:
    assert [entry[:3] for entry in told("`abc1234..abc1238`")] == [
        ("commit", "abc1234", "verified"),
        ("commit", "abc1238", "not_found"),
    ]


def test_a_path_inside_of_an_address_is_no_citation() -> None:
    assert [entry[0] for entry in told("https://example.org/?file=src/app/runner.py:3 and `http://x.org/a.py:1`")] == [
        "url",
        "url",
    ]


def test_of_very_many_citations_those_behind_are_counted_and_support_their_claims() -> None:
    text = "\n\n".join(f"This very claim is shown by README.md:{number}." for number in range(1, 8))
    ledger = check_ledger(text, TREE, most=3)
    assert ([entry.text for entry in ledger.entries], ledger.left_out, ledger.unsupported) == (
        ["README.md:1", "README.md:2", "README.md:3"],
        4,
        (),
    )


def test_words_that_turn_out_to_be_names_are_counted_when_there_is_no_room_for_them() -> None:
    ledger = check_ledger("`Runner` `Base` `Quiet`", TREE, most=2)
    assert ([entry.text for entry in ledger.entries], ledger.left_out) == (["Runner", "Base"], 1)


def test_words_that_are_none_take_no_room() -> None:
    text = "`word` " * 50 + "`limit_s` " + "`word` " * 50 + "README.md:1"
    assert [entry[1] for entry in told(text)] == ["limit_s", "README.md:1"]
    assert [entry.text for entry in check_ledger(text, TREE, most=2).entries] == ["limit_s", "README.md:1"]


def test_a_count_of_a_ledger_counts_what_is_cited_twice_once() -> None:
    ledger = check_ledger("`limit_s` and `limit_s` and `no_limit_s`", TREE)
    assert (ledger.count(CitationStatus.VERIFIED), ledger.count(CitationStatus.NOT_FOUND)) == (1, 1)


def test_code_whose_words_stand_in_too_many_files_is_not_said_to_be_missing() -> None:
    files = {f"src/m{number:03}.py": f"def f():\n    return {number}\n" for number in range(60)}
    reason = "its words stand in more files than were searched for the code"
    assert told("It does `return 59`.", MemoryTree(files)) == [("pattern", "return 59", "unchecked", reason)]


SHOWN = (
    Exhibit(number=1, path="diff", last=3, text="+new line of code\n-old\n+newer"),
    Exhibit(
        number=2,
        path="src/other.py",
        first=10,
        last=12,
        text="def charge(card):\n    total = card.sum\n    return total",
    ),
    Exhibit(number=3, path="standard input", last=1, text="Error: the card was charged twice"),
)


@pytest.mark.parametrize(
    ("text", "cited", "status", "reason"),
    [
        ("It is in E2.", "E2", "verified", "the exhibit exists"),
        ("See [E2:11].", "E2:11", "verified", "the line exists; nothing is quoted from it"),
        ("E2:10-12 says `return total`.", "E2:10-12", "verified", "the quoted words stand there"),
        ("`E2:10`: `def charge(card):`", "E2:10", "verified", "the quoted words stand there"),
        ("E2, lines 10 to 12, does it.", "E2", "verified", "the line exists; nothing is quoted from it"),
        ("E2:10 says `def refund(card):`.", "E2:10", "not_found", "the quoted words are not in the exhibit"),
        ("E2:13 does it.", "E2:13", "not_found", "the exhibit shows the lines 10-12"),
        ("E2:1 does it.", "E2:1", "not_found", "the exhibit shows the lines 10-12"),
        ("E9 does it.", "E9", "not_found", "there is no such exhibit"),
        ('E3 says "the card was charged twice".', "E3", "verified", "the quoted words stand there"),
        ('E3 says "the card was charged once".', "E3", "not_found", "the quoted words are not in the exhibit"),
        ("diff:1 has `+new line of code`.", "diff:1", "verified", "the quoted words stand there"),
        ("standard input:1 shows it.", "standard input:1", "verified", "the line exists; nothing is quoted from it"),
    ],
)
def test_what_everybody_was_shown_is_cited_by_its_number(text: str, cited: str, status: str, reason: str) -> None:
    first, *_ = check_ledger(text, TREE, exhibits=SHOWN).entries
    assert (first.kind, first.text, first.status, first.reason) == (CitationKind.EXHIBIT, cited, status, reason)
    assert not [entry for entry in check_ledger(text, TREE).entries if entry.kind is CitationKind.EXHIBIT]


def test_a_name_is_looked_for_in_the_exhibit_beside_it() -> None:
    ledger = check_ledger("`charge` in E2 and `refund()` in E2.", TREE, exhibits=SHOWN)
    assert [entry.status for entry in ledger.entries if entry.kind is CitationKind.SYMBOL] == ["verified", "not_found"]


@pytest.mark.parametrize("text", ["An E2E test, E2.py, a/E2, SE2 and E2x are none; a diff is none."])
def test_what_only_looks_like_an_exhibit_is_none(text: str) -> None:
    assert not [
        entry for entry in check_ledger(text, TREE, exhibits=SHOWN).entries if entry.kind is CitationKind.EXHIBIT
    ]


def test_a_path_is_looked_up_in_the_working_tree_whatever_was_shown_of_it() -> None:
    (entry,) = check_ledger("src/other.py:11 does it.", TREE, exhibits=SHOWN).entries
    assert (entry.kind, entry.status) == (CitationKind.PATH, "not_found")
