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

from sparring.checks.concessions import given_up, marks
from sparring.checks.quotes import Evidence
from sparring.checks.sources import entries_cited, is_conjecture
from sparring.engine.course import Course, Reading, attempted, defaulted_notice
from sparring.engine.replies import ReadEntry, read_form, readable, unreadable
from sparring.formats.chaired_debate import replies
from sparring.formats.chaired_debate.floor import Challenge, Floor, FloorCall, Slot
from sparring.formats.chaired_debate.rulebook import entry_of, opponent, standing
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Role
from sparring.schema.lookups import QuoteVerdict, SourceStatus
from sparring.schema.transcript import TurnKind
from sparring.text.tidying import one_line
from sparring.text.words import letters_in, words_in

_NO_RULING = "dismissed for want of a ruling"


class Reviewed(Struct, frozen=True):
    """The floor after a review, and whether the chair considers the debate exhausted."""

    floor: Floor
    is_over: bool = False


def clarify(floor: Floor, slot: Slot) -> Course[FloorCall, Floor]:
    """The chair's answer to the clarification request that was entered last."""
    seq = floor.last_seq
    call = FloorCall("", floor, TurnKind.CLARIFICATION, Role.CHAIR, seq=seq)
    result = yield from replies.in_prose(f"{slot.id}.clarification", call)
    if result.value is None:
        return result.floor.noticed(f"[WARN] The chair gave no clarification about seq {seq}: {result.why_not}.")
    return result.floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.CLARIFICATION, result.value, target_seq=seq)


def review(floor: Floor, stem: str, *, may_go_on: bool) -> Course[FloorCall, Reviewed]:
    """The chair's rulings on all open challenges and, if there may be another round, whether it is needed.

    The chair is not asked if there is nothing to rule on.
    """
    challenges = floor.open_challenges
    if not challenges and not may_go_on:
        return Reviewed(floor)
    call = FloorCall("", floor, TurnKind.RULING, Role.CHAIR, may_go_on=may_go_on)

    def read(reply: str) -> Reading[replies.ReviewForm]:
        filled = read_form(reply, replies.ReviewForm if may_go_on else replies.RulingsForm)
        form = filled.value
        problems = _problems(form, challenges, may_go_on=may_go_on)
        return Reading(form, (*problems, *unfounded(floor, form.breaches)), filled.defaulted)

    result = yield from replies.answered(f"{stem}.chair", call, read)
    floor = result.floor
    if result.value is None:
        floor = floor.noticed(f"[WARN] The chair gave no usable review: {result.why_not}.")
    floor = floor.noticed(*defaulted_notice("the chair", result.defaulted))
    form = result.value or replies.ReviewForm.model_validate({})
    for challenge in challenges:
        floor = _ruled(floor, challenge, _ruling(form, challenge))
    floor = ruled(replace(floor, challenges=()), form.breaches)
    floor = floor.noticed(*_unread(form.conduct))
    return _closed(floor, form.because) if may_go_on and form.goes_on is False else Reviewed(floor)


def _unread(conduct: Sequence[ReadEntry[replies.BreachForm]]) -> Iterator[str]:
    """A line on unreadable rulings on conduct: they do not make a review or a decision unusable."""
    if count := len(unreadable(conduct)):
        rulings = "1 ruling" if count == 1 else f"{count} rulings"
        yield f"[WARN] Of what the chair says on conduct, {rulings} could not be read."


def _problems(form: replies.ReviewForm, challenges: Sequence[Challenge], *, may_go_on: bool) -> tuple[str, ...]:
    unruled = [challenge.seq for challenge in challenges if _ruling(form, challenge) is None]
    problems = [f"There is no ruling with challenge_seq {seq}." for seq in unruled]
    if may_go_on and form.goes_on is None:
        problems.append('"continue" is missing: true or false.')
    return tuple(problems)


def _ruling(form: replies.ReviewForm, challenge: Challenge) -> replies.RulingForm | None:
    """The ruling on that challenge; None without one, or if two differ."""
    rulings = [each for each in readable(form.rulings) if each.challenge_seq == challenge.seq]
    return rulings[0] if len({each.ruling for each in rulings}) == 1 else None


def _closed(floor: Floor, reason: str) -> Reviewed:
    content = f"All has been said; the closing statements follow. {reason}"
    return Reviewed(floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.RULING, content), is_over=True)


