"""Rules as a coroutine: it yields what to ask, receives the resulting turns, and returns the outcome.

So the rules of a deliberation read from top to bottom, in the order of the run. A course is run against a transcript up
to the first ask without an answer (``run_course``). It has no memory of its own: to resume a run is to load its journal
and to run the course again. Where a transcript only grows, the course continues (``CourseCursor``).
An ask becomes a prompt only when it is sent.

Three things that every format needs are defined once here: concurrent asks (``run_together``), a second request with
the problems of the first answer (``ask_until_usable``), and a failed consultation: an attempt without a value.

"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from sparring.schema.base import CITATION_CHECKER, Record
from sparring.schema.consultation import Answer, Brief, FailureCode, Question
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind
from sparring.text.tidying import capitalized

Asks: TypeAlias = tuple[Ask, ...]
"""Asks that may be sent at the same time; never empty."""


class Due(Protocol):
    """A pending ask: its id identifies the turn that answers it."""

    @property
    def id(self) -> str:
        """Id of the ask."""
        ...


class DeferredAsk(Struct, frozen=True):
    """Ask that is worded only when it is sent."""

    id: str
    ask: Callable[[], Ask]


_LOOKUP_TIMEOUT_S = 30.0
"""For reading the cited files; none of them is read twice."""


def citations_wanted(id_: str, label: str, brief: Brief) -> DeferredAsk:
    """Build the ask for a citation check of ``brief``."""

    def ask() -> Ask:
        return Ask(
            id=id_,
            kind=TurnKind.CITATIONS,
            role=brief.role,
            round=brief.round,
            tool=CITATION_CHECKER,
            label=label,
            question=Question(prompt=brief.step, brief=brief, timeout_s=_LOOKUP_TIMEOUT_S),
        )

    return DeferredAsk(id_, ask)


_Due = TypeVar("_Due", bound=Due)
_End = TypeVar("_End")
_Outcome = TypeVar("_Outcome", bound=Record)
_Value_co = TypeVar("_Value_co", covariant=True)
_Read = TypeVar("_Read")

Course: TypeAlias = Generator[tuple[_Due, ...], tuple[Turn, ...], _End]
"""Yields asks that may be sent at the same time, receives a turn for each in that order, returns the outcome."""


class _CourseRun(Generic[_Due, _Outcome]):
    """A course run so far: the turns it has received, and its pending asks or its outcome."""

    def __init__(self, course: Course[_Due, _Outcome]) -> None:
        self._course = course
        self._received: list[Turn] = []
        self._due: tuple[_Due, ...] = ()
        self._end: _Outcome | None = None
        self._advance(None)

    def has_received_only(self, turns: Mapping[str, Turn]) -> bool:
        """Return whether all turns that it has received are among ``turns``, so that it can continue."""
        return all(turns.get(turn.ask_id) is turn for turn in self._received)

    def after(self, turns: Mapping[str, Turn]) -> tuple[_Due, ...] | _Outcome:
        """Return the asks that are due after ``turns``, or the outcome."""
        while self._end is None:
            pending = tuple(due for due in self._due if due.id not in turns)
            if pending:
                return pending
            answers = tuple(turns[due.id] for due in self._due)
            self._received += answers
            self._advance(answers)
        return self._end

    def _advance(self, answers: tuple[Turn, ...] | None) -> None:
        try:
            self._due = next(self._course) if answers is None else self._course.send(answers)
        except StopIteration as end:
            self._end = end.value


def run_course(course: Course[_Due, _Outcome], transcript: Transcript) -> tuple[_Due, ...] | _Outcome:
    """Run ``course`` with the turns of ``transcript``; return the asks that are due then, or its outcome."""
    return _CourseRun(course).after(_by_ask(transcript))


def _by_ask(transcript: Transcript) -> dict[str, Turn]:
    return {turn.ask_id: turn for turn in transcript.turns}


class CourseCursor(Generic[_Due, _Outcome]):
    """Cursor into a course, so that it need not be run from its start again when turns were added.

    It only saves time: each transcript is answered as ``run_course`` answers it. A course is continued only if all the
    turns that it has received are in the transcript; for any other transcript it begins anew.
    Safe to use from several threads: a thread takes the course out while it continues it, and one that finds none
    begins another.
    """

    def __init__(self) -> None:
        self._left: list[_CourseRun[_Due, _Outcome]] = []

    def __reduce__(self) -> "tuple[type[CourseCursor[_Due, _Outcome]], tuple[()]]":
        return (type(self), ())

    def next(
        self, begin: Callable[[], Course[_Due, _Outcome]], transcript: Transcript, ask: Callable[[_Due], Ask]
    ) -> Asks | _Outcome:
        """Return the asks that are due after ``transcript``, or the outcome, as ``next`` of a format does.

        Args:
            begin: Starts the course.
            transcript: The turns so far.
            ask: Words a pending ask as a prompt.
        """
        turns = _by_ask(transcript)
        course = self._taken()
        if course is None or not course.has_received_only(turns):
            course = _CourseRun(begin())
        reached = course.after(turns)
        answer = reached if isinstance(reached, Record) else tuple(map(ask, reached))
        self._left[:] = [course]  # not before: asks are worded from the present state of the course
        return answer

    def _taken(self) -> _CourseRun[_Due, _Outcome] | None:
        try:
            return self._left.pop()
        except IndexError:
            return None


def next_step(
    bookmark: CourseCursor[DeferredAsk, _Outcome],
    begin: Callable[[], Course[DeferredAsk, _Outcome]],
    transcript: Transcript,
) -> Asks | _Outcome:
    """``CourseCursor.next`` of a course with the usual asks of formats."""
    return bookmark.next(begin, transcript, lambda wanted: wanted.ask())


def ask_one(wanted: _Due) -> Course[_Due, Turn]:
    """Ask one thing."""
    (turn,) = yield (wanted,)
    return turn


def run_together(*courses: Course[_Due, _End]) -> Course[_Due, tuple[_End, ...]]:
    """Run several courses side by side; asks that are due at the same time are sent at the same time."""
    due: dict[int, tuple[_Due, ...]] = {}
    ends: dict[int, _End] = {}

    def advance(place: int, turns: tuple[Turn, ...] | None) -> None:
        try:
            due[place] = next(courses[place]) if turns is None else courses[place].send(turns)
        except StopIteration as end:
            due.pop(place, None)
            ends[place] = end.value

    for place in range(len(courses)):
        advance(place, None)
    while due:
        under_way = sorted(due.items())  # in the order of the courses, so that a transcript does not depend on timing
        turns = yield tuple(wanted for _, asks in under_way for wanted in asks)
        remaining = iter(turns)
        for place, asks in under_way:
            advance(place, tuple(next(remaining) for _ in asks))
    return tuple(ends[place] for place in range(len(courses)))


class UnusableReplyError(ValueError):
    """A reply does not have the requested form; the message is the reason, for the model and for people."""


class ReadReply(Struct, Generic[_Value_co], frozen=True):
    """The content of an answer, and the faults in it, in words for the model that gave it.

    Attributes:
        defaulted: Fields that decide nothing and that could not be read; see ``FilledForm``.
    """

    value: _Value_co
    problems: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()


class Attempt(Struct, Generic[_Value_co], frozen=True):
    """One attempt to get an answer.

    Attributes:
        value: Parsed reply; None when the consultation failed or no part of the answer is usable.
        problems: Problems for which the answer is requested once more; empty when there are none, and without an
            answer.
        defaulted: See ``ReadReply``.
    """

    turn: Turn
    value: _Value_co | None = None
    problems: tuple[str, ...] = ()
    defaulted: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Problems of the reply, one a line."""
        return "\n".join(self.problems)

    @property
    def has_reply(self) -> bool:
        """Return whether anything came back, be it no answer."""
        return self.turn.failure is None or self.turn.failure.code in _NO_ANSWER

    @property
    def is_cut_off(self) -> bool:
        """True if there is an answer, and its provider marks it as incomplete."""
        return self.turn.answer is not None and not self.turn.answer.is_complete

    @property
    def cause(self) -> str:
        """Reason why the reply is unusable, as ``code: detail``."""
        return failure_cause(self.turn) or f"parse: {self.problem.rstrip('.')}"


