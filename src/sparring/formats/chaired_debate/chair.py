"""Duties of the chair: answers to debaters, rulings on challenges and conduct, the end, the decision.

Rulings are logged and obeyed. A challenge without a ruling in two attempts is dismissed: no debater loses words by
default. The audience asks, the reporter sums up. Two cases are decided by rule: a disqualified debater has lost, and
without any remaining entry there is nothing to decide.

On conduct the chair names the entry that breaks a rule, and quotes it; code looks up the quote and applies the
consequence. A quote that is not in that entry makes the ruling void. The first breach of a debater is a warning, a
later one removes the entry from the debate, as a repetition of removed words does at once. A concession only gets a
warning.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from sparring.checks.concessions import marks, match_withdrawals
from sparring.checks.quotes import Evidence
from sparring.checks.sources import cited_entries, is_conjecture
from sparring.engine.course import Course, ReadReply, attempt_ask, defaulted_notice
from sparring.engine.replies import ReadEntry, read_form, readable, unreadable
from sparring.formats.chaired_debate import replies
from sparring.formats.chaired_debate.rulebook import entry_of, opponent, standing
from sparring.formats.chaired_debate.state import ActionSlot, ChairedDebateState, Challenge, SpeakerCall
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Role
from sparring.schema.lookups import QuoteVerdict, SourceStatus
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line
from sparring.text.words import letters_in, words_in

_NO_RULING = "dismissed for want of a ruling"


class Reviewed(Struct, frozen=True):
    """The state after a review, and whether the chair considers the debate exhausted."""

    state: ChairedDebateState
    is_over: bool = False


def clarify(state: ChairedDebateState, slot: ActionSlot) -> Course[SpeakerCall, ChairedDebateState]:
    """The chair's answer to the clarification request that was entered last."""
    seq = state.last_seq
    call = SpeakerCall("", state, TurnKind.CLARIFICATION, Role.CHAIR, seq=seq)
    result = yield from replies.in_prose(f"{slot.id}.clarification", call)
    if result.value is None:
        return result.state.with_notices(f"[WARN] The chair gave no clarification about seq {seq}: {result.why_not}.")
    return result.state.with_entry(schema.Speaker.CHAIR, schema.EntryType.CLARIFICATION, result.value, target_seq=seq)


def review(state: ChairedDebateState, stem: str, *, may_go_on: bool) -> Course[SpeakerCall, Reviewed]:
    """The chair's rulings on all open challenges and, if there may be another round, whether it is needed.

    The chair is not asked if there is nothing to rule on.
    """
    challenges = state.open_challenges
    if not challenges and not may_go_on:
        return Reviewed(state)
    call = SpeakerCall("", state, TurnKind.RULING, Role.CHAIR, may_go_on=may_go_on)

    def read(reply: str) -> ReadReply[replies.ReviewForm]:
        filled = read_form(reply, replies.ReviewForm if may_go_on else replies.RulingsForm)
        form = filled.value
        problems = _problems(form, challenges, may_go_on=may_go_on)
        return ReadReply(form, (*problems, *unfounded(state, form.breaches)), filled.defaulted)

    result = yield from replies.answered(f"{stem}.chair", call, read)
    state = result.state
    if result.value is None:
        state = state.with_notices(f"[WARN] The chair gave no usable review: {result.why_not}.")
    state = state.with_notices(*defaulted_notice("the chair", result.defaulted))
    form = result.value or replies.ReviewForm.model_validate({})
    for challenge in challenges:
        state = _ruled(state, challenge, _ruling(form, challenge))
    state = ruled(replace(state, challenges=()), form.breaches)
    state = state.with_notices(*_unread(form.conduct))
    return _closed(state, form.because) if may_go_on and form.goes_on is False else Reviewed(state)


def _unread(conduct: Sequence[ReadEntry[replies.BreachForm]]) -> Iterator[str]:
    """A line on unreadable rulings on conduct: they do not make a review or a decision unusable."""
    count = len(unreadable(conduct))
    if count:
        rulings = "1 ruling" if count == 1 else f"{count} rulings"
        yield f"[WARN] {rulings} of the chair on conduct could not be read."


