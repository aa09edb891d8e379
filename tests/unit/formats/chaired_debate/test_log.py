"""The log as it grows with a debate."""

from sparring.formats.chaired_debate.rules import log_of
from sparring.schema.transcript import Transcript
from support.chaired_playing import FABRICATED, chaired_request, play_chaired


def test_an_entry_stands_in_it_when_its_sources_were_looked_up_and_not_before() -> None:
    request = chaired_request()
    turns = play_chaired({"opening.promoter.1.sources": FABRICATED}, request=request).transcript.turns
    before, after = (log_of(request, Transcript(turns=turns[:count])) for count in (3, 4))
    assert before == ()
    assert [entry.content[:10] for entry in after[:1]] == ["[REDACTED]"]
    assert [entry.type for entry in after[1:]] == ["source_check", "redaction", "warning"]