def _ruled(floor: Floor, challenge: Challenge, ruling: replies.RulingForm | None) -> Floor:
    seq = challenge.target_seq
    whose = f"The challenge by the {challenge.by} in seq {challenge.seq} of the sources of seq {seq}"
    if ruling is None:
        floor = floor.with_entry(
            schema.Speaker.CHAIR, schema.EntryType.RULING, f"{whose} is {_NO_RULING}.", target_seq=seq
        )
        return floor.noticed(f"[WARN] {whose} is {_NO_RULING}.")
    verb = "upheld" if ruling.is_upheld else "dismissed"
    content = f"{whose} is {verb}. It said: {challenge.reason} The chair: {ruling.reason}"
    floor = floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.RULING, content, target_seq=seq)
    return _upheld(floor, seq, ruling.reason) if ruling.is_upheld and floor.stands(seq) else floor


def _upheld(floor: Floor, seq: int, reason: str) -> Floor:
    """Apply an upheld challenge; an entry whose sources code has verified is not removed by a ruling."""
    findings = [each.finding for each in floor.checked if each.seq == seq]
    if all(finding.status is SourceStatus.VERIFIED for finding in findings):
        content = f"A challenge of the sources of seq {seq} was upheld, though code found the quoted words in each."
        return floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, content, target_seq=seq)
    quotes = tuple(each.quote for each in findings if each.status is not SourceStatus.VERIFIED)
    why = f"A challenge of its sources was upheld. {reason}"
    return floor.taken_out(seq, why, quotes=quotes, by=" by a ruling of the chair.")


def questions(floor: Floor, stem: str) -> Course[FloorCall, Floor]:
    """The audience may ask; a missing question harms no debater, so there is one attempt only."""
    call = FloorCall(f"{stem}.audience", floor, TurnKind.QUESTIONS, Role.AUDIENCE)
    attempt = yield from attempted(call, _read_questions)
    floor = floor.after((attempt.turn,))
    if attempt.value is None:
        why = replies.why_not(attempt)
        return floor.noticed(f"[WARN] The audience asked nothing in round {floor.round}: {why}.")
    questions = [question for question in attempt.value.questions if question]
    for question in questions[: schema.QUESTIONS_A_ROUND]:
        floor = floor.with_entry(schema.Speaker.AUDIENCE, schema.EntryType.QUESTION, question)
    if len(questions) > schema.QUESTIONS_A_ROUND:
        floor = floor.noticed(f"[WARN] Of the audience's questions in round {floor.round} the first two were taken.")
    return floor


def _read_questions(reply: str) -> Reading[replies.QuestionsForm]:
    return Reading(read_form(reply, replies.QuestionsForm).value)


_NUMBERS_SHOWN = 60
"""Characters that are shown of the numbers that were dropped."""

_WIN = {
    schema.Speaker.PROMOTER: schema.DebateDecision.AFFIRMATIVE_WINS,
    schema.Speaker.DETRACTOR: schema.DebateDecision.NEGATIVE_WINS,
}


class ChairDecision(Struct, frozen=True):
    """The floor with the decision, or None without one, and its grounds.

    Attributes:
        weak_grounds: The reasons why none of its grounds supports it; see ``ChairedDebateOutcome``.
    """

    floor: Floor
    decision: schema.DebateDecision | None = None
    decided_by: schema.DecidedBy | None = None
    reasoning: str = ""
    decisive: tuple[int, ...] = ()
    weak_grounds: tuple[str, ...] = ()


def conclude(floor: Floor) -> Course[FloorCall, ChairDecision]:
    """The decision, logged as the conclusion."""
    floor = replace(floor, phase=schema.Phase.CONCLUSION)
    by_rule = _by_rule(floor)
    if by_rule:
        return _logged(by_rule)
    call = FloorCall("", floor, TurnKind.CONCLUSION, Role.CHAIR)

    def read(reply: str) -> Reading[replies.ConclusionForm]:
        filled = read_form(reply, replies.ConclusionForm)
        form = filled.value
        after = ruled(floor, form.breaches)
        wrong = tuple(
            f'"decisive" names seq {seq}, which is no entry of a debater that still stands.'
            for seq in form.decisive
            if not after.stands(seq)
        )
        grounds = _weak_grounds(after, form)
        return Reading(form, (*unfounded(floor, form.breaches), *(wrong or _returned(grounds))), filled.defaulted)

    result = yield from replies.answered("conclusion", call, read)
    form = result.value
    if form is None:
        return ChairDecision(result.floor.noticed(f"[WARN] No decision: {result.why_not}."))
    floor = ruled(result.floor, form.breaches)
    floor = floor.noticed(*_unread(form.conduct), *defaulted_notice("the chair", result.defaulted))
    decisive = tuple(seq for seq in dict.fromkeys(form.decisive) if floor.stands(seq))
    dropped = tuple(seq for seq in dict.fromkeys(form.decisive) if not floor.stands(seq))
    reasoning = floor.cut(form.reasoning) if form.reasoning else ""
    grounds = _weak_grounds(floor, form)
    floor = floor.noticed(*_dropped(dropped), *(f"[WARN] {_resting(grounds)}" for _ in grounds[:1]))
    return _logged(ChairDecision(floor, form.outcome, schema.DecidedBy.CHAIR, reasoning, decisive, grounds))


