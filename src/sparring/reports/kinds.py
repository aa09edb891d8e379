"""Which kind of run is shown how: the one place that a new kind has to be added to."""

from sparring.reports import chaired_debate, consultation, debate, fact_check, jury
from sparring.reports.presentation import Presentation
from sparring.schema.runs import Run, RunKind

_SHOWN: dict[RunKind, Presentation] = {
    RunKind.DEBATE: debate,
    RunKind.CHAIRED_DEBATE: chaired_debate,
    RunKind.CONSULT: consultation,
    RunKind.FACT_CHECK: fact_check,
    RunKind.JURY: jury,
}


def presentation(run: Run) -> Presentation:
    """How runs of the kind of ``run`` are shown."""
    return _SHOWN[run.header.kind]