def _problems(form: replies.ReviewForm, challenges: Sequence[Challenge], *, may_go_on: bool) -> tuple[str, ...]:
    unruled = [challenge.seq for challenge in challenges if _ruling(form, challenge) is None]
    problems = [f"There is no ruling with challenge_seq {seq}." for seq in unruled]
    if may_go_on and form.goes_on is None:
        problems.append('"continue" is missing: true or false.')
    return tuple(problems)


def _ruling(form: replies.ReviewForm, challenge: Challenge) -> replies.RulingForm | None:
    """The ruling on that challenge; None without one, or if two differ."""
    rulings = [ruling for ruling in readable(form.rulings) if ruling.challenge_seq == challenge.seq]
    return rulings[0] if len({ruling.ruling for ruling in rulings}) == 1 else None


def _closed(state: ChairedDebateState, reason: str) -> Reviewed:
    content = f"The chair ended the rebuttals; closing statements follow. {reason}"
    return Reviewed(state.with_entry(schema.Speaker.CHAIR, schema.EntryType.RULING, content), is_over=True)


def _ruled(state: ChairedDebateState, challenge: Challenge, ruling: replies.RulingForm | None) -> ChairedDebateState:
    """Log the ruling on a challenge, or that there is none, and apply it."""
    seq = challenge.target_seq
    subject = f"The challenge by the {challenge.by} in seq {challenge.seq} of the sources of seq {seq}"
    if ruling is None:
        content = f"{subject} is {_NO_RULING}."
        state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.RULING, content, target_seq=seq)
        return state.with_notices(f"[WARN] {content}")
    verb = "upheld" if ruling.is_upheld else "dismissed"
    content = f"{subject} is {verb}. Its reason: {challenge.reason} The chair: {ruling.reason}"
    state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.RULING, content, target_seq=seq)
    # A ruling of the same review may have removed the entry already.
    return _upheld(state, seq, ruling.reason) if ruling.is_upheld and state.is_standing(seq) else state


def _upheld(state: ChairedDebateState, seq: int, reason: str) -> ChairedDebateState:
    """Apply an upheld challenge; an entry whose sources code has verified is not removed by a ruling."""
    findings = [each.finding for each in state.checked if each.seq == seq]
    if all(finding.status is SourceStatus.VERIFIED for finding in findings):
        content = f"A challenge of the sources of seq {seq} was upheld, though code found the quoted words in each."
        return state.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, content, target_seq=seq)
    quotes = tuple(finding.quote for finding in findings if finding.status is not SourceStatus.VERIFIED)
    why = f"A challenge of its sources was upheld. {reason}"
    return state.without_entry(seq, why, quotes=quotes, by=" by a ruling of the chair.")


def questions(state: ChairedDebateState, stem: str) -> Course[SpeakerCall, ChairedDebateState]:
    """The audience may ask; a missing question harms no debater, so there is one attempt only."""
    call = SpeakerCall(f"{stem}.audience", state, TurnKind.QUESTIONS, Role.AUDIENCE)
    attempt = yield from attempt_ask(call, _read_questions)
    state = state.after((attempt.turn,))
    if attempt.value is None:
        why = replies.why_not(attempt)
        return state.with_notices(f"[WARN] The audience asked nothing in round {state.round}: {why}.")
    questions = [question for question in attempt.value.questions if question]
    for question in questions[: schema.QUESTIONS_A_ROUND]:
        state = state.with_entry(schema.Speaker.AUDIENCE, schema.EntryType.QUESTION, question)
    if len(questions) > schema.QUESTIONS_A_ROUND:
        state = state.with_notices(
            f"[WARN] Of the audience's questions in round {state.round} the first two were taken."
        )
    return state


def _read_questions(reply: str) -> ReadReply[replies.QuestionsForm]:
    return ReadReply(read_form(reply, replies.QuestionsForm).value)


