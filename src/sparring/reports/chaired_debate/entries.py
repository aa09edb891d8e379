"""The log of a chaired debate as Markdown: each entry with what it answers and what came of its sources."""

from collections.abc import Iterable, Iterator, Sequence

from sparring.reports.chaired_debate.debated import FinishedChairedDebate
from sparring.reports.chaired_debate.phrases import HEADINGS, SOURCES_HEAD, act, source_line, source_row, who
from sparring.reports.fitting import Section
from sparring.reports.foreign import cell, literal, quoted, table
from sparring.schema.chaired_debate import LogEntry, Phase
from sparring.text.tidying import one_line


def transcript(debate: FinishedChairedDebate) -> Iterator[Section]:
    """Every entry in its order, under the phase that it belongs to."""
    for phase in Phase:
        entries = [entry for entry in debate.outcome.log if entry.phase is phase]
        if entries:
            yield Section(HEADINGS[phase], "")
        for entry in entries:
            yield Section(f"### {_capital(who(entry))}", _content(debate, entry))


def entry_lines(debate: FinishedChairedDebate, seqs: Iterable[int], shown: int) -> str:
    """The entries of these numbers as bullets, each with its first ``shown`` characters."""
    entries = (entry for seq in seqs if (entry := debate.entry(seq)))
    return "\n".join(f"- {who(entry)}: {literal(one_line(entry.content, shown))}" for entry in entries)


def entry_table(entries: Sequence[LogEntry], shown: int) -> str:
    """The entries as a table, each with its first ``shown`` characters."""
    rows = (
        (str(entry.seq), entry.speaker.value, act(entry), cell(one_line(entry.content, shown))) for entry in entries
    )
    return table(("seq", "speaker", "what", "words"), rows)


def removals(debate: FinishedChairedDebate) -> str:
    """What was struck or redacted, with the reason and without the words; empty when nothing was."""
    return "\n".join(
        f"- {who(entry)}: {_removal(debate, entry)}" for entry in debate.outcome.log if debate.label(entry)
    )


def source_table(debate: FinishedChairedDebate) -> str:
    """What came of every source."""
    rows = [
        source_row(seq, number, finding)
        for seq, findings in debate.findings.items()
        for number, finding in enumerate(findings, start=1)
    ]
    return table(SOURCES_HEAD, rows) if rows else "None was given."


def _content(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    if debate.label(entry):
        return _removal(debate, entry)
    said = quoted(entry.content)
    return f"{said}\n\n{_sources(debate, entry)}" if entry.sources else said


def _removal(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    label = debate.label(entry)
    return f"**{label.strip('[]').capitalize()}**: {literal(entry.content.removeprefix(label))}"


def _sources(debate: FinishedChairedDebate, entry: LogEntry) -> str:
    found = {(finding.url, finding.quote): finding for finding in debate.findings.get(entry.seq, ())}
    numbered = enumerate(entry.sources, start=1)
    return "\n".join(source_line(number, source, found.get((source.url, source.quote))) for number, source in numbered)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
