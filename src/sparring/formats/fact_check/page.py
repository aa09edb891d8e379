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
    """Draw a lane for each label, a column for each round, and each agent as a line from its first vote to its last."""
    rounds = max((position.round for agent in agents for position in agent.positions), default=1)
    width = _LEFT + _ROUND * rounds - _ROUND // 2
    height = _TOP + _LANE * len(_LANES)
    lanes = [_lane(index, label, width) for index, label in enumerate(_LANES)]
    headings = [_heading(round_) for round_ in range(1, rounds + 1)]
    lines = [_agent_line(agent, index, len(agents)) for index, agent in enumerate(agents)]
    drawing = element(
        "svg",
        lanes,
        headings,
        lines,
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


def _agent_line(agent: AgentPath, index: int, agents: int) -> Html:
    """Draw the way of an agent through the lanes, with its number at each vote."""
    # Agents in one lane are drawn side by side, closer together if there are many.
    distance = min(_APART, (_LANE - 30) / max(agents - 1, 1))
    middle = _TOP + _LANE // 2 + round((index - (agents - 1) / 2) * distance)
    tone = _TONES[agent.path]
    points = [
        (_x(position.round), middle + _LANES.index(position.verdict) * _LANE, position) for position in agent.positions
    ]
    drawn: list[Html] = []
    if len(points) > 1:
        line = " ".join(f"{x},{y}" for x, y, _ in points)
        drawn.append(element("polyline", points=line, class_=f"way {tone}"))
    for x, y, position in points:
        if position.movement is Movement.CHANGE_REJECTED:
            drawn.append(element("circle", cx=x, cy=y, r="15", class_=f"ring {tone}"))
        drawn.append(element("circle", cx=x, cy=y, r="11", class_=f"fill {tone}"))
        drawn.append(element("text", str(index + 1), x=x, y=y + 4, text_anchor="middle", class_="within"))
    return fragment(*drawn)


def _path_item(agent: AgentPath) -> Html:
    votes = " → ".join(position.verdict.value for position in agent.positions) or "no vote"
    if agent.abstention and agent.positions:
        votes += f", then no vote in round {agent.abstention.round}"
    line = f" {agent.name} ({agent.respondent.name}): {votes}"
    return element("li", badge(agent.path.value, _TONES[agent.path]), line)


def _evidence(fact_check: FinishedFactCheck) -> Figure:
    """Each source with its quotes and the agents that gave them, then the quotes that no source contains."""
    quotes = fact_check.quotes
    shown: list[Html] = []
    for index, source in enumerate(fact_check.request.evidence):
        places = [(*place, name) for name, _, finding in quotes for place in _places(finding, index)]
        shown += [element("h4", source.name), marked(source.text, _marks(places))]
    missing = dict.fromkeys((name, quote, finding.verdict) for name, quote, finding in quotes if finding.span is None)
    if missing:
        items = [
            element("li", "“", element("del", quote), "” ", badge(_words(verdict), "bad"), f" {name}")
            for name, quote, verdict in missing
        ]
        shown += [element("h4", "Quoted, and not there"), element("ul", items)]
    about = "Marked is what agents quote; code has looked for every word of it."
    return Figure("The evidence, and what is quoted of it", fragment(*shown), about)


def _words(verdict: QuoteVerdict) -> str:
    return verdict.replace("_", " ")


def _marks(places: Sequence[tuple[int, int, str, str]]) -> Iterator[Mark]:
    """A mark for each passage quoted verbatim, with all agents that quote it; altered quotes there get no mark."""
    passages: list[tuple[int, int, list[str]]] = []
    for start, end, _, name in sorted(place for place in places if place[2] == "good"):
        if passages and start < passages[-1][1]:  # overlapping quotes are one passage
            first, last, names = passages.pop()
            passages.append((first, max(last, end), [*names, name]))
        else:
            passages.append((start, end, [name]))
    for start, end, names in passages:
        yield Mark(start, end, "good", f"✓ verbatim: {', '.join(sorted(set(names)))}")
    for start, end, tone, name in dict.fromkeys(places):
        if tone != "good" and not any(start < last and first < end for first, last, _ in passages):
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
