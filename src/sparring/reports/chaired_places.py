"""Where in a chaired debate somebody speaks, read off the id of an ask."""

import re

_ID = re.compile(
    r"""
      (?: (?P<part>ready|opening|closing)\.(?:promoter|detractor|(?P<reviews>chair))
        | (?P<end>conclusion|report)
        | r(?P<round>\d+)\.(?:promoter|detractor|audience|(?P<chair>chair)) )
      (?:\.after)? (?:\.(?P<attempt>\d+))? (?:\.(?P<more>sources|clarification)(?:\.(?P<again>\d+))?)?
    """,
    re.VERBOSE,
)
_ENDS = {"conclusion": "conclusion", "report": "summary"}


def chaired_stage(ask_id: str) -> str:
    """E.g. ``round 2, sources`` or ``closing (again)``; empty for the id of anything else than a chaired debate."""
    found = _ID.fullmatch(ask_id)
    if found is None:
        return ""
    part = found["part"] or _ENDS.get(found["end"]) or f"round {found['round']}"
    what = found["more"] or ("review" if found["chair"] or found["reviews"] else "")
    stage = f"{part}, {what}" if what else part
    return f"{stage} (again)" if _is_again(found) else stage


def _is_again(found: re.Match[str]) -> bool:
    # What is looked up is looked up once, whichever attempt it belongs to.
    attempt = found["again"] if found["more"] else found["attempt"]
    return attempt is not None and int(attempt) > 1
