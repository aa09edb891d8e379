"""What can be said about a debate."""

from typing import Annotated, ClassVar

from sparring.schema.base import Effort, RepoAccess
from sparring.schema.debate import DebateRequest, Rounds
from sparring.seating.options import (
    CONTEXT_KIB,
    Access,
    ContextLimit,
    ContextOption,
    EffortOption,
    Model,
    Option,
    Options,
    SecretFiles,
    UntoldModel,
    timeout,
)


class DebateOptions(Options[DebateRequest]):
    """An empty seat lets sparring choose; ``provider`` fills every empty one."""

    format: ClassVar[str] = "debate"

    topic: Annotated[
        str,
        Option(
            "What to argue about; `-` reads it from standard input.",
            told="The question to argue about, with the facts both sides need",
            words="all that is none of the following",
            is_subject=True,
        ),
    ]
    proposer: Annotated[
        str,
        Option(
            "Tool that takes a position.",
            told="Tool that argues for; host: you; empty: chosen",
            value="TOOL",
            words='"codex vs gemini about …": the first of them',
            is_hinted=True,
        ),
    ] = ""
    challenger: Annotated[
        str,
        Option(
            "Tool that attacks it; must differ from the proposer.",
            told="Another, that argues against",
            value="TOOL",
            words="the second; never the same as the proposer",
            is_hinted=True,
        ),
    ] = ""
    judge: Annotated[
        str,
        Option(
            "Tool that gives the verdict; by default a third one.",
            told="Tool that decides; host: you; empty: a third one, or host",
            value="TOOL",
            words='"judged by …"; "you decide" = host',
            is_hinted=True,
        ),
    ] = ""
    judges: Annotated[
        str,
        Option(
            "A panel of up to 5 instead: claude,codex:MODEL,gemini. Most of them decide.",
            told="Instead, a panel of up to 5: claude,codex:MODEL,gemini",
            value="TOOL,TOOL",
            words='"a panel of …", up to 5, instead of a judge',
            is_hinted=True,
        ),
    ] = ""
    devil: Annotated[
        str,
        Option(
            "Tool that argues both sides, instead of two tools.",
            told="Instead of two tools, one that argues both sides",
            value="TOOL",
            words='"devil\'s advocate": one tool argues both sides, instead of two',
        ),
    ] = ""
    provider: Annotated[
        str,
        Option(
            "Tool for every seat not named.",
            told='For every empty seat; "offline" needs no AI tool',
            value="TOOL",
            words="for every seat that is not named",
        ),
    ] = ""
    rounds: Annotated[
        Rounds,
        Option(
            "Rounds of back and forth, 1 to 5.", words='"quick" = 1, "thorough" = 3, "4 rounds" = 4', is_hinted=True
        ),
    ] = 2
    blind_openings: Annotated[
        bool,
        Option(
            "Both sides open without hearing the other; takes 2 rounds or more.",
            told="Both open without hearing the other",
            words="both open without hearing the other; needs 2 rounds or more",
        ),
    ] = False
    effort: EffortOption = Effort.MEDIUM
    model_proposer: Model = ""
    model_challenger: Model = ""
    model_judge: UntoldModel = ""
    timeout_s: Annotated[float, timeout("Seconds for each speech")] = 240.0
    context: ContextOption = ()
    context_limit: ContextLimit = CONTEXT_KIB
    allow_secret_files: SecretFiles = False
    repo_access: Access = RepoAccess.NONE
