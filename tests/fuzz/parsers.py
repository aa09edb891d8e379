"""Every parser of text that somebody else has written: how it is called, and what such text looks like.

A new one is registered here, or ``test_every_module_that_parses_is_in_the_table`` says so. Each takes bytes, returns
what it has read, and may raise what it says it refuses with, and nothing else.
"""

import gzip
import io
import json
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, cast

import anyio
from msgspec import Struct
from pydantic import ValidationError

from sparring.app.verification import read_row
from sparring.batch.checks import FIELDS
from sparring.batch.outputs import judged_rows
from sparring.batch.parquet import ParquetTable
from sparring.batch.rows import Columns, harmless, key_maker
from sparring.batch.tables import blocks, described
from sparring.checks.citations.ledger import check_ledger
from sparring.checks.citations.lookup import check_citations, find_citations
from sparring.checks.citations.speech import possible_citations
from sparring.checks.claims.check import check_claim, check_support
from sparring.engine.course import UnusableReplyError
from sparring.errors import SparringError, UsageError
from sparring.evaluation.planted_bugs import read_bugs
from sparring.formats.chaired_debate.replies import read_draft
from sparring.formats.debate.replies import read_ballot
from sparring.formats.fact_check.replies import read_analysis, read_readings, read_rebuttal
from sparring.formats.jury.case import Case
from sparring.formats.jury.replies import read_checklist, read_verdict
from sparring.formats.jury.statements import read_statement
from sparring.formats.review.places import PointedLines
from sparring.formats.review.replies import read_examination, read_findings, read_same
from sparring.hosts.entries import read_entry, with_entry, without_entry
from sparring.hosts.files import read_receipt
from sparring.hosts.gates import gate_of, with_hooks, without_hooks
from sparring.hosts.known import KNOWN_HOSTS, KnownHost, known_host
from sparring.lookup.change_list import read_raw
from sparring.lookup.git import parse_range
from sparring.lookup.hypertext import read_hypertext
from sparring.processes.children import Conversation, FinishedProcess
from sparring.prompts import Template
from sparring.providers.acp.agent import AgentTransport
from sparring.providers.acp.client import SessionUpdates
from sparring.providers.api.batches import BATCH_APIS, ApiBatches
from sparring.providers.api.calls import APIS, models_in
from sparring.providers.api.connections import Connections
from sparring.providers.api.endpoints import Endpoint
from sparring.providers.api.http import Response
from sparring.providers.api.protocol import Api, BatchResult, Json, PartialAnswer, table
from sparring.providers.api.reading import read_answer
from sparring.providers.api.schemas import answer_in_thoughts
from sparring.providers.cli.confinement import users_table
from sparring.providers.cli.output import parse
from sparring.providers.known import load_providers
from sparring.providers.receiving.causes import AskedQuestion, cause_in, first_words
from sparring.providers.receiving.thoughts import without_thought
from sparring.reports.comparison import compare_tables
from sparring.schema.apis import ApiKind, ApiProvider
from sparring.schema.base import Role
from sparring.schema.chaired_debate import Phase, Speaker
from sparring.schema.debate import LastDebate
from sparring.schema.judgement import Order
from sparring.schema.pairs import JudgedTable
from sparring.schema.providers import PROVIDER_SPEC
from sparring.schema.verification import CarriesRow, ClaimRow, QuoteRow
from sparring.server.fast_start import parsed
from sparring.server.stdio import message_of, refusals
from sparring.store.debate_log import DebateLog
from sparring.store.files import read_record
from sparring.store.index import RunIndex
from sparring.store.journal import read_journal
from sparring.store.lines import type_of, unseal
from sparring.store.provenance import StateKey
from sparring.text.extraction import find_json
from sparring.text.jsonc import parse_jsonc
from sparring.text.redaction import Redactor
from sparring.text.tables import TableError, csv_rows, json_rows
from sparring.text.trailers import authors_in
from sparring.text.unified_diff import DiffError, read_diff
from support.desk import TOOLS, question
from support.working_trees import MemoryTree