def report(floor: Floor) -> Course[FloorCall, Floor]:
    """Log the reporter's summary; without one the floor is unchanged."""
    result = yield from replies.answered("report", FloorCall("", floor, TurnKind.REPORT, Role.REPORTER), Reading)
    if result.value is None:
        return result.floor.noticed(f"[WARN] There is no report: {result.why_not}.")
    return result.floor.with_entry(schema.Speaker.REPORTER, schema.EntryType.SUMMARY, result.value)


def _by_rule(floor: Floor) -> ChairDecision | None:
    left = {entry.speaker for entry in standing(floor.log)}
    gone = {schema.Speaker(role.value) for role in floor.disqualified}
    winners = left - gone
    if gone and winners:
        loser = next(iter(gone))
        why = f"The {loser} was disqualified, so that the {opponent(loser)} has won."
        return ChairDecision(floor, _WIN[opponent(loser)], schema.DecidedBy.RULE, why)
    if gone or not left:
        why = "Nothing that was said in this debate stands, so that there is nothing to decide."
        return ChairDecision(floor, schema.DebateDecision.VOID, schema.DecidedBy.RULE, why)
    return None


def _logged(decided: ChairDecision) -> ChairDecision:
    content = ": ".join(filter(None, (decided.decision, decided.reasoning)))
    return replace(decided, floor=decided.floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.CONCLUSION, content))


_WINS = frozenset(_WIN.values())


def _weak_grounds(floor: Floor, form: replies.ConclusionForm) -> tuple[str, ...]:
    """Return why none of the decisive entries supports a decision, a clause each; empty if one does.

    A victory needs a supporting entry; a draw, or a decision that the matter is open, does not.
    """
    seqs = [seq for seq in dict.fromkeys(form.decisive) if floor.stands(seq)]
    if not seqs:
        return ("no entry is named that stands",) if form.outcome in _WINS else ()
    weaknesses = tuple(_weakness(floor, seq) for seq in seqs)
    return weaknesses if all(weaknesses) else ()


def _weakness(floor: Floor, seq: int) -> str:
    """Return why an entry supports nothing; empty if it may. An unreachable source counts neither for nor against."""
    entry = floor.entry(seq)
    statuses = {each.finding.status for each in floor.checked if each.seq == seq}
    if SourceStatus.VERIFIED in statuses:
        return ""
    if entry.type is schema.EntryType.CONJECTURE or is_conjecture(entry.content):
        return f"seq {seq} is a conjecture"
    if statuses:
        return "" if SourceStatus.UNREACHABLE in statuses else f"the sources of seq {seq} are unreliable"
    cited = [each for each in entries_cited(entry.content) if each < seq and floor.stands(each)]
    if not cited or not all(_weakness(floor, each) for each in cited):
        return ""
    return f"seq {seq} rests on what carries nothing, seq {', '.join(map(str, cited))}"


def _resting(grounds: tuple[str, ...]) -> str:
    return f"The decision rests on nothing that carries it: {'; '.join(grounds)}."


def _returned(grounds: tuple[str, ...]) -> tuple[str, ...]:
    if not grounds:
        return ()
    ask = 'Name in "decisive" what carries it, or decide otherwise. If you stand by it, it is told as what it is.'
    return (f"{_resting(grounds)} {ask}",)


def _dropped(seqs: tuple[int, ...]) -> tuple[str, ...]:
    if not seqs:
        return ()
    named = one_line(", ".join(map(str, seqs)), _NUMBERS_SHOWN)
    why = "The chair rests its decision on what is no entry of a debater that stands, which was dropped"
    return (f"[WARN] {why}: seq {named}.",)


_FEWEST_LETTERS, _FEWEST_WORDS = 6, 2
"""Shorter quotes occur in any text."""

_SPOKEN = {
    replies.Misconduct.PERSONAL_ATTACK: "a personal attack",
    replies.Misconduct.MISREPRESENTATION: "a misrepresentation of the opponent",
    replies.Misconduct.REPETITION: "a repetition of what was taken out",
    replies.Misconduct.CONCESSION: "a concession of the core proposition, which no debater may make",
}


def unfounded(floor: Floor, breaches: Sequence[replies.BreachForm]) -> tuple[str, ...]:
    """Return the problems of the chair's rulings on conduct, a sentence each."""
    faults = ((number, _fault(floor, each)) for number, each in enumerate(breaches, start=1))
    return tuple(f'"conduct", number {number}: {fault}' for number, fault in faults if fault)


