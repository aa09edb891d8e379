"""What the page of a jury shows besides: truth and claim side by side, with every difference where it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring.formats.jury.finished import FinishedJury
from sparring.reports.page.elements import Html, element, fragment
from sparring.reports.page.passages import Mark, marked
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.schema.claims import Status
from sparring.schema.jury import Phrase, Statement, TextName
from sparring.schema.lookups import TextSpan
from sparring.schema.runs import Run


@dataclass(frozen=True)
class _Difference:
    """A difference with its places, and who says so."""

    words: str
    says: str
    tone: str
    kinds: Sequence[str]
    places: Sequence[tuple[TextName, TextSpan]]


def pictures(run: Run) -> Pictures:
    """The two texts, and what is known of each statement."""
    jury = FinishedJury(run)
    minority = jury.outcome.minority_view
    cards = {
        jury.ask_of(said): _card(said, is_minority=minority is not None and minority.role is said.role)
        for said in jury.outcome.statements
    }
    return Pictures((_texts(jury),), cards)


def _texts(jury: FinishedJury) -> Figure:
    differences = list(_differences(jury))
    texts = {TextName.TRUTH: jury.request.truth, TextName.CLAIM: jury.request.claim}
    columns = [
        element("div", element("h4", name.capitalize()), marked(text, _marks(differences, name)))
        for name, text in texts.items()
    ]
    listed = [element("li", _told(each), id=f"difference-{number}") for number, each in enumerate(differences, start=1)]
    below = element("ol", listed, class_="differences") if listed else element("p", "No difference was shown.")
    about = "A number leads from the words to what is said of them."
    picture = fragment(element("div", columns, class_="sides"), below)
    return Figure("Truth and claim", picture, about if listed else "", is_wide=True)


def _differences(jury: FinishedJury) -> Iterator[_Difference]:
    """What the judge calls critical, then what code has found."""
    for each in jury.outcome.differences:
        places = [(anchor.source, anchor.span) for anchor in each.anchors if anchor.span]
        yield _Difference(each.text, "the judge", "bad", [kind.value for kind in each.types], places)
    for found in jury.outcome.check.findings:
        if found.status is Status.MISMATCH:
            places = [(TextName.CLAIM, found.claim)]
            places += [(TextName.TRUTH, found.evidence)] if found.evidence else []
            tone = "bad" if found.is_critical_mismatch else "open"
            yield _Difference(found.why, "code", tone, [found.dimension.value, found.severity.value], places)


def _marks(differences: Sequence[_Difference], name: TextName) -> Iterator[Mark]:
    """A mark for each place, with the numbers of all differences that it belongs to."""
    places = dict[tuple[int, int], list[int]]()
    for number, each in enumerate(differences, start=1):
        for source, span in each.places:
            if source is name:
                places.setdefault((span.start, span.end), []).append(number)
    for (start, end), numbers in places.items():
        told = ", ".join(map(str, dict.fromkeys(numbers)))
        yield Mark(start, end, differences[numbers[0] - 1].tone, f"[{told}]", f"difference-{numbers[0]}")


def _told(each: _Difference) -> Html:
    kinds = [badge(kind) for kind in each.kinds]
    return fragment(each.words, " ", badge(f"says {each.says}"), *kinds)


def _card(said: Statement, *, is_minority: bool) -> Card:
    there = sum(phrase.span is not None for phrase in said.phrases)
    missing = [phrase for phrase in said.phrases if phrase.span is None]
    marks = ["contested"] if is_minority else []
    marks += ["not found"] if missing else []
    marks += ["fault"] if said.faults else []
    return Card({"mark": tuple(marks)}, {"verified": there, "not in the texts": len(missing)}, _struck(missing))


def _struck(missing: Sequence[Phrase]) -> Html:
    items = [
        element("li", "“", element("del", phrase.text), "” ", badge(f"not in the {phrase.source}", "bad"))
        for phrase in missing
    ]
    return element("ul", items, class_="struck") if items else fragment()
