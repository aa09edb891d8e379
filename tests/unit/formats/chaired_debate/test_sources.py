"""What follows from the sources of an entry, once somebody has looked them up."""

from sparring.formats.chaired_debate.rules import log_of
from sparring.schema.transcript import Transcript
from support.chaired_playing import FABRICATED, QUOTE, URL, action, chaired_request, outcome, play_chaired, source

WORDS = "Bicycles were counted at every gate of the old town for a whole year"
OPENING = action("opening_statement", f"{WORDS} [1].", sources=[source()])


def test_each_source_is_looked_up_once_with_the_words_it_is_cited_for() -> None:
    again = [source(), source(quote="other words of the same page"), source(), {**source(), "title": "Roads"}]
    played = play_chaired(
        {
            "opening.promoter.1": OPENING,
            "opening.detractor.1": action("opening_statement", "It is so [1].", sources=again),
            "r1.promoter.1": action("new_point", "So it is, as [1] says.", sources=again),
        }
    )
    looked_up = {id_: [each.quote for each in ask.question.brief.sources] for id_, ask in played.asks.items()}
    assert looked_up["opening.promoter.1.sources"] == [QUOTE]
    assert looked_up["opening.detractor.1.sources"] == ["other words of the same page"]
    assert "r1.promoter.1.sources" not in looked_up
    end = outcome(played)
    assert [each.seq for each in end.sources if each.finding.url == URL] == [1, 3, 3, 3, 3, 5, 5, 5, 5]
    assert end.log[5].content.count("is verified: the page says so") == 4


def test_an_entry_stands_in_it_when_its_sources_were_looked_up_and_not_before() -> None:
    request = chaired_request()
    turns = play_chaired({"opening.promoter.1.sources": FABRICATED}, request=request).transcript.turns
    before, after = (log_of(request, Transcript(turns=turns[:count])) for count in (3, 4))
    assert before == ()
    assert [entry.content[:10] for entry in after[:1]] == ["[REDACTED]"]
    assert [entry.type for entry in after[1:]] == ["source_check", "redaction", "warning"]
