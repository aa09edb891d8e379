"""How the participants without a model word what they say."""

from sparring.consult.offline.case import Case


def say(case: Case, phrase: str, **values: str) -> str:
    """The words of ``phrase`` in ``prompts/offline/chaired-debate.md``."""
    return case.prompts.render(f"offline/chaired-debate#{phrase}", values).strip()