class Parser(Struct, frozen=True):
    """A parser of foreign text.

    Attributes:
        modules: Those of ours that read it.
        formats: Whose pieces it is made of (``tokens.toml``).
        refuses: What it may raise.
    """

    name: str
    read: Callable[[bytes], object]
    modules: str
    formats: str
    refuses: tuple[type[Exception], ...] = ()


def text_of(data: bytes) -> str:
    """As text comes to us: bytes that are no UTF-8 replaced, halves of characters as JSON may spell them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


CITED = MemoryTree(
    {"src/a.py": "class Runner:\n    def run_all(self):\n        return self\n", "docs/b.md": "Some words.\n"}
)
_GONE_AT_THE_END = tempfile.TemporaryDirectory(prefix="sparring-fuzz-")
FOLDER = Path(_GONE_AT_THE_END.name)


def _file(name: str, data: bytes) -> Path:
    file = FOLDER / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


def _output(program: str, data: bytes) -> object:
    said = text_of(data)
    asked = AskedQuestion(program, question(timeout_s=30), Redactor())
    ends = ((0, "", False), (1, said[:2000], False), (None, "", True))
    finished = (FinishedProcess(code, said, error, late, overflowed=False, duration_ms=1) for code, error, late in ends)
    return [parse(program, each, asked) for each in finished]


class _Body:
    """A response whose body comes in two pieces."""

    def __init__(self, status: int, kind: str, data: bytes) -> None:
        self.status, self.headers, self._data = status, {"content-type": kind}, data
        self.pieces = self._pieces()

    async def _pieces(self) -> AsyncIterator[bytes]:
        yield self._data[:9]
        yield self._data[9:]

    async def rest(self) -> bytes:
        return self._data

    async def finish(self) -> None:
        pass


def _response(api: Api, data: bytes) -> object:
    answers: list[object] = []
    for status, kind in ((200, "text/event-stream"), (200, "application/json"), (429, "application/json")):
        answer = anyio.run(read_answer, cast("Response", _Body(status, kind, data)), api)
        answers.append((answer, answer.text, api.usage(answer.usage)))
    with suppress(ValueError, RecursionError):
        answers.append(models_in(json.loads(data)))
    return answers


def _of_server(data: bytes) -> object:
    """Read any answer to any page by which servers are recognised."""
    found: tuple[int | None, Json | None] = None, None
    with suppress(ValueError, RecursionError):
        found = 200, table(json.loads(data))

    def answer(*_asked: object) -> tuple[int | None, Json | None]:
        return found

    kind = cast("type[Any]", _inner("providers.api.servers", "_ServerInspection"))
    look: Any = type("Answered", (kind,), {"_get": answer})
    return look(Endpoint("http://localhost/v1")).server("m")


def _of_thought(data: bytes) -> object:
    answer = PartialAnswer(thoughts=[text_of(data)])
    answer_in_thoughts(answer)
    return answer.text


def _of_batch(kind: ApiKind, data: bytes) -> object:
    """Parse a line of results, and of other replies, as a batch interface does."""
    spec = PROVIDER_SPEC.validate_python(
        {"name": "m", "kind": "api", "family": "m", "title": "M", "api": kind, "base_url": "http://localhost"}
    )
    assert isinstance(spec, ApiProvider)
    asked, batches = ApiBatches(spec, {}, connections=Connections({}), redactor=Redactor()), BATCH_APIS[kind]
    read: list[object] = []
    for line in data.splitlines()[:20]:
        try:
            told = _inner("providers.api.batches", "_table")(line)
        except (ValueError, RecursionError):
            continue
        for understand in (batches.created, partial(batches.status, "b"), batches.result):
            try:
                read.append(understand(told))
            except (ValueError, RecursionError) as error:
                read.append(type(error))
        if isinstance(found := read[-1], BatchResult):
            read.append(vars(ApiBatches)["_reply"](asked, Endpoint("http://localhost"), found))
    return read


class _Talk:
    def __init__(self, data: bytes) -> None:
        self._lines = iter(data.split(b"\n"))

    async def receive(self) -> bytes | None:
        return next(self._lines, None)


def _agent(data: bytes) -> object:
    transport, updates = AgentTransport(cast("Conversation", _Talk(data)), "agent"), SessionUpdates()
    updates.begin("s")

    async def all_messages() -> None:
        while (message := await transport.receive()) is not None:
            updates.receive_update(message.get("params"))

    anyio.run(all_messages)
    return updates.text(), updates.calls, transport.fault


def _server(data: bytes) -> object:
    lines = data.split(b"\n")
    incoming = [(line, parsed(line), message_of(line)) for line in lines]
    return [refusals(line, said) if isinstance(said, ValidationError) else said for line, _, said in incoming]


def _inner(module: str, name: str) -> Callable[..., Any]:
    """Return a private function that has no public caller without a process."""
    return vars(import_module(f"sparring.{module}"))[name]


_script, _codex = _inner("providers.scripted", "_read_script"), _inner("providers.cli.codex.confinement", "_read")
_members, _answer = _inner("formats.chaired_debate.options", "_members"), _inner("app.installation", "_answer")
_dismissed_in_base = _inner("formats.review.options", "_dismissed_in_base")
_departures = _inner("lookup.git", "_departures")
ROWS = (ClaimRow, QuoteRow, CarriesRow)


def _listing(text: str) -> object:
    return list(read_raw(text)), parse_range(text), authors_in(text)


def _opencode(text: str) -> object:
    return _inner("providers.cli.opencode.confinement", "_understood")(text, "-", FOLDER)


class _Base:
    """A commit in which a file holds that text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def text_in_commit(self, path: str, commit: str) -> str:
        return f"{path[:0]}{commit[:0]}{self._text}"


