"""What can be said about a fact-check."""

from typing import Annotated, ClassVar

from sparring.schema.base import Effort
from sparring.schema.fact_check import Escalation, FactCheckRequest, Rounds
from sparring.seating.options import (
    EVIDENCE_KIB,
    EffortOption,
    Input,
    LanguageOption,
    Option,
    Options,
    SecretFiles,
    timeout,
)

_INPUT = Input("-", "the claim and its evidence")


class FactCheckOptions(Options[FactCheckRequest]):
    """No agents let sparring choose; ``provider`` is every agent, instead of a list, and ``count`` how many."""

    format: ClassVar[str] = "fact-check"

    claim: Annotated[
        str,
        Option(
            "What is checked; `-` reads it from standard input.",
            words="all that is none of the following",
            is_subject=True,
        ),
    ]
    evidence: Annotated[
        tuple[str, ...],
        Option(
            "A text that the claim is held against. May be given several times. What is piped in is evidence as "
            "well; `-` waits for it however long it takes.",
            told='Sources: whole texts, or "file=PATH" (in the project)',
            value="TEXT",
            words='a list: "according to this text: …"',
            is_needed=True,
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ()
    evidence_file: Annotated[
        tuple[str, ...],
        Option(
            "A file of evidence, UTF-8. May be given several times.",
            told=None,
            value="PATH",
            words='in the same list, as `file=PATH`: "does the README say that …"',
            file_of="evidence",
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ()
    evidence_limit: Annotated[int, Option("Most KiB of evidence, all together.", told=None)] = EVIDENCE_KIB
    allow_secret_files: SecretFiles = False
    agents: Annotated[
        str,
        Option(
            "Who checks, 2 to 7: claude,codex:MODEL,claude. By default three of different families.",
            told="2 to 7: claude,codex:MODEL,host (you); empty: three; offline,offline needs no AI tool",
            value="TOOL,TOOL",
            words='who checks, 2 to 7; "with you as one of them" = host',
            is_hinted=True,
        ),
    ] = ""
    provider: Annotated[str, Option("Tool for every agent; `offline` needs nothing.", told=None, value="TOOL")] = ""
    count: Annotated[int | None, Option("How many agents, 2 to 7, where none are named.", told=None)] = None
    max_rounds: Annotated[
        Rounds,
        Option(
            "The blind round and the debate rounds together, 1 to 5.",
            words='"quick" = 1, "2 rounds" = 2, "thorough" = 5',
            is_hinted=True,
        ),
    ] = 3
    escalation: Annotated[
        Escalation,
        Option(
            "When agents debate: auto (when they disagree or a quote is not in the evidence), always, never.",
            told="auto: debate when they disagree or a quote is false",
            words='"let them debate in any case" = always, "no debate" = never',
            is_hinted=True,
        ),
    ] = Escalation.AUTO
    language: LanguageOption = "en"
    effort: EffortOption = Effort.MEDIUM
    timeout_s: Annotated[float, timeout()] = 240.0
