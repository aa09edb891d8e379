"""A run of each format, for tests of how runs are shown."""

from collections.abc import Mapping

from sparring.schema.runs import Run
from support.runs import answer, finished_consult
from support.stored_runs import stored

ADVICE = "Yes, **if** the caller retries.\n\n| when | wait |\n|---|---|\n| first | 1 s |\n\n```python\nretry()\n```\n"

SHOWN: Mapping[str, Run] = {
    "consult": finished_consult(answer(ADVICE)),
    **{name: stored(name) for name in ("debate", "panel-debate", "chaired-debate", "fact-check", "jury", "review")},
}
