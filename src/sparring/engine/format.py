"""DECIDE: what a kind of deliberation is, for everything outside its folder.

Its rules are a pure function of the transcript: they do no I/O, keep no state and never see an exception. They may not
know how an ask is put, where turns are kept or who is watching. The same transcript always gives the same answer; that
is why resuming a run is loading its journal and asking again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sparring.engine.capabilities import Capability, Export, Exports
from sparring.engine.course import Asks
from sparring.errors import ExitCode
from sparring.participants.options import Options
from sparring.participants.seats import Circumstances
from sparring.prompts import PromptLibrary
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import Sections, SideBySide
from sparring.schema.base import Participant, Record
from sparring.schema.runs import Outcome, Request, Run
from sparring.schema.transcript import Ask, Transcript

if TYPE_CHECKING:
    from sparring.engine.audited import AuditedSeat
    from sparring.reports.page.pictures import Pictures
    from sparring.schema.pairs import RowQuote, RowResult, SeatLabel


SPEECH = "word " * 600
"""An answer of a usual length: about 750 tokens, and what prompts ask of a summary."""


C = TypeVar("C", bound=Capability)
V = TypeVar("V")


class Rules(Protocol):
    """The rules of one deliberation."""

    def next(self, transcript: Transcript) -> Asks | Outcome:
        """Return the next asks for a transcript, or the outcome."""
        ...


@dataclass(frozen=True)
class Presentation(Generic[V]):
    """Forms in which a run of one kind is shown, all made of one view of it.

    Attributes:
        view: Makes the view of a finished run, from which the other functions take all that they show. Raises
            ``DeliberationError`` for another kind of run, or an unfinished one.
        conclusion: What came of it, which stands first wherever it is shown.
        report: All of it, below the conclusion.
        details: What carries the decision, below the conclusion.
        result: All of it, for programs.
        remaining: What is still to be said if nothing (more) fails. What a failure leads to is a rule of the format.
        live: What a turn tells whoever watches, given everything up to it; empty: nothing. By default, what was said.
        piped: What a pipe gets instead of the conclusion.
        last: What the file of the last result is to hold; None: an earlier run's is worth more. By default that is
            the result of any run that did not fail.
        columns: The details where their parts can stand side by side.
        case: What is shown before anybody speaks: what it is about, and what code finds in it.
        pictures: What the page of a finished run shows besides.
        files: What a finished run leaves beside its report: the name of each file, and what it holds.
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


@dataclass(frozen=True)
class Arms:
    """Variations of a request by which an evaluation finds out what the deliberation adds to its first round.

    Attributes:
        seats: The seats of a request that answer blind.
        blind: A request in which only the given seats answer, once for each time they are named, and hear nobody.
        revise: A request in which the seats go as many rounds as in the given run of the format, and hear nobody.
        placebo: The same, and they hear what was said blind in another run, on another row.
        by_code: A request about which nobody is asked.
        open_label: The label of a row that code leaves open.
        votes: Blind and last label of each seat of a finished run, with or without a verdict.
        label: The verdict of a finished run; None where there is none.
        confidence: What a finished run states as confidence; None where nothing does.
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


@dataclass(frozen=True)
class Rows:
    """Mapping between the rows of a table and the runs that judge them.

    Attributes:
        fields: The texts that a row gives, all of which are needed, and the columns that each is looked for in unless
            one is named; first what the row is about.
        texts: The options that they are, instead of those that somebody types.
        record: What is told of a row.
        outcome_fields: The fields of ``record`` that a finished run gives; empty where it has no verdict.
        seats: What the seats of a row's run are asked, as a clause; see ``RowResult.seats``.
        labels: What a verdict can be, and a gold label.
        quotes: What was quoted in a run, with the place that code found for it.
        is_direct: Whether the command of the format itself takes a table; only a batch does otherwise.
        row_names: The options that say what a row is called.
        arms: How an evaluation varies it; None where it cannot.
    """

    fields: Mapping[str, tuple[str, ...]]
    texts: Callable[[Mapping[str, str]], Mapping[str, object]]
    record: "type[RowResult]"
    outcome_fields: Callable[[Run], Mapping[str, object]]
    seats: str = ""
    labels: tuple[str, ...] = ()
    quotes: "Callable[[Run], Iterator[RowQuote]]" = _no_quotes
    is_direct: bool = False
    row_names: tuple[str, ...] = ()
    arms: Arms | None = None


@dataclass(frozen=True, eq=False)
class Format:
    """One kind of deliberation; each is one of a kind, and equals itself alone.

    What takes long to import, or is needed only while a run is held, is imported by the functions here when they are
    called: rules that compare claims read a vocabulary, which takes 0.1 s (November 2026), and nobody who debates
    should wait for it.

    Attributes:
        name: As requests and folders spell it.
        title: What its tool is called in a list of tools.
        description: What a model reads about it before it calls the tool.
        options: All that can be said when a run is asked for.
        request: The record of what is asked for.
        complete: Makes a request of options; raises ``UsageError`` where they contradict themselves or name what does
            not exist.
        outcome: The record of how it ended.
        rules: The rules for a request.
        presentation: How its runs are shown; imported when the first one is.
        exit_codes: What each status that a run can end with tells the shell.
        subject: The option that says what a run is about; empty where a run cannot be resumed over MCP.
        last_files: Where the last result is kept below the state folder, and the record that it is.
        usual: Answer to the ask at that place of its step if all goes well, for the estimate; None: any speech will do.
        expected_if: On what condition the estimate holds, e.g. ``no agent agrees``.
        asks_at_once: Whether everybody is asked at the same time, so that no limit could stop any of it.
        examples: How it is typed, for the help of its command.
        rows: How it judges a table; None where it does not.
        rules_version: Which edition of its rules this is: what an earlier one was answered is not taken for what this
            one asks. It goes up whenever the same transcript leads to something else.
        capabilities: What it can do and most formats cannot; see ``engine.capabilities``.
        not_evaluated: Why no arms can be compared on labelled rows, and what to do instead, in a sentence; empty where
            they can be, or where there is no more to say.
        audited: Makes the description of each of its seats that can be audited, by the name of the seat.
    """

    name: str
    title: str
    description: str
    options: type[Options[Any]]
    request: type[Request]
    complete: Callable[[Any, Circumstances], Request]
    outcome: type[Outcome]
    rules: Callable[[Any, PromptLibrary], Rules]
    presentation: Callable[[], Presentation[Any]]
    exit_codes: Mapping[StrEnum, ExitCode]
    subject: str = ""
    last_files: tuple[tuple[str, type[Record]], ...] = ()
    usual: Callable[[Ask, int], str] | None = None
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