_NAME_OTHERS = 'Name in "decisive" what carries it, or decide otherwise. If you keep it, the report says so.'

_NUMBERS_SHOWN = 60
"""Characters that are shown of the numbers that were dropped."""

_WIN = {
    schema.Speaker.PROMOTER: schema.DebateDecision.AFFIRMATIVE_WINS,
    schema.Speaker.DETRACTOR: schema.DebateDecision.NEGATIVE_WINS,
}


class ChairDecision(Struct, frozen=True):
    """The state with the decision, or None without one, and its grounds.

    Attributes:
        weak_grounds: The reasons why none of its grounds supports it; see ``ChairedDebateOutcome``.
    """

    state: ChairedDebateState
    decision: schema.DebateDecision | None = None
    decided_by: schema.DecidedBy | None = None
    reasoning: str = ""
    decisive: tuple[int, ...] = ()
    weak_grounds: tuple[str, ...] = ()


def conclude(state: ChairedDebateState) -> Course[SpeakerCall, ChairDecision]:
    """The decision, logged as the conclusion."""
    state = replace(state, phase=schema.Phase.CONCLUSION)
    by_rule = _by_rule(state)
    if by_rule:
        return _logged(by_rule)
    call = SpeakerCall("", state, TurnKind.CONCLUSION, Role.CHAIR)

    def read(reply: str) -> ReadReply[replies.ConclusionForm]:
        filled = read_form(reply, replies.ConclusionForm)
        form = filled.value
        after = ruled(state, form.breaches)  # what the same reply says on conduct may remove an entry
        problems = [*unfounded(state, form.breaches)]
        not_standing = [seq for seq in form.decisive if not after.is_standing(seq)]
        problems += [
            f'"decisive" names seq {seq}, which is not an entry of a debater that still counts.' for seq in not_standing
        ]
        grounds = _weak_grounds(after, form)
        if grounds and not not_standing:
            problems.append(f"{_resting(grounds)} {_NAME_OTHERS}")
        return ReadReply(form, tuple(problems), filled.defaulted)

    result = yield from replies.answered("conclusion", call, read)
    form = result.value
    if form is None:
        return ChairDecision(result.state.with_notices(f"[WARN] No decision: {result.why_not}."))
    state = ruled(result.state, form.breaches)
    state = state.with_notices(*_unread(form.conduct), *defaulted_notice("the chair", result.defaulted))
    decisive = tuple(seq for seq in dict.fromkeys(form.decisive) if state.is_standing(seq))
    dropped = [seq for seq in dict.fromkeys(form.decisive) if seq not in decisive]
    reasoning = state.cut(form.reasoning) if form.reasoning else ""
    grounds = _weak_grounds(state, form)
    if dropped:
        numbers = one_line(", ".join(map(str, dropped)), _NUMBERS_SHOWN)
        why = "The chair's decision names entries that do not count, which were dropped"
        state = state.with_notices(f"[WARN] {why}: seq {numbers}.")
    if grounds:
        state = state.with_notices(f"[WARN] {_resting(grounds)}")
    return _logged(ChairDecision(state, form.outcome, schema.DecidedBy.CHAIR, reasoning, decisive, grounds))


def report(state: ChairedDebateState) -> Course[SpeakerCall, ChairedDebateState]:
    """Log the reporter's summary; without one the state is unchanged."""
    result = yield from replies.answered("report", SpeakerCall("", state, TurnKind.REPORT, Role.REPORTER), ReadReply)
    if result.value is None:
        return result.state.with_notices(f"[WARN] There is no report: {result.why_not}.")
    return result.state.with_entry(schema.Speaker.REPORTER, schema.EntryType.SUMMARY, result.value)


def _by_rule(state: ChairedDebateState) -> ChairDecision | None:
    """Return the decision that needs no chair: a debater is disqualified, or no entry stands; None otherwise."""
    with_entries = {entry.speaker for entry in standing(state.log)}
    disqualified = {schema.Speaker(role.value) for role in state.disqualified}
    if disqualified and with_entries - disqualified:
        loser = next(iter(disqualified))
        why = f"The {loser} was disqualified, so that the {opponent(loser)} has won."
        return ChairDecision(state, _WIN[opponent(loser)], schema.DecidedBy.RULE, why)
    if disqualified or not with_entries:
        why = "No entry of this debate counts, so there is nothing to decide."
        return ChairDecision(state, schema.DebateDecision.VOID, schema.DecidedBy.RULE, why)
    return None


