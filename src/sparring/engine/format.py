"""DECIDE: the definition of a kind of deliberation, for everything outside its folder.

Its rules are a pure function of the transcript: they do no I/O, keep no state and never see an exception. They may not
know transport, storage or viewers. The same transcript always gives the same answer; that
is why resuming a run is loading its journal and asking again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from msgspec import Struct, field

from sparring.engine.capabilities import Capability, Export, Exports
from sparring.engine.course import Asks
from sparring.errors import ExitCode
from sparring.participants.options import Options
from sparring.participants.seats import ProjectContext
from sparring.prompts import PromptLibrary
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import Sections, SideBySide
from sparring.schema.base import Participant, Record, Role
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Transcript

if TYPE_CHECKING:
    from sparring.engine.audited import AuditedSeat
    from sparring.reports.page.pictures import Pictures
    from sparring.schema.pairs import RowQuote, RowVerdict, SeatLabel


C = TypeVar("C", bound=Capability)
V = TypeVar("V")


class Rules(Protocol):
    """The rules of one deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """Return the next asks for a transcript, or the outcome."""
        ...


class PlannedCalls(Struct, frozen=True):
    """Calls of one seat for one step of a run, as a summand of its estimate.

    Attributes:
        step: Name of the step. Calls for the same step in two plans about the same subject are the same questions.
        fewest: Calls in the shortest run that ends regularly, with answers that are usable at once.
        usual: Calls in a run of usual length, see ``Format.expected_if``.
        most: Calls that no run exceeds, whatever is answered.
        added: Characters by which the prompts are longer than the first one of the run.
        whole: Characters of each prompt where it does not contain the first one; 0: see ``added``.
    """

    step: str
    role: Role
    seat: Participant
    fewest: int = 1
    usual: int = 1
    most: int = 2
    added: int = 0
    whole: int = 0


class Presentation(Struct, Generic[V], frozen=True):
    """Forms in which a run of one kind is shown, all made of one view of it.

    Attributes:
        view: Makes the view of a finished run, from which the other functions take all that they show. Raises
            ``DeliberationError`` for another kind of run, or an unfinished one.
        conclusion: The conclusion, which comes first in every view.
        report: The whole report, below the conclusion.
        details: The grounds of the decision, below the conclusion.
        result: The complete result, for programs.
        remaining: Remaining steps if nothing (more) fails. The consequence of a failure is a rule of the format.
        live: View of a turn during the run, given everything up to it; empty: none. By default, the speech.
        piped: Output for a pipe in place of the conclusion.
        last: Content of the file of the last result; None: keep that of an earlier run. By default
            the result of any run that did not fail.
        columns: The details where their parts can stand side by side.
        case: View before the first turn: the subject, and the results of code for it.
        pictures: Further content of the page of a finished run.
        files: Files of a finished run other than its report, by name.
    """

    view: Callable[[Run], V]
    conclusion: Callable[[V], Conclusion]
    report: Callable[[V], Sections]
    details: Callable[[V], Sections]
    result: Callable[[V], Record]
    remaining: Callable[[Run], tuple[str, ...]]
    live: Callable[[Request, Transcript], str] | None = None
    piped: Callable[[V], str] | None = None
    last: Callable[[V], Record | None] | None = None
    columns: Callable[[V], SideBySide] | None = None
    case: Callable[[Request], Sections] | None = None
    pictures: "Callable[[V], Pictures] | None" = None
    files: Mapping[str, Callable[[V], str | Record]] = field(default_factory=dict[str, Callable[[V], str | Record]])


def _no_quotes(run: Run) -> "Iterator[RowQuote]":  # noqa: ARG001 -- for formats in whose runs code locates none
    return iter(())


class Arms(Struct, frozen=True):
    """Variations of a request by which an evaluation measures the gain of the deliberation over its first round.

    Attributes:
        seats: The seats of a request that answer blind.
        blind: A request in which only the given seats answer, once for each mention, without seeing others.
        revise: A request in which the seats have as many rounds as in the given run of the format, alone.
        placebo: The same, with the blind answers of another run, on another row.
        by_code: A request that code alone answers.
        open_label: The label of a row that code leaves open.
        votes: Blind and last label of each seat of a finished run, with or without a verdict.
        label: The verdict of a finished run; None where there is none.
        confidence: The confidence that a finished run states; None where it states none.
    """

    seats: Callable[[Any], tuple[Participant, ...]]
    blind: Callable[[Any, Sequence[int]], Request]
    by_code: Callable[[Any], Request]
    votes: "Callable[[Run], tuple[SeatLabel, ...]]"
    label: Callable[[Run], str | None]
    revise: Callable[[Any, Run], Request] | None = None
    placebo: Callable[[Any, Run, Run], Request] | None = None
    open_label: str = ""
    confidence: Callable[[Run], float | None] = lambda _: None