def _dismissals(text: str) -> object:
    return _dismissed_in_base("dismissed.json", "0" * 40, _Base(text))


_KEY = StateKey(None, given="a key of whoever searches for what breaks a parser")


def _signed_index(folder: Path) -> object:
    """Read the index that is there as if the user had signed it: any other is not even looked into."""
    file = folder / ".index.json"
    file.write_bytes(_KEY.sealed("index of runs", file.read_bytes()))
    return RunIndex(folder, _nothing, _KEY).summaries(())


def _journal(data: bytes) -> object:
    _ = [(type_of(line), unseal(line)) for line in data.split(b"\n")]
    return read_journal(_file("run/journal.jsonl", data).parent)


def _hooks(text: str) -> object:
    """A host's hooks with ours among them, and without."""
    host = known_host("claude")
    return without_hooks(host.name, gate_of(host), with_hooks(host.name, gate_of(host), text, "/opt/sparring"))


def _settings(text: str) -> object:
    def written(host: KnownHost) -> object:
        entry = read_entry(host, text)
        return entry, with_entry(host, text, "/bin/sparring"), without_entry(host, text) if entry else ""

    return [_said_or(written, host, ValueError) for host in KNOWN_HOSTS]


def _cited(text: str) -> object:
    found = find_citations(text), check_citations(text, lambda _: text), list(possible_citations(text))
    return found, check_ledger(text, CITED)


def _claim(text: str) -> object:
    claim, _, evidence = text.partition("\n")
    return check_claim(claim, [evidence]), check_support(claim, evidence)


def _replies(reply: str) -> object:
    """Parse the same reply as every format does."""
    case = Case("The harbour froze in 1904.", "The harbour never froze.")
    readers: tuple[Callable[[str], object], ...] = (
        find_json,
        lambda said: read_ballot(said, Order.PROPOSER_FIRST),
        read_verdict,
        read_analysis,
        read_rebuttal,
        lambda said: read_readings(said, 2),
        read_checklist,
        lambda said: read_draft(said, Speaker.PROMOTER, Phase.OPENING),
        lambda said: read_statement(said, Role.ADVOCATE, 1, case),
        read_findings,
        lambda said: read_same(said, ((1, 2),)),
        lambda said: read_examination(said, PointedLines("src/a.py", 1, 1, "x")),
    )
    return [_said_or(reader, reply, UnusableReplyError) for reader in readers]


