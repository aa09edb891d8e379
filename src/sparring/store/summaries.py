"""Summarise a run by a few lines of its journal, without checking the middle of it."""

from pathlib import Path

from pydantic_core import from_json

from sparring.errors import StoreError
from sparring.schema.base import Role
from sparring.schema.runs import Outcome, RunHeader, RunStatus, RunSummary
from sparring.store import lines
from sparring.store.journal import journal_stream, untrusted
from sparring.store.provenance import NO_KEY, StateKey
from sparring.store.run_lock import is_locked
from sparring.text.tidying import one_line

_TOPIC_LENGTH = 200
_FINDING_LENGTH = 60


def status_of(outcome: Outcome | None, *, locked: bool) -> RunStatus:
    """Return the status of a run with that ``outcome``, if any; ``locked`` by a process that works on it."""
    if outcome is not None:
        return RunStatus.FINISHED
    return RunStatus.RUNNING if locked else RunStatus.INTERRUPTED


def summary(folder: Path, key: StateKey = NO_KEY) -> RunSummary:
    """The run that is kept in ``folder``; one that cannot be read has a problem."""
    kind = folder.name.rsplit("-", 2)[0]
    locked = is_locked(folder)
    try:
        header, outcome, costs, signed = _skim(folder, key)
    except StoreError as error:
        return RunSummary(run_id=folder.name, kind=kind, problem=str(error))
    return RunSummary(
        run_id=folder.name,
        kind=kind,
        status=status_of(outcome, locked=locked),
        outcome=outcome.status if outcome else None,
        finding=one_line(outcome.finding(header.request), _FINDING_LENGTH) if outcome else "",
        topic=one_line(header.request.subject, _TOPIC_LENGTH),
        created_at=header.created_at,
        turns=len(costs),
        cost_usd=sum(cost for cost in costs if cost is not None),
        unpriced_calls=sum(cost is None for cost in costs),
        is_own=signed,
    )


def _skim(folder: Path, key: StateKey) -> tuple[RunHeader, Outcome | None, list[float | None], bool]:
    """Return the header of a run, its outcome, the cost of each of its turns, and whether it is signed."""
    with journal_stream(folder) as stream:
        first = last = stream.readline()
        costs, number = list[float | None](), 1
        for content in stream:
            if not content.endswith(b"\n"):
                break  # torn, or being written at this moment
            last, number = content, number + 1
            if lines.type_of(content) == "turn":
                costs.append(_cost(content))
    header, begun = read_header(folder, first)
    ended = _last_line(folder, number, last)
    outcome = ended.line.body if ended and isinstance(ended.line, lines.EndLine) else None
    is_signed = begun.is_signed(key) and (ended is None or ended.is_signed(key, begun.following.root))
    return header, outcome, costs, is_signed


def _cost(line: bytes) -> float | None:
    """Return the cost of a turn; 0 where no model has answered, None where the answer does not state it."""
    try:
        match from_json(line):
            case {"body": {"turn": {"taken_from": str()}}}:
                return 0.0
            case {"body": {"turn": {"role": role, "reply": {"usage": {"cost_usd": cost}}}}}:
                return 0.0 if role == Role.VERIFIER else cost
            case _:
                return 0.0
    except ValueError:
        return None


def read_header(folder: Path, first: bytes) -> tuple[RunHeader, lines.Sealed]:
    """Return the header of the run in ``folder``, from the ``first`` line of its journal, and that line.

    Raises:
        StateCorruptError: It is not the first line of a run.
    """
    sealed = lines.unseal(first, lines.Link())
    if isinstance(sealed, lines.Sealed) and isinstance(sealed.line, lines.StartLine):
        return sealed.line.body, sealed
    raise untrusted(folder, 1, sealed if isinstance(sealed, str) else "the first line does not begin a run")


def _last_line(folder: Path, number: int, last: bytes) -> lines.Sealed | None:
    sealed = lines.unseal(last)
    if sealed is lines.Defect.NOT_JSON:
        return None  # torn, as ``journal`` has it
    if isinstance(sealed, str):
        raise untrusted(folder, number, sealed)
    return sealed
