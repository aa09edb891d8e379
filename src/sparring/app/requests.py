"""From options to a complete, checked request: once, or for one row of a table after the other."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar, cast

from sparring.app.configuration import Configuration
from sparring.app.here import Here
from sparring.app.roster import Roster
from sparring.errors import SparringError, UsageError
from sparring.formats.registry import FORMATS
from sparring.schema.base import Participant
from sparring.schema.providers import OfflineProvider
from sparring.schema.runs import Needed, Request
from sparring.seating.defaults import completed
from sparring.seating.options import Options

R = TypeVar("R", bound=Request)

NOTHING_ELSE: Mapping[str, object] = {}


class Requests(Generic[R]):
    """Makes requests of options that differ in a few fields, such as the texts of a row.

    What does not depend on those is found out once: the user's defaults, and whether a tool can do what is needed of
    it. Who sits where is found out anew, since options may leave that open; ``here`` says who can be asked.
    """

    def __init__(self, options: Options[R], here: Here, configuration: Configuration) -> None:
        """Take up the user's defaults; raises ``ConfigurationError`` where they cannot be used."""
        self._here = here
        self._configuration = configuration
        self._options, self._taken = completed(options, configuration.defaults_for(type(options)))
        self._complete = FORMATS[options.format].complete
        self._checked: set[Needed] = set()

    def request(self, fields: Mapping[str, object] = NOTHING_ELSE) -> R:
        """The request, with ``fields`` in place of those that the options have.

        Raises:
            UsageError: They contradict themselves or name what does not exist; one sentence says what to do.
            ToolNotFoundError: A tool that is needed is not installed.
            ConfigurationError: The user's defaults cannot be used.
        """
        options, roster = self._options.model_copy(update=fields) if fields else self._options, self._here.tools
        try:
            request = cast("R", self._complete(options, self._here))
            request = substituted(request, options.substitute.strip(), roster)
            for each in needed(request):
                if each not in self._checked:
                    roster.check(each)
                    self._checked.add(each)
        except SparringError as error:
            error.hint = f"{error.hint} {self._told_of_defaults()}".strip()
            raise
        notices = (*request.notices, *roster.effort_notices(request.needed()))
        return request.model_copy(update={"notices": tuple(dict.fromkeys(notices))})

    def _told_of_defaults(self) -> str:
        """That defaults of the user's take part in what went wrong; nobody has typed them."""
        if not self._taken:
            return ""
        return f"Defaults of yours count here: {', '.join(self._taken)} ({self._configuration.file})."


def substituted(request: R, tool: str, roster: Roster) -> R:
    """``request`` with ``tool`` as the one that answers where another failed for good, if it names one."""
    if not tool:
        return request
    if isinstance(roster.spec(tool), OfflineProvider):
        raise UsageError(f"{tool} has no model, and can take nobody's place.", hint="Name another substitute.")
    notice = f"{tool} answers where another tool fails for good."
    return request.model_copy(update={"substitute": tool, "notices": (*request.notices, notice)})


def check_tools(request: Request, roster: Roster) -> None:
    """Refuse what cannot work before anything is started; raises as ``Roster.check``."""
    for each in needed(request):
        roster.check(each)


def needed(request: Request) -> tuple[Needed, ...]:
    """Who must be there, the substitute among them, each once."""
    return tuple(dict.fromkeys((*request.needed(), *_needed_beside(request))))


def _needed_beside(request: Request) -> Iterator[Needed]:
    """The substitute, which has to be able to do what is asked of the seats; it opens files only where that is safe."""
    if request.substitute:
        seat = Participant(tool=request.substitute)
        for each in request.needed():
            yield Needed(participant=seat, effort=each.effort, web=each.web)
