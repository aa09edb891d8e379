"""Additions to the page of a fact-check: the votes by round, and the quotes within the evidence."""

from collections.abc import Iterator, Sequence

from sparring.formats.fact_check.grounds import quotes_of
from sparring.formats.fact_check.outcome import FinishedFactCheck
from sparring.reports.page.elements import Html, element, fragment, scrolled
from sparring.reports.page.passages import Mark, marked
from sparring.reports.page.pictures import Card, Figure, Pictures, badge
from sparring.schema.claims import Label
from sparring.schema.fact_check import AgentPath, Movement, Path, Position
from sparring.schema.lookups import QuoteFinding, QuoteVerdict

_LANES = (Label.SUPPORTED, Label.NEI, Label.REFUTED)
_LANE, _ROUND, _LEFT, _TOP = 84, 170, 112, 34
_APART = 24
_TONES = {Path.KEPT: "accent", Path.FIXED: "good", Path.FLIPPED: "bad", Path.ABSTAINED: "open"}


def pictures(fact_check: FinishedFactCheck) -> Pictures:
    """The flow of the votes, the evidence with its quotes marked, and the details of each answer."""
    outcome = fact_check.outcome
    figures = [_flow(outcome.agents), _evidence(fact_check)] if outcome.agents else []
    cards = {
        fact_check.ask_of(agent, each.round): _card(each, outcome.label)
        for agent in outcome.agents
        for each in agent.positions
    }
    return Pictures(figures, cards)


def _flow(agents: Sequence[AgentPath]) -> Figure:
    rounds = max((each.round for agent in agents for each in agent.positions), default=1)
    width, height = _LEFT + _ROUND * rounds - _ROUND // 2, _TOP + _LANE * len(_LANES)
    drawing = element(
        "svg",
        *(_lane(place, label, width) for place, label in enumerate(_LANES)),
        *(_heading(round_) for round_ in range(1, rounds + 1)),
        *(_way(agent, place, len(agents)) for place, agent in enumerate(agents)),
        viewBox=f"0 0 {width} {height}",
        width=width,
        class_="flow",
        aria_hidden="true",
    )
    listed = element("ul", map(_path_item, agents), class_="paths")
    about = "Each line is an agent; a ring is a change that code rejected."
    return Figure("How the votes moved", fragment(scrolled("How the votes moved", drawing), listed), about)


def _lane(place: int, label: Label, width: int) -> Html:
    top = _TOP + place * _LANE
    ground = element("rect", x="0", y=top + 3, width=width, height=_LANE - 6, rx="6", class_="ground")
    return fragment(ground, element("text", label.value, x="12", y=top + _LANE // 2 + 4, class_="soft"))


def _heading(round_: int) -> Html:
    words = "blind" if round_ == 1 else f"round {round_}"
    return element("text", words, x=_x(round_), y="20", text_anchor="middle", class_="soft")


def _x(round_: int) -> int:
    return _LEFT + _ROUND // 4 + (round_ - 1) * _ROUND


def _way(agent: AgentPath, place: int, many: int) -> Html:
    shift = round((place - (many - 1) / 2) * min(_APART, (_LANE - 30) / max(many - 1, 1)))
    top = _TOP + _LANE // 2 + shift
    points = [(_x(each.round), top + _LANES.index(each.verdict) * _LANE, each) for each in agent.positions]
    tone = _TONES[agent.path]
    line = " ".join(f"{x},{y}" for x, y, _ in points)
    drawn = [element("polyline", points=line, class_=f"way {tone}")] if len(points) > 1 else []
    for x, y, position in points:
        if position.movement is Movement.CHANGE_REJECTED:
            drawn.append(element("circle", cx=x, cy=y, r="15", class_=f"ring {tone}"))
        drawn.append(element("circle", cx=x, cy=y, r="11", class_=f"fill {tone}"))
        drawn.append(element("text", str(place + 1), x=x, y=y + 4, text_anchor="middle", class_="within"))
    return fragment(*drawn)


def _path_item(agent: AgentPath) -> Html:
    votes = " → ".join(each.verdict.value for each in agent.positions) or "no vote"
    ended = f", then no vote in round {agent.abstention.round}" if agent.abstention and agent.positions else ""
    line = f" {agent.name} ({agent.answerer.name}): {votes}{ended}"
    return element("li", badge(agent.path.value, _TONES[agent.path]), line)


def _evidence(fact_check: FinishedFactCheck) -> Figure:
    """Each source with its quotes and the agents that gave them, then the quotes that no source contains."""
    quotes = fact_check.quotes
    shown = list[Html]()
    for index, source in enumerate(fact_check.request.evidence):
        places = [(*place, name) for name, _, finding in quotes for place in _places(finding, index)]
        shown += [element("h4", source.name), marked(source.text, _marks(places))]
    struck = dict.fromkeys((name, quote, finding.verdict) for name, quote, finding in quotes if finding.span is None)
    wrong = [
        element("li", "“", element("del", quote), "” ", badge(_words(verdict), "bad"), f" {name}")
        for name, quote, verdict in struck
    ]
    shown += [element("h4", "Quoted, and not there"), element("ul", wrong)] if wrong else []
    about = "Marked is what agents quote; code has looked for every word of it."
    return Figure("The evidence, and what is quoted of it", fragment(*shown), about)


def _words(verdict: QuoteVerdict) -> str:
    return verdict.replace("_", " ")


def _marks(places: Sequence[tuple[int, int, str, str]]) -> Iterator[Mark]:
    """A mark for each passage quoted verbatim, with all agents that quote it; altered quotes there get no mark."""
    pieces = list[tuple[int, int, list[str]]]()
    for start, end, _, name in sorted(place for place in places if place[2] == "good"):
        if pieces and start < pieces[-1][1]:
            first, last, names = pieces.pop()
            pieces.append((first, max(last, end), [*names, name]))
        else:
            pieces.append((start, end, [name]))
    for start, end, names in pieces:
        yield Mark(start, end, "good", f"✓ verbatim: {', '.join(sorted(set(names)))}")
    for start, end, tone, name in dict.fromkeys(places):
        if tone != "good" and not any(start < last and first < end for first, last, _ in pieces):
            yield Mark(start, end, tone, f"✗ altered: {name}")


def _places(finding: QuoteFinding, index: int) -> Iterator[tuple[int, int, str]]:
    spans = finding.parts or ((finding.span,) if finding.span else ())
    yield from ((span.start, span.end, "good") for span in spans if span.index == index)
    if finding.nearest and finding.nearest.span.index == index:
        yield finding.nearest.span.start, finding.nearest.span.end, "bad"


def _card(position: Position, label: Label | None) -> Card:
    verdicts = [finding.verdict for _, finding in quotes_of(position)]
    counts = {_words(verdict): verdicts.count(verdict) for verdict in QuoteVerdict}
    marks = {
        "not found": counts["altered"] + counts["not found"],
        "contested": label is not None and position.verdict is not label,
        "changed": position.movement is Movement.CHANGED,
        "change rejected": position.movement is Movement.CHANGE_REJECTED,
        "fault": bool(position.faults),
    }
    facets = {"round": (str(position.round),), "vote": (position.verdict.value,)}
    return Card(facets | {"mark": tuple(word for word, is_so in marks.items() if is_so)}, counts)
