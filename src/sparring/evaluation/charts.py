"""Pictures on the pages of evaluations and audits; a table of the page has the same figures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sparring.reports.page.elements import Html, element

STATES: tuple[str, ...] = ("right", "wrong", "abstained")
"""Outcomes of a row, in the order of tables and pictures."""

_TONES: Mapping[str, str] = {"right": "good", "wrong": "bad", "abstained": "neither"}
_ROW_HEIGHT, _WIDTH = 28, 760


class Effect(NamedTuple):
    """An effect with its interval, as shares."""

    name: str
    value: float
    interval: tuple[float, float]


def forest(effects: Sequence[Effect], margin: float, *, left: int = 200) -> Html:
    """Draw each effect with its interval, and ``margin`` as a band.

    Args:
        effects: From top to bottom; at least one.
        margin: As a share, either way.
        left: Width of the names.
    """
    # The axis is symmetric, and at least twice as wide as the margin, so that the band never fills the picture.
    reach = 2 * margin
    for effect in effects:
        reach = max(reach, *map(abs, effect.interval))
    span = _WIDTH - left - 10

    def at(value: float) -> str:
        return f"{left + span * (value + reach) / (2 * reach):.1f}"

    height = _ROW_HEIGHT * (len(effects) + 1)
    band = element(
        "rect",
        element("title", f"Margin: {100 * margin:g} points either way"),
        x=at(-margin),
        y="0",
        width=f"{span * margin / reach:.1f}",
        height=str(height),
        class_="fill neither",
        opacity="0.25",
    )
    middle = _line(at(0), at(0), 0, height)
    lines = [_interval(each, at, _ROW_HEIGHT * place + _ROW_HEIGHT / 2) for place, each in enumerate(effects)]
    axis = [
        element(
            "text", f"{100 * value:+.0f}", x=at(value), y=str(height - 6), text_anchor="middle", fill="currentColor"
        )
        for value in (-reach, 0.0, reach)
    ]
    label = "; ".join(f"{each.name}: {100 * each.value:+.1f} points" for each in effects)
    return element(
        "svg", band, middle, *lines, *axis, viewBox=f"0 0 {_WIDTH} {height}", width="100%", role="img", aria_label=label
    )


def _line(x1: str, x2: str, y1: float, y2: float) -> Html:
    return element("line", x1=x1, x2=x2, y1=f"{y1:.1f}", y2=f"{y2:.1f}", stroke="currentColor")


def _interval(effect: Effect, at: Callable[[float], str], y: float) -> Html:
    low, high = effect.interval
    name = element("text", effect.name, x="0", y=f"{y + 4:.1f}", fill="currentColor")
    point = element("circle", cx=at(effect.value), cy=f"{y:.1f}", r="4", class_="fill accent")
    return element("g", name, _line(at(low), at(high), y, y), point)


_FLOW_HEIGHT, _GAP, _NODE, _FROM, _TO = 160, 24, 10, 210, 540


def flow(counts: Mapping[str, int]) -> Html:
    """Draw how many rows went from each outcome of the first round to each of the debate; at least one row.

    Args:
        counts: Rows by ``right->wrong`` and the like.
    """
    pixels_per_row = _FLOW_HEIGHT / max(1, sum(counts.values()))
    moves = [(one, two, count) for one in STATES for two in STATES if (count := counts.get(f"{one}->{two}", 0))]
    before, after = dict.fromkeys(STATES, 0), dict.fromkeys(STATES, 0)
    for one, two, count in moves:
        before[one] += count
        after[two] += count

    # Ribbons of one node lie below each other, in the order of the moves.
    left_tops, right_tops = _tops(before, pixels_per_row), _tops(after, pixels_per_row)
    next_left, next_right = dict(left_tops), dict(right_tops)
    ribbons = list[Html]()
    for one, two, count in moves:
        thickness = pixels_per_row * count
        ribbons.append(_ribbon(next_left[one], next_right[two], thickness, one, two, count))
        next_left[one] += thickness
        next_right[two] += thickness

    nodes = [
        *_nodes("first round", before, left_tops, pixels_per_row, _FROM - _NODE, _FROM - _NODE - 8, "end"),
        *_nodes("debate", after, right_tops, pixels_per_row, _TO, _TO + _NODE + 8, "start"),
    ]
    label = "; ".join(f"first round {one}, debate {two}: {count:,} rows" for one, two, count in moves)
    height = _FLOW_HEIGHT + _GAP * (len(STATES) - 1) + 8
    return element(
        "svg",
        *ribbons,
        *nodes,
        viewBox=f"0 0 {_WIDTH} {height}",
        width="100%",
        role="img",
        aria_label=label,
        class_="flow",
    )


def _tops(side: Mapping[str, int], pixels_per_row: float) -> dict[str, float]:
    """Return the upper edge of each node of a side, from top to bottom."""
    tops, y = dict[str, float](), 4.0
    for state, count in side.items():
        tops[state] = y
        y += pixels_per_row * count + _GAP
    return tops


def _ribbon(y1: float, y2: float, width: float, one: str, two: str, count: int) -> Html:
    middle = (_FROM + _TO) / 2
    upper = f"M{_FROM} {y1:.1f}C{middle} {y1:.1f} {middle} {y2:.1f} {_TO} {y2:.1f}"
    lower = f"V{y2 + width:.1f}C{middle} {y2 + width:.1f} {middle} {y1 + width:.1f} {_FROM} {y1 + width:.1f}Z"
    title = element("title", f"First round {one}, debate {two}: {count:,} rows")
    return element(
        "path", title, d=upper + lower, class_=f"fill {_TONES[two]}", opacity="0.4" if one == two else "0.75"
    )


def _nodes(
    name: str,
    side: Mapping[str, int],
    tops: Mapping[str, float],
    pixels_per_row: float,
    x: float,
    words_x: float,
    anchor: str,
) -> Iterator[Html]:
    for state, count in side.items():
        if count:
            height = pixels_per_row * count
            yield element(
                "rect", x=x, y=f"{tops[state]:.1f}", width=_NODE, height=f"{height:.1f}", class_=f"fill {_TONES[state]}"
            )
            yield element(
                "text",
                f"{name} {state}: {count:,}",
                x=words_x,
                y=f"{tops[state] + height / 2 + 4:.1f}",
                text_anchor=anchor,
                fill="currentColor",
            )