def _logged(decided: ChairDecision) -> ChairDecision:
    content = ": ".join(part for part in (decided.decision, decided.reasoning) if part)
    return replace(decided, state=decided.state.with_entry(schema.Speaker.CHAIR, schema.EntryType.CONCLUSION, content))


_WINS = frozenset(_WIN.values())


def _weak_grounds(state: ChairedDebateState, form: replies.ConclusionForm) -> tuple[str, ...]:
    """Return why none of the decisive entries supports a decision, a clause each; empty if one does.

    A victory needs a supporting entry; a draw, or a decision that the matter is open, does not.
    """
    seqs = [seq for seq in dict.fromkeys(form.decisive) if state.is_standing(seq)]
    if not seqs:
        return ("no entry is named that counts",) if form.outcome in _WINS else ()
    weaknesses = tuple(_weakness(state, seq) for seq in seqs)
    return weaknesses if all(weaknesses) else ()


def _weakness(state: ChairedDebateState, seq: int) -> str:
    """Return why an entry supports nothing; empty if it may. An unreachable source counts neither for nor against."""
    entry = state.entry(seq)
    statuses = {each.finding.status for each in state.checked if each.seq == seq}
    if SourceStatus.VERIFIED in statuses:
        return ""
    if entry.type is schema.EntryType.CONJECTURE or is_conjecture(entry.content):
        return f"seq {seq} is a conjecture"
    if statuses:
        return "" if SourceStatus.UNREACHABLE in statuses else f"the sources of seq {seq} are unreliable"
    # An entry without sources of its own is as weak as the earlier entries that it cites.
    cited = [number for number in cited_entries(entry.content) if number < seq and state.is_standing(number)]
    if not cited or not all(_weakness(state, number) for number in cited):
        return ""
    return f"seq {seq} rests on what carries nothing, seq {', '.join(map(str, cited))}"


def _resting(grounds: tuple[str, ...]) -> str:
    return f"The decision rests on nothing that carries it: {'; '.join(grounds)}."


_FEWEST_LETTERS, _FEWEST_WORDS = 6, 2
"""Shorter quotes occur in any text."""

_BREACHES = {
    replies.Misconduct.PERSONAL_ATTACK: "a personal attack",
    replies.Misconduct.MISREPRESENTATION: "a misrepresentation of the opponent",
    replies.Misconduct.REPETITION: "a repetition of what was taken out",
    replies.Misconduct.CONCESSION: "a concession of the core proposition, which no debater may make",
}


def unfounded(state: ChairedDebateState, breaches: Sequence[replies.BreachForm]) -> tuple[str, ...]:
    """Return the problems of the chair's rulings on conduct, a sentence each."""
    problems: list[str] = []
    for number, breach in enumerate(breaches, start=1):
        fault = _fault(state, breach)
        if fault:
            problems.append(f'"conduct", number {number}: {fault}')
    return tuple(problems)


def ruled(state: ChairedDebateState, breaches: Sequence[replies.BreachForm]) -> ChairedDebateState:
    """The state after the rulings on conduct; rulings that code cannot confirm are dropped and reported."""
    for breach in breaches:
        if _fault(state, breach):
            state = state.with_notices(
                f"[WARN] A ruling of the chair on conduct in seq {breach.seq} could not be followed."
            )
        else:
            state = _consequence(state, breach)
    return state