class Rows(Struct, frozen=True):
    """Mapping between the rows of a table and the runs that judge them.

    Attributes:
        fields: The texts that a row gives, all of which are needed, with the default columns of each; the first is the
            subject of the row.
        texts: The options that they replace.
        verdict: Returns the verdict of a finished run; None where it has none.
        seats: Describes the participants of a row's run, as a clause; see ``RowResult.seats``.
        labels: The possible verdicts and gold labels.
        quotes: Returns the quotes of a run, with the place that code found for each.
        row_names: The options with the name of a row.
        arms: Variations for an evaluation; None where there are none.
    """

    fields: Mapping[str, tuple[str, ...]]
    texts: Callable[[Mapping[str, str]], Mapping[str, object]]
    verdict: "Callable[[Run], RowVerdict | None]"
    seats: str = ""
    labels: tuple[str, ...] = ()
    quotes: "Callable[[Run], Iterator[RowQuote]]" = _no_quotes
    row_names: tuple[str, ...] = ()
    arms: Arms | None = None


class Format(Struct, frozen=True, eq=False):
    """One kind of deliberation, compared by identity.

    Modules that take long to import, or are needed only during a run, are imported by its functions when they are
    called: rules that compare claims read a vocabulary, which takes 0.1 s (November 2026), and a debate
    should not wait for it.

    Attributes:
        name: Its spelling in requests and folders.
        title: The title of its tool in a list of tools.
        description: Description of the tool for models.
        options: All options of a run.
        request: The type of its requests.
        complete: Makes a request of options; raises ``UsageError`` where they contradict each other or name something
            that does not exist.
        outcome: The type of its outcomes.
        rules: The rules for a request.
        plan: The calls that a request leads to, for the estimate; empty where no tool is asked.
        presentation: Views of its runs; imported for the first one.
        exit_codes: The exit code for each status of an outcome.
        subject: The option with the subject of a run; empty where a run cannot be resumed over MCP.
        last_files: The files of the last result below the state folder, with their types.
        expected_if: The condition of the usual number of calls, e.g. ``no agent agrees``.
        asks_at_once: Whether all participants are asked at the same time, so that no limit could stop a part.
        examples: Sample calls, for the help of its command.
        rows: Mapping from rows to runs; None where it judges no tables.
        rules_version: Version of its rules: answers under an earlier version are not taken over. It is
            increased whenever the same transcript leads to another result.
        capabilities: Abilities that most formats lack; see ``engine.capabilities``.
        not_evaluated: Why no arms can be compared on labelled rows, and the alternative, in a sentence; empty where
            they can be, or without an alternative.
        audited: Makes the description of each of its seats that can be audited, by the name of the seat.
    """

    name: str
    title: str
    description: str
    options: type[Options[Any]]
    request: type[Request]
    complete: Callable[[Any, ProjectContext], Request]
    outcome: type[Outcome]
    rules: Callable[[Any, PromptLibrary], Rules]
    plan: Callable[[Any], Iterable[PlannedCalls]]
    presentation: Callable[[], Presentation[Any]]
    exit_codes: Mapping[StrEnum, ExitCode]
    subject: str = ""
    last_files: tuple[tuple[str, type[Record]], ...] = ()
    expected_if: str = ""
    asks_at_once: bool = False
    examples: tuple[str, ...] = ()
    rows: Rows | None = None
    rules_version: int = 1
    capabilities: tuple[Capability, ...] = ()
    not_evaluated: str = ""
    audited: "Mapping[str, Callable[[], AuditedSeat]]" = field(default_factory=dict[str, "Callable[[], AuditedSeat]"])

    def capability(self, kind: type[C]) -> C | None:
        """Return the capability of that kind; None where the format does not have it."""
        return next((each for each in self.capabilities if isinstance(each, kind)), None)


def exports_of(format_: Format) -> Mapping[str, Export]:
    """Return the forms in which runs of a format are handed to other programs, by their names."""
    exports = format_.capability(Exports)
    return exports.forms if exports else {}
