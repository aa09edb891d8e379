"""A finished chaired debate as Markdown: the decision first, then who sat where, then the log, phase by phase."""

from sparring.reports.chaired_debate.debated import FinishedChairedDebate
from sparring.reports.chaired_debate.deciding import (
    about_the_run,
    decided,
    head,
    last_words,
    removed,
    seats,
    sources_in_short,
)
from sparring.reports.chaired_debate.entries import source_table, transcript
from sparring.reports.fitting import Section, fitted, joined
from sparring.reports.foreign import literal, quoted
from sparring.reports.phrases import context_line
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_TOPIC_SHOWN = 500
"""Characters of a topic in the decision: whoever reads it knows the question."""


def report(run: Run) -> str:
    """``transcript.md``: the whole of a finished chaired debate.

    Raises:
        DeliberationError: The run is not a finished chaired debate.
    """
    debate = FinishedChairedDebate.of(run)
    context = debate.request.context
    return joined(
        [
            *head(debate),
            Section("## Topic", quoted(debate.request.topic)),
            *([Section("", f"Context: {literal(context_line(context))}")] if context else []),
            *decided(debate),
            *removed(debate),
            Section("## Seats", seats(debate)),
            *transcript(debate),
            Section("## Sources", source_table(debate)),
            Section("## Run", about_the_run(debate)),
        ]
    )


def decision(run: Run, *, limit: int) -> str:
    """How a finished chaired debate was decided and why, in fewer than ``limit`` characters; else the last words.

    Raises:
        DeliberationError: The run is not a finished chaired debate.
    """
    debate = FinishedChairedDebate.of(run)
    topic = literal(one_line(debate.request.topic, _TOPIC_SHOWN))
    folder = f", and below the project in {literal(debate.request.output_dir)}" if debate.request.output_dir else ""
    closing = f"The whole: `sparring runs show {run.header.run_id}`{folder}\n\n{about_the_run(debate)}"
    return fitted(
        [
            *head(debate),
            Section("", f"Topic: {topic}"),
            *decided(debate),
            *([] if debate.outcome.decision else last_words(debate)),
            *removed(debate),
            Section("## Sources", sources_in_short(debate)),
            Section("", closing),
        ],
        limit=limit,
    )
