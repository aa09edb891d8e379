"""Go on with an earlier session: which one is meant, whose it is, and whether it can still be continued."""

import re
from dataclasses import dataclass
from pathlib import Path

from sparring.app.asked import Named, found, model_of
from sparring.app.roster import Roster
from sparring.app.wishes import LAST, ConsultWish
from sparring.errors import UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Effort
from sparring.schema.consult import LastMultiSession, LastSession, SavedSession
from sparring.store.files import StateFolder
from sparring.text.tidying import one_line

_NUMBER = re.compile(r"[1-9]")
_SHOWN = 100


@dataclass(frozen=True)
class Continued:
    """The session to go on with. ``effort`` is what it was begun with, None if that is not known."""

    named: Named
    session_id: str
    effort: Effort | None = None


def continued(wish: ConsultWish, named: tuple[Named, ...], state: Path, roster: Roster) -> Continued:
    """The session that ``wish`` means, with everything that was saved of it checked against what there is now.

    An id that is not among the saved ones is left to the tool that is named with it, which knows its own sessions.

    Raises:
        UsageError: There is no such session, or it cannot be continued; one sentence says why.
        StoreError: What was saved cannot be understood.
    """
    if wish.count != 1 or len(named) > 1:
        raise UsageError("A session is continued by one answer; leave out the count, and name one tool at the most.")
    wanted = wish.session.strip()
    saved = _saved(wanted, state)
    if saved is not None:
        return _checked(saved, wish, named, roster)
    if not named:
        shown = one_line(repr(wanted), _SHOWN)
        raise UsageError(f"There is no session {shown} among the last ones.", hint="Name its tool with it.")
    return Continued(found(named[0], roster), wanted)


def _checked(saved: SavedSession, wish: ConsultWish, named: tuple[Named, ...], roster: Roster) -> Continued:
    if named and named[0].tool != saved.tool:
        raise UsageError(f"That session is one of {saved.tool}, not of {one_line(named[0].tool, _SHOWN)}.")
    kind = roster.spec(saved.tool).kind
    if saved.transport is not None and saved.transport is not kind:
        raise UsageError(
            f"{saved.tool} was reached as {saved.transport.value!r} when that session was begun and is reached as "
            f"{kind.value!r} now; the session cannot be continued."
        )
    if saved.session_id is None or not saved.continuable:
        raise UsageError(f"That session of {saved.tool} cannot be continued.")
    model = (named[0].model if named else model_of(wish.model)) or saved.model_asked
    return Continued(Named(saved.tool, model, kind), saved.session_id, saved.effort)


def _saved(wanted: str, state: Path) -> SavedSession | None:
    """What was saved of the session that is wanted; None for an id that is not among the saved ones."""
    paths = {record: state / path for path, record in FORMATS["consult"].last_files}
    folder = StateFolder(state)
    single = folder.read(paths[LastSession], LastSession)
    several = folder.read(paths[LastMultiSession], LastMultiSession)
    if wanted == LAST:
        return _last(single, several)
    if _NUMBER.fullmatch(wanted):
        return _numbered(int(wanted), several)
    sessions = [*([single] if single else []), *(several.sessions if several else ())]
    return next((session for session in sessions if session.session_id == wanted), None)


def _last(single: LastSession | None, several: LastMultiSession | None) -> SavedSession:
    if several and (single is None or single.timestamp < several.timestamp):
        if len(able := [session for session in several.sessions if session.continuable]) == 1:
            return able[0]
        choice = ", ".join(f"{session.number} ({session.tool})" for session in able) or "none of them can be continued"
        raise UsageError(f"The last consultation had several answers: say which to go on with: {choice}.")
    if single is None:
        raise UsageError("There is no session to continue: no consultation has left one in this project.")
    return single


def _numbered(number: int, several: LastMultiSession | None) -> SavedSession:
    sessions = several.sessions if several else ()
    meant = next((session for session in sessions if session.number == number), None)
    if meant is None:
        known = ", ".join(str(session.number) for session in sessions) or "none"
        raise UsageError(f"There is no answer {number} to go on with; of the last several there are: {known}.")
    return meant
