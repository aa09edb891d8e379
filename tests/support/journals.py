"""Runs as the store keeps them: records to write, and whole journals made without a disk."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import TypeAdapter

from sparring.schema.base import Participant, Record, Role
from sparring.schema.consultation import Answer, Failure, FailureCode, Usage
from sparring.schema.debate import DebateOutcome, DebateRequest, DebateStatus
from sparring.schema.runs import RunHeader
from sparring.schema.transcript import Turn, TurnKind
from sparring.store.hosts import Place
from sparring.store.lines import EndLine, Line, Link, ResumeBody, ResumeLine, StartLine, TurnBody, TurnLine, seal
from sparring.store.provenance import Provenance, StateKey
from support.workbench import Workbench

KEY = StateKey(None, given="the key of the user who wrote these runs")
OTHER_KEY = StateKey(None, given="the key of somebody else, as long as it must be")

BEGUN_AT = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
RUN_ID = "debate-20250102T030405Z-0a1b"


def header(run_id: str = RUN_ID, *, topic: str = "Tabs or spaces?", created_at: datetime = BEGUN_AT) -> RunHeader:
    claude, codex, offline = (Participant(tool=tool) for tool in ("claude", "codex", "offline"))
    request = DebateRequest(topic=topic, proposer=claude, challenger=codex, judge=offline)
    return RunHeader(run_id=run_id, request=request, created_at=created_at, sparring_version="0.1.0")


def turn(number: int, *, said: str = "Tabs.\nSee `a.py:1`.") -> Turn:
    """The turn of that number; every third one is a failure."""
    failed = Failure(tool="codex", code=FailureCode.TIMEOUT, detail="no answer in 240 s", duration_ms=240_000)
    usage = Usage(input_tokens=1200, output_tokens=34, cost_usd=1e-07)
    answer = Answer(tool="claude", response=said, duration_ms=8500, usage=usage)
    return Turn(
        ask_id=f"ask-{number}",
        kind=TurnKind.OPENING,
        role=Role.PROPOSER,
        round=1,
        tool="claude",
        prompt_sha256="0" * 64,
        at=BEGUN_AT + timedelta(seconds=number),
        reply=failed if number % 3 == 2 else answer,
    )


def outcome() -> DebateOutcome:
    return DebateOutcome(status=DebateStatus.UNJUDGED, rounds_completed=2)


_LINE: TypeAdapter[Line] = TypeAdapter(Line)
_LINES: Mapping[type, Callable[..., Line]] = {TurnBody: TurnLine, ResumeBody: ResumeLine, DebateOutcome: EndLine}


def place_at(state: Path, *others: Path, key: StateKey = KEY) -> Place:
    """The project of the user who has that ``key``, with its state in ``state``."""
    return Place(state, state, others, Provenance(key))


def chained(*bodies: Record, key: StateKey = KEY) -> list[bytes]:
    """Lines with correct hashes for those bodies, whatever sense they make, signed with ``key``."""
    link, lines = Link(), list[bytes]()
    for body in bodies:
        line = _LINES.get(type(body), StartLine)(seq=link.seq, prev=link.prev, at=BEGUN_AT, body=body)
        sealed = seal(line, key, link.root)
        link = sealed.following
        lines.append(sealed.content)
    return lines


def lines_of(turns: tuple[Turn, ...], *, ended: bool = False, key: StateKey = KEY) -> list[bytes]:
    """The lines of a journal in which each of ``turns`` is a step of its own."""
    said = [TurnBody(step=step, of=1, index=0, turn=turn) for step, turn in enumerate(turns)]
    return chained(header(), *said, *([outcome()] if ended else []), key=key)


def signed_anew(folder: Path, old: str, new: str, key: StateKey) -> None:
    """Put ``new`` for ``old`` in the journal of ``folder``, as the user who has that ``key`` would have written it."""
    link, written = Link(), list[bytes]()
    for line in (folder / "journal.jsonl").read_text("utf-8").replace(old, new).splitlines():
        record = json.loads(line)
        body = record | {"prev": link.prev}
        for name in ("hash", "code"):
            body.pop(name, None)
        sealed = seal(_LINE.validate_json(json.dumps(body)), key, link.root)
        link = sealed.following
        written.append(sealed.content)
    (folder / "journal.jsonl").write_bytes(b"".join(written))


def keep(folder: Path, lines: list[bytes]) -> Path:
    """Put a journal of those lines into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines))
    return folder


def kept_runs(bench: Workbench, count: int) -> list[str]:
    """As many finished debates for which nobody had to wait; their ids, newest first."""
    ids: list[str] = []
    for number in range(count):
        at = BEGUN_AT + timedelta(minutes=number)
        run_id = f"debate-{at:%Y%m%dT%H%M%SZ}-{number:04x}"
        lines = chained(header(run_id, created_at=at), outcome(), key=bench.key)
        keep(bench.state / "debate" / "runs" / run_id, lines)
        ids.insert(0, run_id)
    return ids
