"""The judge's synthesis: the counts, the winner that follows from them, and what is left to do.

The judge knows the sides by letters, and its words use no other names for them; whoever asked turns them back.
"""

from collections.abc import Mapping

from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.aspects import ASPECTS
from sparring.consult.offline.debating.challenging import broken_citations
from sparring.consult.offline.debating.defending import main_points, named_points
from sparring.consult.offline.debating.grading import scores
from sparring.consult.offline.debating.letters import Letters, other_side
from sparring.consult.offline.debating.quoting import best_quotes, quotes, strongest
from sparring.consult.offline.debating.scoring import Decision, Raised, Tally, decide, tally, unanswered
from sparring.consult.offline.reading import Point
from sparring.consult.offline.writing import json_block
from sparring.schema.base import Role
from sparring.schema.debate import Quality, Rating, Side
from sparring.text.tidying import one_line

_MOST_LISTED = 6

_Tallies = Mapping[Side, Tally]


def synthesis(case: Case) -> str:
    """One JSON object in a fence, with the fields that ``prompts/debate/synthesis.md`` asks for."""
    # A judge is shown the sides in either order, and counts them in the order of speaking.
    spoken = sorted(case.brief.speeches, key=lambda speech: (speech.round, speech.role is Role.CHALLENGER))
    return json_block(_verdict(case.with_speeches(spoken)))


def _verdict(case: Case) -> dict[str, object]:
    letters = Letters(case.brief)
    tallies: _Tallies = {side: tally(case, side) for side in letters.sides}
    decision = decide(tallies[Role.PROPOSER], tallies[Role.CHALLENGER])
    open_points = open_challenges(case)
    return {
        "winner": letters.letter(decision.winner),
        "reasoning": _reasoning(case, decision, tallies, letters),
        "scores": {
            letters.letter(side): scores(case.by(side), tallies[side], tallies[other_side(side)]).model_dump()
            for side in letters.sides
        },
        "arguments": _cited(letters.letter(decision.winner), best_quotes(case.by(decision.winner))),
        "unanswered": [cited for side in letters.sides for cited in _unanswered(letters.letter(side), tallies[side])],
        "quality": _quality(case, tallies[Role.PROPOSER], tallies[Role.CHALLENGER]).model_dump(mode="json"),
        "agreements": _agreements(case, letters)[:_MOST_LISTED],
        "disagreements": [_disagreement(case, point, letters) for point in open_points[:_MOST_LISTED]],
        "unresolved_questions": _unresolved(case, tallies[Role.CHALLENGER], open_points),
        "recommendation": _recommendation(case, decision, open_points, letters),
    }


def _cited(letter: str, words: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"side": letter, "quote": quote} for quote in words[:_MOST_LISTED]]


def _unanswered(letter: str, put: Tally) -> list[dict[str, str]]:
    return _cited(letter, tuple(quotes(raised.point for raised in unanswered(put))))


def _reasoning(case: Case, decision: Decision, tallies: _Tallies, letters: Letters) -> str:
    winner, loser = letters.name(decision.winner), letters.name(other_side(decision.winner))
    parts = [case.say("verdict-rule", tool=case.tool)]
    parts += [_counts(case, side, tallies, letters) for side in letters.sides]
    parts.append(case.say(f"verdict-{decision.step}", winner=winner, loser=loser))
    if argument := strongest(case.by(decision.winner)):
        parts.append(case.say("verdict-argument", argument=_plain(argument)))
    if given_up := tallies[Role.PROPOSER].concessions:
        side = letters.name(Role.PROPOSER)
        parts.append(case.say("verdict-conceded", side=side, concession=_without_marks(given_up[0], 240)))
    if broken := broken_citations(point for speech in case.heard for point in speech.points):
        parts.append(case.say("verdict-broken", citation=broken[0].citation.text, reason=broken[0].reason))
    return " ".join(parts)


def _counts(case: Case, side: Side, tallies: _Tallies, letters: Letters) -> str:
    counts = {
        "verified": str(tallies[side].verified),
        "not_found": str(tallies[side].not_found),
        "unanswered": str(len(unanswered(tallies[other_side(side)]))),
    }
    return case.say("verdict-counts", side=letters.name(side), **counts)


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


def _agreements(case: Case, letters: Letters) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for speech in case.heard:
        for sentence in speech.concessions:
            where = case.say("said-by", side=letters.name(speech.role), round=str(speech.round))
            found.append({"point": _without_marks(sentence, 300), "evidence": where})
    named = named_points(case, Role.CHALLENGER)
    for point in (point for speech in case.by(Role.CHALLENGER) for point in speech.points if point.certifies):
        concern = named.get(point.label, point).gist
        settled = case.say("settled", side=letters.name(Role.CHALLENGER), concern=concern)
        found.append({"point": settled, "evidence": point.verified[0].citation.text})
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
            if point.wants_answer and point.label not in settled:
                seen.setdefault(point.label or point.text, point)
    return list(seen.values())


def _disagreement(case: Case, challenge: Point, letters: Letters) -> dict[str, str]:
    replies = [
        point
        for speech in case.by(Role.PROPOSER)
        for point in speech.points
        if point.label == challenge.label and challenge.label
    ]
    argued = {
        Role.PROPOSER: _plain(replies[-1]) if replies else case.say("no-answer"),
        Role.CHALLENGER: _plain(challenge),
    }
    a, b = letters.sides
    return {"point": challenge.gist, "a": argued[a], "b": argued[b]}


def _plain(point: Point) -> str:
    return _without_marks(point.text, 320)


def _without_marks(text: str, limit: int) -> str:
    return one_line(text.replace("`", "").replace("**", ""), limit)


def _unresolved(case: Case, challenger: Tally, open_points: list[Point]) -> list[str]:
    questions = [_question(case, raised) for raised in unanswered(challenger)]
    last = {point.label for point in case.latest(Role.CHALLENGER) if point.label} - _named_before_last(case)
    questions += [case.say("question-last", challenge=_plain(point)) for point in open_points if point.label in last]
    text = "\n".join(speech.text for speech in case.heard)
    questions += [
        case.say("question-aspect", aspect=aspect.title.lower()) for aspect in ASPECTS if not aspect.is_covered(text)
    ]
    return questions[:_MOST_LISTED]


def _named_before_last(case: Case) -> set[str]:
    """Labels that the challenger had used before its last speech."""
    return {point.label for speech in case.by(Role.CHALLENGER)[:-1] for point in speech.points}


def _question(case: Case, raised: Raised) -> str:
    return case.say("question-challenge", gist=raised.point.gist.rstrip(" .!?"), round=str(raised.round))


def _recommendation(case: Case, decision: Decision, open_points: list[Point], letters: Letters) -> str:
    speeches = case.by(Role.PROPOSER)
    position = speeches[0].points[0].gist.rstrip(" .") if speeches and speeches[0].points else case.brief.topic
    position = one_line(position.removeprefix("Position: "), 240)
    proposer, challenger = letters.name(Role.PROPOSER), letters.name(Role.CHALLENGER)
    first = one_line(_plain(open_points[0]), 240) if open_points else ""
    parts = [case.say(f"recommend-{decision.winner}", position=position, proposer=proposer, challenger=challenger)]
    parts.append(case.say("recommend-first", challenge=first) if first else case.say("recommend-nothing-open"))
    return " ".join(parts)
