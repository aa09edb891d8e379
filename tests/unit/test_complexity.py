"""Whatever takes a text that others wrote takes time in proportion to its length: one answer stops nothing."""

import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

import pytest

from sparring.checks.citations import check_citations, check_ledger
from sparring.checks.citations.ledger import compare_citations
from sparring.checks.claims import check_claim
from sparring.checks.claims.parsing.words import split_words
from sparring.checks.code import Code, CodeLine
from sparring.checks.concessions import CheckedSpeech, analyse_conduct, marks
from sparring.checks.quotes import Evidence
from sparring.checks.sources import cited_entries, unsourced_paragraphs
from sparring.engine.course import UnusableReplyError
from sparring.engine.replies import read_form
from sparring.formats.jury.replies import VerdictForm
from sparring.lookup.hypertext import read_hypertext
from sparring.providers.receiving import framing, printed
from sparring.reports.markdown import cell, harmless, labelled, quoted
from sparring.reports.page import passages
from sparring.schema.base import REPLY_TEXT_LIMIT, Role
from sparring.text import dumps, extraction, jsonc, prose, redaction, source_lines, terms, tidying, tokens
from sparring.text.authorship import foreign_origin
from sparring.text.tables import TableError, csv_rows, json_rows
from sparring.text.trailers import authors_in
from sparring.text.unified_diff import DiffError, read_diff
from support.complexity import Case, fault, faults, functions_of_text
from support.secret_shapes import FRAGMENTS
from support.working_trees import MemoryTree

PAGE = "The tower in Paris was built in 1889. It is 330 m tall, and costs $5 million a year."
TREE = MemoryTree({"src/app/runner.py": "class Runner:\n    def run(self) -> None: ...\n" * 50})
REDACTOR = redaction.Redactor(["swordfish-of-the-sea-77"])

MARKS = ("...", "[...]", "(...", "'", '"', "*", "]", "-", ">", "•", "…", "''", "\u200b", "`\u200b")
NUMBERS = ("1", "1-", "1–", "$1", "€1 ", "10^", "[1,", "&#1", "1,", "1.", "1:", "45 ", "45 45. ", "1 to ", "5% ", "v1.")
WORDS = ("one ", "one hundred ", "million ", "a million ", "không ", "A B ", "not ", "the ", "by a ", "no ", "half a ")
DATES = ("May ", "2019 ", "2019-", "5 May 2019 ", "2019-01-01 ", "the 1980s ", "XIV ", "ngày 1 tháng ", "thế kỷ ")
SETTINGS = ("default: ", "`a`: ", "[a: <b> | default = ", "added in 1.", "a = ", "| a ", "| default |\n")
FORMATS = (
    "[a]\na = 1\n",
    "a: 1\n",
    "- a: &a [*a]\n",
    "  a:\n",
    "a=1\n",
    "  --a N  b (default: 1)\n",
    "FROM a\n",
    "a INT,\n",
)
CODE = ("`", "``", "a=`", "(“", "`a`“b” ", "`a`", "```\n", "a.b()", "a::b ", "f(a, ", "a(", "()", "a_b ")
PLACES = ("a/", "a.py:1 ", "a/b.py#L1 ", "../", "https://a.b/c ", "http://", "abc1234 ", "a.b.", "Exhibit 1 ", "1 ms ")
BLOCKS = ("> a\n", "- a\n", "# a\n", "~~~\n", "|")
MARKDOWN = (*BLOCKS, "~~", "**", "[a](b)", "[a](", "![", "<a ", "<!--", "&amp;", "\\", "“")
SENTENCES = ("a. ", "Mr. ", "U.S. ", "?! ", "? ", "e.g. ", "\n", "\r\n", " ", "\t", "a b ")
ESCAPED = ("a:b@", "swordfish-", "\\u0041", "%41", "= ")
SPEECH = ("> a\n", "~~~\n", "[a](", "? ", "is always faster. ", "`run` is not in src/app/runner.py. ")
SECRETS = ("mysql ", "sshpass -", '{"kty"', '"auth":"', "Private-Lines: 1 ", "AKIA", "eyJ", "-----", "aA1", *ESCAPED)
JSON = ("{", "}", '{"a":', '"', '\\"', "[", "//", "/*", ",", "\\", '{"a": 1} ')
HTML = ("<p>", "<a href=", "<!--", "<script>", "</", "&#x", "&a", "<![CDATA[", "<td>", "<ul><li>", "<")