def failure_cause(turn: Turn) -> str:
    """Return why there is no whole answer, as ``code: detail``; empty where there is one."""
    if turn.failure:
        return turn.failure.cause
    if turn.answer and not turn.answer.is_complete:
        return f"cut_off: {CUT_OFF.rstrip('.')}"
    return ""


def defaulted_notice(who: str, fields: Iterable[str]) -> Iterator[str]:
    """Yield a line for the report on the unreadable parts of ``who``'s answers, if any."""
    names = ", ".join(dict.fromkeys(fields))
    if names:
        yield f"[WARN] {capitalized(who)} left out, or gave in no readable form: {names}."


CUT_OFF = "The reply was cut off before its end."
"""The problem of an answer that its provider marks as incomplete."""

_NO_ANSWER = {
    FailureCode.EMPTY: "The reply contains no answer. Give the answer itself, after a short thought or none.",
    FailureCode.CUT_OFF: f"{CUT_OFF} Give a shorter one, after a short thought or none.",
}
"""The problems of replies that came and hold no answer."""


def read_answer(answer: Answer, read: Callable[[str], _Read]) -> _Read:
    """Parse an answer with ``read``. An answer that its provider marks as incomplete is not read.

    Raises:
        UnusableReplyError: Its end is missing, which might reverse it, or ``read`` can use nothing of it.
    """
    if not answer.is_complete:
        raise UnusableReplyError(f"{CUT_OFF} Give a shorter one.")
    return read(answer.response)


def attempt_ask(wanted: _Due, read: Callable[[str], ReadReply[_Value_co]]) -> Course[_Due, Attempt[_Value_co]]:
    """Ask one thing and read the answer, see ``read_answer``.

    A reply without an answer, such as a thought alone, has a problem like one that cannot be used.
    """
    turn = yield from ask_one(wanted)
    if turn.answer is None:
        if turn.failure and turn.failure.code in _NO_ANSWER:
            return Attempt(turn, problems=(_NO_ANSWER[turn.failure.code],))
        return Attempt(turn)
    try:
        reading = read_answer(turn.answer, read)
    except UnusableReplyError as error:
        return Attempt(turn, problems=tuple(str(error).splitlines()))
    return Attempt(turn, reading.value, reading.problems, reading.defaulted)


def ask_until_usable(
    want: Callable[[Attempt[_Value_co] | None], _Due], read: Callable[[str], ReadReply[_Value_co]]
) -> Course[_Due, tuple[Attempt[_Value_co], ...]]:
    """Ask, and once more if the answer has problems; return the one attempt, or both.

    ``want`` receives the first attempt for the second ask. A failed consultation is not repeated, unless its reply had
    no answer: the consultant has already retried what can be retried.
    """
    first = yield from attempt_ask(want(None), read)
    if not first.problems:
        return (first,)
    second = yield from attempt_ask(want(first), read)
    return (first, second)
