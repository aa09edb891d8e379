"""The log as it grows with a debate."""

from itertools import pairwise

from sparring.formats.chaired_debate.rules import log_of
from sparring.schema.chaired_debate import LogEntry
from sparring.schema.lookups import SourceStatus
from sparring.schema.transcript import Transcript
from support.chaired_playing import FABRICATED, action, chaired_request, found, outcome, play_chaired, review
from support.playing import NOON


def test_it_grows_turn_by_turn_and_ends_as_the_outcome_has_it() -> None:
    request = chaired_request()
    played = play_chaired(request=request)
    turns = played.transcript.turns
    logs = [log_of(request, Transcript(turns=turns[:count])) for count in range(len(turns) + 1)]
    assert [len(log) for log in logs] == [0, 0, 0, 0, 2, 2, 4, 4, 6, 6, 8, 9, 10, 11]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(logs))
    assert logs[-1] == outcome(played).log
    assert logs[-1][0] == LogEntry.model_validate(
        {
            "seq": 1,
            "timestamp": NOON,
            "phase": "opening",
            "speaker": "promoter",
            "type": "opening_statement",
            "content": "Here opening.promoter.1 argues, as opening.promoter.1 must, from evidence [1].",
            "sources": [
                {
                    "url": "https://example.org/opening.promoter.1",
                    "title": "Streets",
                    "accessed": "2026-11-20",
                    "quote": "words of a page that promoter cites as opening.promoter.1",
                }
            ],
        }
    )


def test_an_entry_stands_in_it_when_its_sources_were_looked_up_and_not_before() -> None:
    request = chaired_request()
    turns = play_chaired({"opening.promoter.1.sources": FABRICATED}, request=request).transcript.turns
    before, after = (log_of(request, Transcript(turns=turns[:count])) for count in (3, 4))
    assert before == ()
    assert [entry.content[:10] for entry in after[:1]] == ["[REDACTED]"]
    assert [entry.type for entry in after[1:]] == ["source_check", "redaction", "warning"]


def test_an_entry_changes_only_where_a_ruling_takes_it_out() -> None:
    request = chaired_request(max_rounds=2)
    challenge = action(
        "new_point", "Streets are more than traffic [1].", target_seq=1, source_challenge="It is no study."
    )
    special = {
        "opening.promoter.1.sources": found(SourceStatus.UNREACHABLE),
        "r1.detractor.1": challenge,
        "r1.chair.1": review((7, "upheld")),
    }
    turns = play_chaired(special, request=request).transcript.turns
    logs = [log_of(request, Transcript(turns=turns[:count])) for count in range(len(turns) + 1)]
    changed = [shorter for shorter, longer in pairwise(logs) if longer[: len(shorter)] != shorter]
    assert [log[0].content[:4] for log in changed] == ["Here"]
    assert logs[-1][0].content.startswith("[REDACTED] A challenge of its sources was upheld.")