def ruled(floor: Floor, breaches: Sequence[replies.BreachForm]) -> Floor:
    """The floor after the rulings on conduct; rulings that code cannot confirm are dropped and reported."""
    for each in breaches:
        if _fault(floor, each):
            floor = floor.noticed(f"[WARN] A ruling of the chair on conduct in seq {each.seq} could not be followed.")
        else:
            floor = _consequence(floor, each)
    return floor


def _consequence(floor: Floor, breach: replies.BreachForm) -> Floor:
    speaker = floor.entry(breach.seq).speaker
    floor = replace(floor, ruled=floor.ruled | {breach.seq})
    if breach.kind is replies.Misconduct.REPETITION or (_is_warned(floor, speaker, breach.seq) and _counts(breach)):
        why = f"It holds {_SPOKEN[breach.kind]}. {breach.reason}"
        return floor.taken_out(breach.seq, why, quotes=(breach.quote,))
    why = f"Seq {breach.seq} of the {speaker} holds {_SPOKEN[breach.kind]}: “{breach.quote}”. {breach.reason}"
    floor = floor.with_entry(schema.Speaker.CHAIR, schema.EntryType.WARNING, why, target_seq=breach.seq).noticed(
        f"[WARN] {why}"
    )
    return replace(floor, warned=(*floor.warned, (speaker, floor.last_seq))) if _counts(breach) else floor


def _counts(breach: replies.BreachForm) -> bool:
    return breach.kind is not replies.Misconduct.CONCESSION


def _is_warned(floor: Floor, speaker: schema.Speaker, seq: int) -> bool:
    """Return whether the speaker had been warned when it made the entry ``seq``."""
    return any(who is speaker and warning < seq for who, warning in floor.warned)


def _fault(floor: Floor, breach: replies.BreachForm) -> str:
    """Return the problem of one ruling on conduct; empty if there is none."""
    entry = entry_of(breach.seq, standing(floor.log))
    if entry is None:
        return f"seq {breach.seq} is no entry of a debater that still stands."
    if breach.seq in floor.ruled:
        return f"the conduct in seq {breach.seq} has been ruled on."
    if not _holds(entry.content, breach.quote):
        return f'"quote" does not stand in seq {breach.seq}, word for word.'
    find = _FAULTS.get(breach.kind)
    return next(find(floor, entry, breach), "") if find else ""


def _misrepresenting(floor: Floor, entry: schema.LogEntry, breach: replies.BreachForm) -> Iterator[str]:
    about = entry_of(breach.about_seq or 0, standing(floor.log))
    if about is None or about.speaker is not opponent(entry.speaker) or about.seq > entry.seq:
        yield '"about_seq" names no earlier entry of the opponent that still stands.'
    elif not _holds(about.content, breach.original):
        yield f'"original" does not stand in seq {about.seq}, word for word.'


def _repeating(floor: Floor, entry: schema.LogEntry, breach: replies.BreachForm) -> Iterator[str]:
    about = breach.about_seq or 0
    was_out = any(
        each.type is schema.EntryType.REDACTION and each.target_seq == about
        for each in floor.log[: max(entry.seq - 1, 0)]
    )
    if not was_out:
        yield '"about_seq" names no entry that had been redacted before.'
    elif not _holds(floor.taken.get(about, ""), breach.quote):
        yield f'"quote" does not stand in what was redacted of seq {about}.'
    elif any(_holds(text, breach.quote) for text in floor.public(about)):
        yield '"quote" had been said before that was redacted, and may be said again.'


def _conceding(floor: Floor, entry: schema.LogEntry, breach: replies.BreachForm) -> Iterator[str]:
    own = (each for each in standing(floor.log) if each.speaker is entry.speaker)
    conceded = [(each.seq, mark) for each in own for mark in marks(each.content)]
    kept = (conceded[number] for number, taken in given_up([mark for _, mark in conceded]).items() if taken is None)
    if not any(seq == entry.seq and _holds(mark.span.text, breach.quote) for seq, mark in kept):
        yield f'"quote" stands in no line of seq {entry.seq} that begins with "I concede:" and was not withdrawn.'


_FAULTS = {
    replies.Misconduct.MISREPRESENTATION: _misrepresenting,
    replies.Misconduct.REPETITION: _repeating,
    replies.Misconduct.CONCESSION: _conceding,
}


# A review may name 200 breaches, and their quotes are searched for in the same few entries.
_searchable = lru_cache(maxsize=64)(Evidence)


def _holds(text: str, quote: str) -> bool:
    """Return whether ``text`` contains ``quote`` word for word, and the quote is long enough to be specific."""
    if words_in(quote) < _FEWEST_WORDS or letters_in(quote) < _FEWEST_LETTERS:
        return False
    return _searchable((text,)).find(quote).verdict is QuoteVerdict.VERBATIM