def _consequence(state: ChairedDebateState, breach: replies.BreachForm) -> ChairedDebateState:
    """Warn for a first breach, and remove the entry for a later one or a repetition of removed words."""
    speaker = state.entry(breach.seq).speaker
    state = replace(state, ruled=state.ruled | {breach.seq})
    # A concession costs nothing but a warning, and that warning makes no later breach worse.
    counts = breach.kind is not replies.Misconduct.CONCESSION
    was_warned = any(warned is speaker and warning < breach.seq for warned, warning in state.warned)
    if breach.kind is replies.Misconduct.REPETITION or (counts and was_warned):
        why = f"It contains {_BREACHES[breach.kind]}. {breach.reason}"
        return state.without_entry(breach.seq, why, quotes=(breach.quote,))
    why = f"Seq {breach.seq} of the {speaker} contains {_BREACHES[breach.kind]}: “{breach.quote}”. {breach.reason}"
    state = state.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=breach.seq)
    state = state.with_notices(f"[WARN] {why}")
    if counts:
        state = replace(state, warned=(*state.warned, (speaker, state.last_seq)))
    return state


def _fault(state: ChairedDebateState, breach: replies.BreachForm) -> str:
    """Return the problem of one ruling on conduct; empty if there is none."""
    entry = entry_of(breach.seq, standing(state.log))
    if entry is None:
        return f"seq {breach.seq} is not an entry of a debater that still counts."
    if breach.seq in state.ruled:
        return f"the conduct in seq {breach.seq} has been ruled on."
    if not _holds(entry.content, breach.quote):
        return f'"quote" is not in seq {breach.seq}, word for word.'
    check = _FAULTS.get(breach.kind)
    return check(state, entry, breach) if check else ""


def _misrepresentation_fault(state: ChairedDebateState, entry: schema.LogEntry, breach: replies.BreachForm) -> str:
    about = entry_of(breach.about_seq or 0, standing(state.log))
    if about is None or about.speaker is not opponent(entry.speaker) or about.seq > entry.seq:
        return '"about_seq" names no earlier entry of the opponent that still counts.'
    if not _holds(about.content, breach.original):
        return f'"original" is not in seq {about.seq}, word for word.'
    return ""


def _repetition_fault(state: ChairedDebateState, entry: schema.LogEntry, breach: replies.BreachForm) -> str:
    about = breach.about_seq or 0
    earlier = state.log[: max(entry.seq - 1, 0)]
    if not any(each.type is schema.EntryType.REDACTION and each.target_seq == about for each in earlier):
        return '"about_seq" names no entry that had been redacted before.'
    if not _holds(state.taken.get(about, ""), breach.quote):
        return f'"quote" is not in the redacted text of seq {about}.'
    if any(_holds(text, breach.quote) for text in state.public(about)):
        return '"quote" had been said before that was redacted, and may be said again.'
    return ""


def _concession_fault(state: ChairedDebateState, entry: schema.LogEntry, breach: replies.BreachForm) -> str:
    own = [each for each in standing(state.log) if each.speaker is entry.speaker]
    conceded = [(each.seq, mark) for each in own for mark in marks(each.content)]
    withdrawals = match_withdrawals([mark for _, mark in conceded])
    remaining = [conceded[index] for index, withdrawal in withdrawals.items() if withdrawal is None]
    if any(seq == entry.seq and _holds(mark.span.text, breach.quote) for seq, mark in remaining):
        return ""
    return f'"quote" is in no line of seq {entry.seq} that begins with "I concede:" and was not withdrawn.'


# Of a personal attack, the quote is all that code can check.
_FAULTS = {
    replies.Misconduct.MISREPRESENTATION: _misrepresentation_fault,
    replies.Misconduct.REPETITION: _repetition_fault,
    replies.Misconduct.CONCESSION: _concession_fault,
}


# A review may name 200 breaches, and their quotes are searched for in the same few entries.
_searchable = lru_cache(maxsize=64)(Evidence)


def _holds(text: str, quote: str) -> bool:
    """Return whether ``text`` contains ``quote`` word for word, and the quote is long enough to be specific."""
    if words_in(quote) < _FEWEST_WORDS or letters_in(quote) < _FEWEST_LETTERS:
        return False
    return _searchable((text,)).find(quote).verdict is QuoteVerdict.VERBATIM