def _said_or(read: Callable[[Any], object], said: object, refusal: type[Exception]) -> object:
    """Return the result of reading it, or the refusal."""
    try:
        return read(said)
    except refusal as error:
        return str(error)


def _nothing(folder: Path) -> Any:
    raise AssertionError(folder)


def _of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(text_of(data))


def _of_own_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _of_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    return lambda data: read(_file(name, data))


def _of_folder(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    return lambda data: read(_file(name, data).parent)


def _results(file: Path) -> object:
    """Rows of a batch's output, and whether anything can be made of what passes for them."""
    table = JudgedTable(file.name, "jury", tuple(judged_rows(str(file.parent), file.parent)), ("MUTATED",))
    return compare_tables(table, table)


def _rows(file: Path) -> object:
    """Return the row of each line of a table as a jury reads it, and its key."""
    columns, key = Columns(FIELDS, ("gold=b",)), key_maker("jury", b"")
    rows = [columns.row(row) for block in blocks([file.name], cwd=file.parent) for row in block]
    return [key(row) for row in harmless(rows, str)]


def _parquet(data: bytes) -> object:
    table = ParquetTable(io.BytesIO(data))
    return table.columns, table.count, list(islice(table.rows(), 100))


def _table_files(data: bytes) -> object:
    """Read text as a table, packed or not, and cut off in the middle."""
    packed = gzip.compress(data, 1)
    inputs = ("t.csv", "t.jsonl.gz", "half.tsv.gz")
    for name, content in zip(inputs, (data, packed, packed[: -len(packed) // 3]), strict=True):
        _file(name, content)
    readers: tuple[Callable[[str], object], ...] = (
        lambda name: described([name], cwd=FOLDER),
        lambda name: list(blocks([name], cwd=FOLDER, rows=3)),
    )
    return [_said_or(reader, name, UsageError) for name in inputs for reader in readers]


OURS = (SparringError,)
_CLI = "providers.cli"

_CLAIM_MODULES = (
    "checks.claims.check checks.claims.parsing.language checks.claims.structured.assignments"
    " checks.claims.structured.reading"
)
PARSERS = (
    *(
        Parser(f"{program}-output", partial(_output, program), f"{_CLI}.output {_CLI}.{program}.output", "json")
        for program in TOOLS
    ),
    *(
        Parser(
            f"{kind}-api",
            partial(_response, api),
            f"providers.api.reading providers.api.framing providers.api.calls {type(api).__module__[9:]}",
            "events json",
        )
        for kind, api in APIS.items()
    ),
    Parser("model-servers", _of_server, "providers.api.servers", "json"),
    Parser("schemas", _of_thought, "providers.api.schemas", "json"),
    *(
        Parser(f"{kind}-batch", partial(_of_batch, kind), f"providers.api.batches {type(api).__module__[9:]}", "json")
        for kind, api in BATCH_APIS.items()
    ),
    Parser("acp", _agent, "providers.acp.agent", "acp rpc json"),
    Parser("mcp", _server, "server.fast_start server.stdio", "rpc json"),
    Parser("greeting", lambda data: anyio.run(_answer, _Talk(data), 1), "app.installation", "rpc json"),
    Parser("journal", _journal, "store.lines store.journal", "json", OURS),
    Parser("debate-log", _of_file("log", lambda file: DebateLog(file).read()), "store.debate_log", "json", OURS),
    Parser("index", _of_folder("state/.index.json", _signed_index), "store.index", "json"),
    Parser("dismissals", _of_text(_dismissals), "formats.review.options", "json", (UsageError,)),
    Parser("signed-record", lambda data: _KEY.opened("record", data), "store.provenance", "json"),
    Parser("cost", _inner("store.summaries", "_cost"), "store.summaries", "json"),
    Parser("record", _of_file("record", lambda file: read_record(file, LastDebate)), "store.files", "json", OURS),
    Parser("provider-file", _of_folder("p/f.toml", lambda at: load_providers(at).problems), "providers.known", "toml"),
    Parser("script", _of_file("script", _script), "providers.scripted", "json", OURS),
    Parser("prompt", _of_text(partial(Template.parse, "fuzzed")), "prompts", "toml prompt", OURS),
    Parser("codex-settings", _of_file("codex", _codex), f"{_CLI}.codex.confinement", "toml", OURS),
    Parser("opencode-settings", _of_text(_opencode), f"{_CLI}.opencode.confinement", "json", OURS),
    Parser("users-settings", _of_file("users", users_table), f"{_CLI}.confinement", "json", OURS),
    Parser("host-settings", _of_text(_settings), "hosts.entries hosts.jsonc hosts.toml", "json toml"),
    Parser("host-hooks", _of_text(_hooks), "hosts.gates", "json", (ValueError,)),
    Parser("host-says", _inner("cli.setup", "_parsed_input"), "cli.setup", "json", OURS),
    Parser("host-receipt", _of_folder("kept/installed.json", read_receipt), "hosts.files", "json", OURS),
    Parser("debate-config", _of_own_text(_members), "formats.chaired_debate.options", "json", OURS),
    Parser("log-sources", _of_text(_inner("app.log_writing", "_sources")), "app.log_writing", "json", OURS),
    Parser("planted-bugs", _of_folder("tables/bugs.toml", read_bugs), "evaluation.planted_bugs", "toml", OURS),
    Parser("rows", _of_file("rows.jsonl", _rows), "batch.rows", "json row", OURS),
    Parser("results", _of_file("part-00000.jsonl", _results), "batch.outputs", "json row", OURS),
    Parser("jsonc", _of_text(parse_jsonc), "text.jsonc", "json", (ValueError,)),
    Parser("csv", lambda data: list(csv_rows(io.BytesIO(data))), "text.tables", "csv", (TableError,)),
    Parser("parquet", _parquet, "batch.parquet", "parquet", (TableError,)),
    Parser("tables", _table_files, "batch.tables", "csv json row", OURS),
    Parser("json-lines", lambda data: list(json_rows(io.BytesIO(data))), "text.tables", "json row", (TableError,)),
    Parser("row", lambda data: [read_row(1, data, kind) for kind in ROWS], "app.verification", "json row"),
    # An answer holds no half of a surrogate pair: its record takes none.
    Parser("reply", _of_own_text(_replies), "text.extraction engine.replies", "json reply prose"),
    Parser(
        "cause", _of_text(lambda text: (cause_in(text).code, first_words(text))), "providers.receiving.causes", "json"
    ),
    Parser("thought", _of_text(without_thought), "providers.receiving.thoughts", "reply prose"),
    Parser("citations", _of_text(_cited), "checks.citations.syntax checks.citations.ledger", "prose"),
    Parser("claim", _of_text(_claim), _CLAIM_MODULES, "claims"),
    Parser("hypertext", _of_text(read_hypertext), "lookup.hypertext", "html"),
    Parser("git", _of_text(lambda text: list(_departures(text))), "lookup.git", "git"),
    Parser("unified-diff", _of_own_text(read_diff), "text.unified_diff", "diff", (DiffError,)),
    Parser("git-listing", _of_own_text(_listing), "lookup.changes lookup.git", "git diff"),
    Parser("secrets", _of_text(Redactor(["known-value"]).redact), "text.redaction", "secrets"),
)
"""All of them. Those of one program take what was recorded of it for seeds, the others what is kept in their corpus."""
