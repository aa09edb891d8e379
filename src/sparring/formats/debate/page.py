"""Additions to the page of a debate: each judge's decision in both orders, and the citations of each speech."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from sparring.checks.citations.ledger import ShownExhibits
from sparring.checks.citations.syntax import mentions_in
from sparring.formats.debate.marks import is_supplement
from sparring.formats.debate.outcome import FinishedDebate
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.passages import CheckedPassage, Mark, checked_list, code_lines, excerpt, marked, struck
from sparring.reports.page.pictures import Card, Figure, Pictures, badge, bar, status_tone, tone_of
from sparring.schema.consultation import Exhibit
from sparring.schema.debate import SPEAKING_ORDER, SpeechLedger
from sparring.schema.judgement import Ballot, Scores
from sparring.schema.lookups import CitationKind, CitationStatus, LedgerEntry
from sparring.schema.transcript import SPEECH_KINDS, Turn
from sparring.text.tidying import at_words

_BEST = 5
_AROUND = 60


def pictures(debate: FinishedDebate) -> Pictures:
    """Return the pictures of the judges' decisions, and cards for the speeches."""
    cards = {turn.ask_id: _card(debate, turn) for turn in debate.run.transcript.turns if turn.kind in SPEECH_KINDS}
    return Pictures(tuple(_judges(debate)), cards | _dissents(debate))


def _dissents(debate: FinishedDebate) -> dict[str, Card]:
    """The readings of judges that end with another winner than the debate."""
    verdict = debate.outcome.verdict
    against = (id_ for id_, each in debate.ballots.items() if verdict and each.verdict.winner is not verdict.winner)
    return {id_: Card({"mark": ("contested",)}) for id_ in against}


def _judges(debate: FinishedDebate) -> Iterator[Figure]:
    judgement = debate.outcome.judgement
    if judgement is None:
        return
    is_scored = judgement.ballots[0].verdict.scores is not None
    about = "Each judge reads the debate twice, with either side first, and is not told whose it is."
    about += " Scores go from 1 to 5." if is_scored else ""
    by_judge = groupby(sorted(judgement.ballots, key=lambda each: each.judge), key=lambda each: each.judge)
    for number, ballots in by_judge:
        orders = [_ballot(debate, each) for each in ballots]
        missing = [
            element("div", element("h4", each.order.spoken), element("p", f"No verdict: {each.cause}"))
            for each in judgement.abstentions
            if each.judge == number
        ]
        picture = element("div", orders, missing, class_="sides")
        yield Figure(f"Decision of {debate.judge_name(number)}", picture, about, is_wide=True)


def _ballot(debate: FinishedDebate, ballot: Ballot) -> Html:
    verdict = ballot.verdict
    winner = badge(f"for {debate.seated(verdict.winner)}", tone_of(verdict.winner))
    scores = _scores(debate, verdict.scores.proposer, verdict.scores.challenger) if verdict.scores else NOTHING
    made_up = struck((words, "no side said it") for words in ballot.struck)
    return element("div", element("h4", ballot.order.spoken, " ", winner), scores, made_up)


def _scores(debate: FinishedDebate, proposer: Scores, challenger: Scores) -> Html:
    sides = dict(zip(SPEAKING_ORDER, (proposer, challenger), strict=True))
    rows = [
        element(
            "tr",
            element("th", name, scope="row"),
            *(_score(getattr(scores, name), tone_of(role)) for role, scores in sides.items()),
        )
        for name in Scores.model_fields
    ]
    return grid("Scores", ("Scored for", *map(debate.seated, sides)), rows, class_="scores")


def _score(score: int, tone: str) -> Html:
    length = bar((score - 1) / (_BEST - 1) * 0.96 + 0.04, tone=tone, label=f"{score} of {_BEST}")
    return element("td", element("div", length, element("span", str(score)), class_="cell"))


def _card(debate: FinishedDebate, turn: Turn) -> Card:
    spoken = debate.ledger(turn.round, turn.role)
    # For a speech that was asked for again, the citation check of the second answer counts.
    if spoken is None or turn.answer is None or debate.is_superseded(turn) or is_supplement(turn):
        return Card()
    counts = {each.counted: spoken.ledger.count(each) for each in CitationStatus} if spoken.ledger else {}
    cited = checked_list("Citations and their places", list(_cited(debate, spoken, debate.speech(turn))))
    marks = ["not found"] if counts.get("not found") else []
    return Card({"mark": (*marks, *_given_up(debate, turn))}, counts, cited)


def _given_up(debate: FinishedDebate, turn: Turn) -> Sequence[str]:
    given = debate.outcome.conduct.concessions
    conceded = any((each.round, each.role) == (turn.round, turn.role) for each in given)
    taken_back = any(each.withdrawn and (each.withdrawn.round, each.role) == (turn.round, turn.role) for each in given)
    return [word for word, is_so in {"conceded": conceded, "withdrew": taken_back}.items() if is_so]


def _cited(debate: FinishedDebate, spoken: SpeechLedger, speech: str) -> Iterator[CheckedPassage]:
    for entry in spoken.ledger.entries if spoken.ledger else ():
        status = entry.status.counted
        begin, end = at_words(speech, entry.start - _AROUND, entry.end + _AROUND)
        mark = Mark(entry.start - begin, entry.end - begin, status_tone(status))
        around = marked(speech[begin:end].replace("\n", " "), [mark])
        yield CheckedPassage(status, around, entry.reason, _place(debate, entry))


def _place(debate: FinishedDebate, entry: LedgerEntry) -> Html:
    """The cited lines, if the exhibits contain them."""
    if entry.kind not in {CitationKind.PATH, CitationKind.EXHIBIT} or not entry.status.is_there:
        return NOTHING
    exhibits = debate.request.shown
    for cited in (each.citation for each in mentions_in(entry.text, 0, ShownExhibits(exhibits).pattern)):
        for exhibit in exhibits:
            is_meant = cited.path in {f"E{exhibit.number}", exhibit.path}
            if is_meant and cited.line and cited.end_line and exhibit.first <= cited.line <= exhibit.last:
                return _lines(exhibit, cited.line, cited.end_line)
    return NOTHING


def _lines(exhibit: Exhibit, begin: int, end: int) -> Html:
    lines = excerpt(exhibit.text, first=exhibit.first, begin=begin, end=min(end, exhibit.last))
    return code_lines(lines, name=f"E{exhibit.number} {exhibit.path}")
