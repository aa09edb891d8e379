from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.folding import fold
from sparring.checks.quotes import Evidence
from sparring.schema.lookups import QuoteVerdict

WORDS = st.text(st.sampled_from("aáạbcnt019,.'-– \u00a0\u00ad\u0301\u200b%“\"(…不"), max_size=40)


@given(st.text("abạc019,.'-–“(不", max_size=40), st.data())
def test_invisible_characters_and_composition_never_count(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    changed = text[:place] + data.draw(st.sampled_from(["\u200b", "\u00ad", "\u2060"])) + text[place:]
    assert fold(changed).text == fold(text).text
    assert fold(normalize("NFD", text)).text == fold(text).text


@given(st.text(max_size=60) | WORDS)
def test_every_piece_of_a_folded_text_leads_back_to_what_it_was_made_from(text: str) -> None:
    folded = fold(text)
    for start in range(len(folded.text)):
        begin, end = folded.original(start, start + 1)
        assert 0 <= begin < end <= len(text)
        assert folded.text[start] in fold(text[begin:end]).text or folded.text[start] == " "


@given(st.lists(WORDS | st.text(max_size=60), max_size=3), WORDS | st.text(max_size=20))
def test_verbatim_parts_stand_at_their_place_and_no_quote_raises(sources: list[str], quote: str) -> None:
    finding = Evidence(sources).find(quote)
    for span in finding.parts:
        assert sources[span.index][span.start : span.end] == span.text
        assert fold(span.text).text in fold(sources[span.index]).text


@given(st.lists(st.sampled_from(["tháp", "cao", "không", "7,5", "its", "x"]), min_size=3, max_size=12), st.data())
def test_a_run_of_whole_words_is_always_verbatim(words: list[str], data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin + 1, len(words)))
    assert Evidence([" ".join(words)]).find(" ".join(words[begin:end])).verdict is QuoteVerdict.VERBATIM
