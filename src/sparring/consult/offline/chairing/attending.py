"""Audience and reporter: questions about what nobody has sourced, and a plain list of what was said."""

from sparring.consult.offline.case import Case
from sparring.consult.offline.chairing.proceedings import Proceedings
from sparring.consult.offline.chairing.wording import say
from sparring.consult.offline.writing import json_block
from sparring.schema.base import Role
from sparring.schema.chaired_debate.request import DEBATERS


def questions(case: Case) -> str:
    """One question to each side about its last entry that names no source of its own."""
    proceedings = Proceedings(case)
    asked = [_question(case, proceedings, role) for role in DEBATERS]
    return json_block({"questions": [question for question in asked if question]})


def report(case: Case) -> str:
    """What stands, entry by entry."""
    lines = [
        say(case, "report-line", seq=str(entry.seq), role=entry.role.value, gist=entry.gist)
        for entry in Proceedings(case).entries
    ]
    return "\n".join((say(case, "report-lead"), "", *lines)) if lines else say(case, "report-empty")


def _question(case: Case, proceedings: Proceedings, role: Role) -> str:
    unsourced = [entry for entry in proceedings.by(role) if not entry.has_source]
    if not unsourced:
        return ""
    last = unsourced[-1]
    return say(case, "question", role=role.upper(), seq=str(last.seq), gist=last.gist)