_READ = 16 << 10
"""Each number takes 40 µs to read."""

_CLAIMS = (*NUMBERS, *WORDS, *DATES, *SETTINGS, "a?", "~~a", "(a", "-LRB- ")
HUNKS = ("", 'diff --git "', *(f"diff --git a/a b/a\n{hunk}" for hunk in ("", "@@ -1,99999999 +1,99999999 @@\n")))
LINES = ("x\n", "x", " x\n", "\t", "x\n x\n", "x y\n", "12 +| x\n", "+x\n", "`", "\r\n", "\0", "\u200b")


Read = Callable[[str], object]


def _source_lines(content: bytes) -> object:
    lines = source_lines.file_lines(content)
    is_text = source_lines.is_text(content.decode(errors="surrogateescape").split("\n"))
    is_code = [source_lines.is_code(line) for line in lines]
    return is_text, is_code, source_lines.enclosing(lines, len(lines)), source_lines.shown_lines(lines)


def _code(text: str) -> Code:
    return Code([[CodeLine(number, line) for number, line in enumerate(text.split("\n"), start=1)]])


@cache
def _shown() -> Code:
    return _code("x\n" * 20_000 + "x y\n" * 10_000 + "xx" * 20_000)


def _form_with(text: str) -> str:
    said = text.replace('"', "'")
    return f'{{"verdict": "{said}", "critical_differences": ["{said}"], "confidence": "{said}", "rationale": "{said}"}}'


def _refusing(read: Read, error: type[Exception], begins: Sequence[str] = ("",)) -> Read:
    """Reads a text behind each of ``begins``; to refuse one has to be as fast."""

    def call(text: str) -> None:
        for begin in begins:
            with suppress(error):
                read(begin + text)

    return call


