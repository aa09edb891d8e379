"""The judge's synthesis: the counts, the winner that follows from them, and what is left to do."""

from collections.abc import Sequence

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.aspects import ASPECTS
from sparring.consult.offline.debating.challenging import broken_citations
from sparring.consult.offline.debating.defending import main_points, named_points
from sparring.consult.offline.debating.scoring import Decision, Raised, Tally, decide, tally, unanswered
from sparring.consult.offline.reading import HeardSpeech, Point
from sparring.consult.offline.writing import json_block
from sparring.schema.base import Role
from sparring.schema.debate import Agreement, Disagreement, Quality, Rating, Verdict
from sparring.text.tidying import one_line

_MOST_LISTED = 6


def synthesis(case: Case) -> str:
    """One JSON object in a fence; the fields are those of ``Verdict``."""
    return json_block(_verdict(case).model_dump(mode="json"))


def _verdict(case: Case) -> Verdict:
    proposer, challenger = tally(case, Role.PROPOSER), tally(case, Role.CHALLENGER)
    decision = decide(proposer, challenger)
    open_points = open_challenges(case)
    return Verdict(
        winner=decision.winner,
        reasoning=_reasoning(case, decision, proposer, challenger),
        quality=_quality(case, proposer, challenger),
        agreements=tuple(_agreements(case))[:_MOST_LISTED],
        disagreements=tuple(_disagreement(case, point) for point in open_points[:_MOST_LISTED]),
        unresolved_questions=_unresolved(case, challenger, open_points),
        recommendation=_recommendation(case, decision, open_points),
    )


def _reasoning(case: Case, decision: Decision, proposer: Tally, challenger: Tally) -> str:
    counts = {
        "proposer_verified": str(proposer.verified),
        "proposer_not_found": str(proposer.not_found),
        "proposer_unanswered": str(len(unanswered(challenger))),
        "challenger_verified": str(challenger.verified),
        "challenger_not_found": str(challenger.not_found),
        "challenger_unanswered": str(len(unanswered(proposer))),
    }
    parts = [
        case.say("verdict-counts", tool=case.tool, **counts),
        case.say(f"verdict-{decision.step}", winner=decision.winner),
    ]
    if strongest := _strongest(case.by(decision.winner)):
        parts.append(case.say("verdict-argument", argument=_plain(strongest)))
    if proposer.concessions:
        parts.append(case.say("verdict-conceded", concession=_without_marks(proposer.concessions[0], 240)))
    if broken := broken_citations(point for speech in case.heard for point in speech.points):
        parts.append(case.say("verdict-broken", citation=broken[0].citation.text, reason=broken[0].reason))
    return " ".join(parts)


def _strongest(speeches: Sequence[HeardSpeech]) -> Point | None:
    """The point that quotes the most from the repository; the earliest of equals."""
    points = [point for speech in speeches for point in speech.points if point.verified]
    return max(points, key=lambda point: (len(point.verified), bool(point.verified[0].citation.quoted)), default=None)


def _quality(case: Case, proposer: Tally, challenger: Tally) -> Quality:
    challenges = [point for speech in case.by(Role.CHALLENGER) for point in main_points(speech.points)]
    settled = sum(point.concedes or point.certifies for point in challenges)
    carried = sum(bool(point.verified) for point in challenges)
    speeches, broken = max(len(case.heard), 1), proposer.not_found + challenger.not_found
    verified = proposer.verified + challenger.verified
    return Quality(
        genuine_disagreement=_rating(1 - settled / len(challenges) if challenges else 0.0),
        evidence_quality=_rating(verified / (verified + broken) if verified >= 2 * speeches else 0.4 * bool(verified)),
        challenge_depth=_rating(carried / len(challenges) if challenges else 0.0),
    )


def _rating(share: float) -> Rating:
    return Rating.HIGH if share >= 0.6 else Rating.MEDIUM if share >= 0.3 else Rating.LOW


def _agreements(case: Case) -> list[Agreement]:
    found: list[Agreement] = []
    for speech in case.heard:
        for sentence in speech.concessions:
            where = case.say("said-by", role=speech.role, round=str(speech.round))
            found.append(Agreement(point=_without_marks(sentence, 300), evidence=where))
    named = named_points(case, Role.CHALLENGER)
    for speech in case.by(Role.CHALLENGER):
        for point in speech.points:
            if point.certifies:
                concern = named.get(point.label, point)
                settled = case.say("settled", concern=concern.gist)
                found.append(Agreement(point=settled, evidence=point.verified[0].citation.text))
    return found


def open_challenges(case: Case) -> list[Point]:
    """Challenges that were neither conceded nor certified as resolved, oldest first."""
    settled = {
        point.label
        for speech in case.heard
        for point in speech.points
        if point.label and (point.concedes or point.certifies)
    }
    seen: dict[str, Point] = {}
    for speech in case.by(Role.CHALLENGER):
        for point in main_points(speech.points):
            if not point.concedes and not point.certifies and point.label not in settled:
                seen.setdefault(point.label or point.text, point)
    return list(seen.values())


def _disagreement(case: Case, challenge: Point) -> Disagreement:
    replies = [
        point
        for speech in case.by(Role.PROPOSER)
        for point in speech.points
        if point.label == challenge.label and challenge.label
    ]
    proposer = _plain(replies[-1]) if replies else case.say("no-answer")
    return Disagreement(point=challenge.gist, proposer=proposer, challenger=_plain(challenge))


def _plain(point: Point) -> str:
    return _without_marks(point.text, 320)


def _without_marks(text: str, limit: int) -> str:
    return one_line(text.replace("`", "").replace("**", ""), limit)


def _unresolved(case: Case, challenger: Tally, open_points: list[Point]) -> tuple[str, ...]:
    questions = [_question(case, raised) for raised in unanswered(challenger)]
    last = {point.label for point in case.latest(Role.CHALLENGER) if point.label} - _named_before_last(case)
    questions += [case.say("question-last", challenge=_plain(point)) for point in open_points if point.label in last]
    text = "\n".join(speech.text for speech in case.heard)
    questions += [
        case.say("question-aspect", aspect=aspect.title.lower()) for aspect in ASPECTS if not aspect.is_covered(text)
    ]
    return tuple(questions[:_MOST_LISTED])


def _named_before_last(case: Case) -> set[str]:
    """Labels that the challenger had used before its last speech."""
    return {point.label for speech in case.by(Role.CHALLENGER)[:-1] for point in speech.points}


def _question(case: Case, raised: Raised) -> str:
    return case.say("question-challenge", gist=raised.point.gist.rstrip(" .!?"), round=str(raised.round))


def _recommendation(case: Case, decision: Decision, open_points: list[Point]) -> str:
    speeches = case.by(Role.PROPOSER)
    position = speeches[0].points[0].gist.rstrip(" .") if speeches and speeches[0].points else case.brief.topic
    position = position.removeprefix("Position: ")
    first = one_line(_plain(open_points[0]), 240) if open_points else ""
    parts = [case.say(f"recommend-{decision.winner}", position=one_line(position, 240))]
    parts.append(case.say("recommend-first", challenge=first) if first else case.say("recommend-nothing-open"))
    return " ".join(parts)
