"""What everybody was shown, as a reader of the debate sees it: one line, and all of it folded."""

from sparring.prompts import fence
from sparring.reports.markdown import Section, given, inline
from sparring.reports.runs import byte_size
from sparring.schema.consultation import Exhibit
from sparring.schema.debate import DebateRequest
from sparring.text.tidying import for_terminal, one_line

_MOST_NAMED = 5
_NAME_SHOWN = 120


def exhibits_line(request: DebateRequest) -> str:
    """E.g. ``Exhibits: 7, 21 KiB: E1 shop/charging.py:1-40, …``; empty where nothing was gathered."""
    if not request.exhibits:
        return ""
    size = byte_size(sum(len(each.text.encode(errors="replace")) for each in request.exhibits))
    names = [one_line(each.name, _NAME_SHOWN) for each in request.exhibits[:_MOST_NAMED]]
    more = ", …" if len(request.exhibits) > _MOST_NAMED else ""
    return inline(f"Exhibits: {len(request.exhibits)}, {size}: {', '.join(names)}{more}")


def exhibits_section(request: DebateRequest) -> list[Section]:
    """Each of what was gathered; what was given as context its user has."""
    if not request.exhibits:
        return []
    shown = "\n\n".join(map(_shown, request.exhibits))
    folded = f"<details>\n<summary>What both sides and the judge were shown</summary>\n\n{shown}\n\n</details>"
    return given("## Exhibits", folded)


def _shown(exhibit: Exhibit) -> str:
    return f"{inline(exhibit.name)}\n\n{fence(for_terminal(exhibit.text))}"
