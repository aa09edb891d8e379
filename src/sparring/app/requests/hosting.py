"""The calling agent in a seat: it is one conversation, and the user should be told what that means.

Every other tool is asked in a session that knows nothing but its prompt. The agent cannot be: what it was told before,
and what it has said in another seat, it knows in every seat.
"""

from sparring.app.roster import Roster
from sparring.schema.base import RepoAccess, Role


def own_seat(tool: str, role: Role, roster: Roster) -> str:
    """``tool``, which sits in ``role`` already, in one more seat; for a sentence that says whose seat it is."""
    if roster.is_host(tool):
        return f"{tool}, which is the {role.spoken} too, in the same conversation"
    return f"{tool}, the {role.spoken}'s own tool, in a fresh session"


def deciding_notice(who: str, tool: str, roster: Roster) -> str:
    """A warning when the calling agent decides, empty when it does not; ``who`` is the seat, e.g. ``The judge``."""
    if not roster.is_host(tool):
        return ""
    return f"[WARN] {who} is {tool}, the calling agent: it has no fresh session, and knows what it has been told."


def stands_in_notice(tool: str, role: Role) -> str:
    """A warning that the calling agent sits in ``role`` since there was no other tool."""
    return f"[WARN] No further AI tool is installed: {tool}, the calling agent, is the {role.spoken}."


def access_notices(tools: tuple[str, ...], access: RepoAccess, roster: Roster) -> tuple[str, ...]:
    """That the calling agent is not given the repository, when everybody is to read it: what it sees is not ours."""
    if access is RepoAccess.NONE:
        return ()
    return tuple(
        f"[WARN] {tool} is not given the project's files: it sees of them what its own user lets it see."
        for tool in tools
        if roster.is_host(tool)
    )
