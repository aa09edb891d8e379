"""Additions to the page of a debate: each judge's decision in both orders, and the citations of each speech."""

from collections.abc import Iterator

from sparring.checks.citations.ledger import ShownExhibits
from sparring.checks.citations.syntax import placed_citations_in
from sparring.formats.debate.marks import is_supplement
from sparring.formats.debate.outcome import FinishedDebate
from sparring.reports.page.elements import NOTHING, Html, element, grid
from sparring.reports.page.passages import CheckedPassage, Mark, checked_list, code_lines, excerpt, marked, struck
from sparring.reports.page.pictures import Card, Figure, Pictures, badge, bar, status_tone, tone_of
from sparring.schema.debate import SPEAKING_ORDER
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
    if verdict is None:
        return {}
    contested = Card({"mark": ("contested",)})
    return {
        ask_id: contested for ask_id, ballot in debate.ballots.items() if ballot.verdict.winner is not verdict.winner
    }


def _judges(debate: FinishedDebate) -> Iterator[Figure]:
    judgement = debate.outcome.judgement
    if judgement is None:
        return
    about = "Each judge reads the debate twice, with either side first, and is not told whose it is."
    if judgement.ballots[0].verdict.scores:
        about += " Scores go from 1 to 5."
    for number in sorted({ballot.judge for ballot in judgement.ballots}):
        orders = [_ballot(debate, ballot) for ballot in judgement.ballots if ballot.judge == number]
        for abstention in judgement.abstentions:
            if abstention.judge == number:
                cause = element("p", f"No verdict: {abstention.cause}")
                orders.append(element("div", element("h4", abstention.order.display_name), cause))
        picture = element("div", orders, class_="sides")
        yield Figure(f"Decision of {debate.judge_name(number)}", picture, about, is_wide=True)


def _ballot(debate: FinishedDebate, ballot: Ballot) -> Html:
    verdict = ballot.verdict
    winner = badge(f"for {debate.seated(verdict.winner)}", tone_of(verdict.winner))
    scores = _scores(debate, verdict.scores.proposer, verdict.scores.challenger) if verdict.scores else NOTHING
    made_up = struck((words, "no side said it") for words in ballot.struck)
    return element("div", element("h4", ballot.order.display_name, " ", winner), scores, made_up)


def _scores(debate: FinishedDebate, proposer: Scores, challenger: Scores) -> Html:
    sides = dict(zip(SPEAKING_ORDER, (proposer, challenger), strict=True))
    rows: list[Html] = []
    for dimension in Scores.model_fields:
        cells = [_score(getattr(scores, dimension), tone_of(role)) for role, scores in sides.items()]
        rows.append(element("tr", element("th", dimension, scope="row"), *cells))
    return grid("Scores", ("Scored for", *map(debate.seated, sides)), rows, class_="scores")


def _score(score: int, tone: str) -> Html:
    share = 0.04 + 0.96 * (score - 1) / (_BEST - 1)  # the lowest score is a short bar, not none
    length = bar(share, tone=tone, label=f"{score} of {_BEST}")
    return element("td", element("div", length, element("span", str(score)), class_="cell"))


def _card(debate: FinishedDebate, turn: Turn) -> Card:
    checked = debate.ledger(turn.round, turn.role)
    # For a speech that was asked for again, the citation check of the second answer counts.
    if checked is None or turn.answer is None or debate.is_superseded(turn) or is_supplement(turn):
        return Card()
    counts: dict[str, int] = {}
    passages: list[CheckedPassage] = []
    if checked.ledger:
        counts = {status.counted: checked.ledger.count(status) for status in CitationStatus}
        passages = [_passage(debate, entry, debate.speech(turn)) for entry in checked.ledger.entries]
    marks: list[str] = []
    if counts.get("not found"):
        marks.append("not found")
    own = [concession for concession in debate.outcome.conduct.concessions if concession.role is turn.role]
    if any(concession.round == turn.round for concession in own):
        marks.append("conceded")
    if any(concession.withdrawn and concession.withdrawn.round == turn.round for concession in own):
        marks.append("withdrew")
    return Card({"mark": tuple(marks)}, counts, checked_list("Citations and their places", passages))


def _passage(debate: FinishedDebate, entry: LedgerEntry, speech: str) -> CheckedPassage:
    """Show a citation with the words around it, its status, and the cited lines."""
    status = entry.status.counted
    begin, end = at_words(speech, entry.start - _AROUND, entry.end + _AROUND)
    mark = Mark(entry.start - begin, entry.end - begin, status_tone(status))
    around = marked(speech[begin:end].replace("\n", " "), [mark])
    return CheckedPassage(status, around, entry.reason, _place(debate, entry))


def _place(debate: FinishedDebate, entry: LedgerEntry) -> Html:
    """The cited lines, if the exhibits contain them."""
    if entry.kind not in {CitationKind.PATH, CitationKind.EXHIBIT} or not entry.status.exists:
        return NOTHING
    exhibits = debate.request.shown
    for mention in placed_citations_in(entry.text, 0, ShownExhibits(exhibits).pattern):
        path, begin, end = mention.citation.path, mention.citation.line, mention.citation.end_line
        if not begin or not end:
            continue
        for exhibit in exhibits:
            if path in {f"E{exhibit.number}", exhibit.path} and exhibit.first <= begin <= exhibit.last:
                lines = excerpt(exhibit.text, first=exhibit.first, begin=begin, end=min(end, exhibit.last))
                return code_lines(lines, name=f"E{exhibit.number} {exhibit.path}")
    return NOTHING