CASES = (
    Case(
        ("checks.quotes:Evidence.find", "checks.quotes:Evidence.locate"),
        Evidence([PAGE]).find,
        (*MARKS, "Paris...", "in Paris ... "),
    ),
    Case(("checks.quotes:Evidence.find",), lambda text: Evidence([PAGE]).find(f"Paris {text}"), ("...", "\u2026")),
    Case(("checks.quotes:Evidence.is_like",), Evidence([PAGE]).is_like, (*MARKS, "Paris...", "in Paris ... ")),
    Case(
        ("checks.quotes:Evidence.__init__", "checks.folding:fold"),
        lambda text: Evidence([text]).find("It costs three dollars a year"),
        ("\u200b", "`\u200b", "-\u200b", "a\u0301", "in 1999 , ", "-LRB-", "\ufffd"),
    ),
    Case(
        (
            "checks.claims.check:check_claim",
            "checks.claims.check:ClaimEvidence.check",
            "checks.claims.check:check_support",
        ),
        lambda text: check_claim(text, [PAGE]),
        _CLAIMS,
        longest=REPLY_TEXT_LIMIT,
    ),
    Case(
        ("checks.claims.check:ClaimEvidence.__init__", "checks.claims.parsing.tokens:PlainText.__init__"),
        lambda text: check_claim("The tower of 1889 costs $6 million.", [text]),
        _CLAIMS,
        longest=_READ,
    ),
    Case(
        ("checks.claims.check:check_claim",),
        lambda text: check_claim("There were 5 cases in Ohio in May 2020.", [text]),
        ("5 cases in May 2020. ", "12 from 1839 to 1841 - Ohio not 1 , ", "hơn hai triệu người "),
        longest=_READ,
    ),
    Case(
        ("checks.claims.check:check_claim",),
        lambda text: check_claim(text, [text + " It is so."]),
        ("45 ", "1-", "2019 ", "one "),
        longest=REPLY_TEXT_LIMIT,
    ),
    Case(
        ("checks.claims.structured.reading:read",),
        lambda text: check_claim("The port is 80 by default.", [text + "\nport: 80\n"]),
        (*FORMATS, *SETTINGS, *JSON, *BLOCKS),
        longest=_READ,
    ),
    Case(
        ("checks.claims.parsing.words:split_words",),
        split_words,
        (*_CLAIMS, *CODE),
        longest=_READ,
    ),
    Case(("checks.code:Code.find",), lambda text: _shown().find(text, 900, 900), LINES),
    Case(("checks.code:Code.__init__", "checks.code:Code.find"), lambda text: _code(text).find("x\nx y", 9, 9), LINES),
    Case(("checks.concessions:marks",), marks, ("I concede: a\n", "I concede", "- **I withdraw:** a\n", "*", " ")),
    Case(
        ("checks.concessions:analyse_conduct",),
        lambda text: analyse_conduct([CheckedSpeech(Role.CHALLENGER, 1, text, None)] * 4),
        ("I concede: a\n", "I withdraw: all of it\n\n", "> a\n", "```\n"),
    ),
    Case(
        ("checks.sources:is_conjecture", "checks.sources:cited_entries"), cited_entries, ("(seq 1, ", "seq ", "1 and ")
    ),
    Case(
        ("checks.sources:unsourced_paragraphs",),
        lambda text: unsourced_paragraphs(text, entries=(1,), given=text),
        ("[1,", "section 5 ", "seq 1,", "1,", "1.", "5 percent ", "https://", "\n \n", "- ", "a-2", "*"),
    ),
    Case(
        ("checks.citations.lookup:check_citations", "checks.citations.lookup:find_citations"),
        lambda text: check_citations(text, lambda _: PAGE),
        (*CODE, *PLACES, "~~~\n"),
    ),
    Case(
        ("checks.citations.ledger:compare_citations", "checks.citations.syntax:prose_lines"),
        lambda text: compare_citations({1: text}, lambda _: PAGE),
        (*CODE, "https://a.b/c ", "~~~\n"),
    ),
    Case(
        (
            "checks.citations.ledger:check_ledger",
            "checks.citations.syntax:uncited_claims",
            "checks.citations.speech:possible_citations",
        ),
        lambda text: check_ledger(text, TREE),
        (*CODE, *PLACES[:6], *SPEECH),
    ),
    Case(("text.prose:Prose.__init__", "text.fences:lines"), prose.Prose, (*MARKDOWN, *CODE)),
    Case(
        ("text.prose:sentences", "text.prose:sentences_around"),
        lambda text: (
            list(prose.sentences(text, 0, len(text))),
            prose.sentences_around(text, len(text) // 2, len(text) // 2),
        ),
        SENTENCES,
    ),
    Case(
        ("text.prose:quotations",), lambda text: list(prose.quotations(prose.Prose(text))), ("“", "”", '"', '"a" ', "«")
    ),
    Case(
        ("text.extraction:find_json", "text.extraction:remainder"),
        lambda text: extraction.remainder(text, extraction.find_json(text)),
        (*JSON, "```json\n", "```", '{"a":[[1,', '{"a":1,"b":{"c":2},', '{"a": 1, {'),
    ),
    Case(
        ("engine.replies:read_form",),
        _refusing(lambda text: read_form(_form_with(text), VerdictForm), UnusableReplyError),
        (*JSON, "x", "x|", "x ", "1", "9 %", " | ", "seq 1", "\\n"),
    ),
    Case(
        ("engine.replies:read_form",),
        _refusing(lambda text: read_form(text, VerdictForm), UnusableReplyError),
        (*JSON, '"verdict": ', '{"verdict": "x", ', '{"verdict": {', "'verdict' : '"),
    ),
    Case(("text.extraction:repaired_json",), extraction.repaired_json, (*JSON, "{'a': ", '{"a":1,}', '{"a": "b" c" ')),
    Case(("text.jsonc:parse_jsonc",), _refusing(jsonc.parse_jsonc, ValueError), JSON),
    Case(
        ("text.redaction:Redactor.redact", "text.redaction:Redactor.__init__"),
        REDACTOR.redact,
        (*FRAGMENTS, *SECRETS),
    ),
    Case(
        ("text.redaction:Redactor.redact",),
        lambda text: REDACTOR.redact(f"-----BEGIN PRIVATE KEY-----{text}-----END PRIVATE KEY-----{text[:-4]}"),
        ("\\n", "n\\", "AbCdEfGh01234567\n", "123456 ", "-----END PRIVATE KEY-----\n", "- "),
    ),
    Case(
        ("text.redaction:StreamRedactor.feed",),
        lambda text: redaction.StreamRedactor(REDACTOR).feed(text),
        ("sk-", "ghp_", "password=", "-----BEGIN ", "-----", "\n"),
    ),
    Case(
        ("text.terms:terms", "text.terms:counted", "text.terms:keywords"),
        terms.keywords,
        ("aB", "a_", "a-", "aA1", "1."),
    ),
    Case(("text.tidying:for_terminal", "text.tidying:one_line"), tidying.for_terminal, ("\x1b[", "\x1b]", "\r")),
    Case(("text.tidying:clean",), tidying.clean, ("\x1b[", "\x1b]", "\r", "\x0c", "\u200b", "👩\u200d")),
    Case(("text.tidying:clean_lines",), tidying.clean_lines, ("\x1b[", "\x1b]", "\r", "\n", "\u200b\n", "a\x0c\n")),
    Case(
        ("providers.receiving.framing:events_in",),
        lambda text: tuple(framing.events_in(text, ("text", "result"))),
        ('{"type":"text"', '"type":"text"', "\x1b]0;", "[", '{"a": "', "{}", '{"type":"result"}\n'),
    ),
    Case(
        ("providers.receiving.printed:cause_printed",),
        lambda text: printed.cause_printed(text, text),
        (
            "Error: ",
            "error\n",
            '{"error":"x"}',
            "[",
            "API Error: 4",
            "You've hit your \n",
            "HTTP ",
            "x.Error: ",
            "429 ",
        ),
    ),
    Case(
        ("text.tokens:tokens_about", "text.tokens:tokens_at_least"), tokens.tokens_at_least, ("a ", "  ", "1", "-", "ộ")
    ),
    Case(
        ("text.dumps:readings",),
        lambda text: tuple(dumps.readings(text)),
        ("41 42 ", "0x41, ", "\\101", "ＡＢ", "1 | a\n", "00000010: 4142 4344\n"),
    ),
    Case(("text.tidying:at_words",), lambda text: tidying.at_words(text, 1, len(text) - 1), ("x", " ", "x ")),
    Case(("text.tidying:is_blank",), tidying.is_blank, (" ", "\u200b", "\u2800")),
    Case(("text.redaction:Redactor.start_of_unfinished",), REDACTOR.start_of_unfinished, ("swordfish-", "a", "7")),
    Case(("text.tidying:visible",), tidying.visible, ("\u200d", "\U000e0041", "\u200b", "क\u200d", "👩\u200d")),
    Case(
        ("reports.markdown",),
        lambda text: (labelled("x", text), cell(text), quoted(text), harmless(text)),
        (*MARKDOWN, "* ", "![", "<img"),
    ),
    Case(
        ("reports.page.passages",),
        passages.prose,
        (*MARKDOWN, "![a](", "> ", "|a|\n|-|\n", "*a**b", "- "),
    ),
    Case(("lookup.hypertext:read_hypertext",), read_hypertext, HTML),
    Case(
        ("text.unified_diff:read_diff",),
        _refusing(read_diff, DiffError, HUNKS),
        ("diff --git a/a b/a\n", "@@ -1 +1 @@\n-a\n+a\n", "-a\n", '"\\\\', "\\303", "rename to a\n", "--- "),
    ),
    Case(
        ("text.tables:refuse_same_names", "text.tables:csv_rows"),
        _refusing(lambda text: list(csv_rows(io.BytesIO(text.encode()))), TableError, ("", "a,b\n")),
        ('"a\n', '",ab","\n', '"', '""', "a,", ",", "a\n", '"a"b\n', "\r", '"\n1,', "a\tb\n", '\n"\n1\n'),
        longest=_READ,
    ),
    Case(
        ("text.tables:json_rows", "text.tables:unambiguous"),
        _refusing(lambda text: list(json_rows(io.BytesIO(f"{text}\n{text}".encode()))), TableError),
        (*JSON, "\n", "{}\n", "9"),
    ),
    Case(
        ("text.authorship:foreign_origin",),
        lambda text: foreign_origin(text, {}),
        ("vendor/", ".min", ".js", "package-lock.json", "/"),
    ),
    Case(
        ("text.trailers:authors_in",),
        authors_in,
        ("Co-Authored-By: Claude", " code", " opus", "(", ")", ":", "<", ">", "gpt-5", " 4", "\n", "aider ("),
    ),
    Case(
        (
            "text.source_lines:enclosing",
            "text.source_lines:file_lines",
            "text.source_lines:is_code",
            "text.source_lines:is_text",
        ),
        lambda text: _source_lines(text.encode(errors="surrogateescape")),
        ("    ", "\t", "def f():\n", "# ", "\n", "\r\n", "\0", "\x1b", "\udcff", "/* "),
    ),
)


EXEMPT = {
    "Read piece by piece by what check_ledger measures, and word by word by what check_claim does.": (
        "checks.citations.lookup: root_relative leads_outside name_parts code_name_parts",
        "checks.citations.ledger: ShownExhibits.find ShownExhibits.source",
        "checks.citations.syntax: code_spans placed_citations_in",
        "checks.citations.tree: Listing.__init__ Listing.ending_with Listing.in_other_case Listing.modules",
        "checks.citations.tree: SourceText.__init__ SourceText.definitions SourceText.has_member",
        "checks.citations.tree: SourceText.has_method_of SourceText.holds SourceText.occurrences SourceText.offers",
        "checks.citations.tree: TooLongError.__init__ depth read_source",
        "checks.claims.parsing.language: recognise",
        "checks.claims.parsing.lexicon: record_words statement_words",
        "checks.claims.parsing.sentences: cut reason_not_asserted",
        "checks.claims.parsing.tokens: Tokens.__init__ is_digits",
        "checks.claims.parsing.words: fold stem",
        "checks.claims.structured.entries: name_words without_unit",
        "checks.claims.structured.values: differ_in_unit_alone is_marked is_type readings same_licence",
        "checks.claims.structured.values: same_release same_type same_versions",
        "checks.folding: is_inside_word",
        "text.words: letters_in words words_in",
    ),
    "Of the user's own or of ours, or a single pass of the interpreter's.": (
        "text.redaction: Redactor.fingerprint",
        "checks.citations.tree: Listing.as_on_disk Listing.may_refer_to composed",
        "checks.concessions: mark_pattern",
        "text.jsonc: merged",
        "text.authorship: adds_conversion excluded is_filtered",
        "text.redaction: secret_values",
        "text.secret_shapes: is_key_name is_secret_name",
        "text.terms: blocks",
        "text.tidying: capitalized did_you_mean is_encodable no_setting setting_name",
    ),
    "Read by what Redactor.redact measures, and by what keywords does.": (
        "text.secret_shapes: may_hold_secrets",
        "text.terms: score stem",
    ),
}
"""Why a function is measured by none of these, and which; by module."""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.covers[0])
def test_time_grows_no_faster_than_the_text(case: Case) -> None:
    assert faults(case) == []


def test_every_function_of_a_text_is_measured_or_exempt_with_a_reason() -> None:
    measured = {name for case in CASES for name in case.covers}
    lines = (line.split(": ") for told in EXEMPT.values() for line in told)
    exempt = {f"{module}:{name}" for module, names in lines for name in names.split()}
    assert functions_of_text("checks", "text") - measured == exempt
    assert not measured & exempt


@pytest.mark.slow
def test_quadratic_growth_is_noticed() -> None:
    slow = Case(("here",), lambda text: sum(1 for _ in range(len(text) ** 2 // 9)), longest=1 << 13)
    assert fault(slow, "a")
