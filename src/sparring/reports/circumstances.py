"""Outcome of a run, in the light of who answered in it and what was arranged before it."""

from sparring.reports.conclusion import Conclusion
from sparring.reports.independence import checked_again, substitutions
from sparring.schema.runs import Run


def as_answered(run: Run, ended: Conclusion) -> Conclusion:
    """Return ``ended`` with the substitutions and what follows from them first, and what was arranged among the notes.

    What was arranged makes nothing doubtful; a warning about it has its tag, and stays a doubt.
    """
    first = (*substitutions(run), *checked_again(run))
    arranged = [each for each in run.header.request.notices if not each.startswith("[")]
    remaining = [doubt for doubt in ended.doubts if doubt not in (*first, *arranged)]
    notes = dict.fromkeys((*ended.notes, *(doubt for doubt in ended.doubts if doubt in arranged)))
    return ended.model_copy(update={"doubts": (*first, *remaining), "notes": tuple(notes)})
