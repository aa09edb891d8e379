"""What can be said about a chaired debate."""

from typing import Annotated, ClassVar

from pydantic import Field

from sparring.schema.base import Effort
from sparring.schema.chaired_debate import ChairedDebateRequest, LeastRounds, MostRounds
from sparring.seating.options import (
    CONTEXT_KIB,
    ContextLimit,
    ContextOption,
    EffortOption,
    Option,
    Options,
    SecretFiles,
    timeout,
)


class ChairedDebateOptions(Options[ChairedDebateRequest]):
    """What is left empty is taken from the config file, else chosen; of audience and reporter there is then none."""

    format: ClassVar[str] = "chaired-debate"

    topic: Annotated[
        str,
        Option(
            "What is argued for and against; `-` reads standard input. By default the config's.",
            told="Or from config/debate-config.json",
            words="all that is none of the following",
            is_subject=True,
            is_needed=True,
        ),
    ] = ""
    config: Annotated[
        str, Option("Read this instead of config/debate-config.json.", told=None, value="PATH", metavar="PATH")
    ] = ""
    promoter: Annotated[
        str,
        Option(
            "Tool that argues for it; tool:model names its model.",
            told="Tool; host: you; or chosen",
            value="TOOL",
            words='"codex vs gemini about …": the first of them',
            is_hinted=True,
        ),
    ] = ""
    detractor: Annotated[
        str,
        Option(
            "Tool that argues against it; must differ from the promoter.",
            value="TOOL",
            words="the second; never the same as the promoter",
            is_hinted=True,
        ),
    ] = ""
    chair: Annotated[
        str,
        Option(
            "Tool that rules and concludes; by default a third one.",
            value="TOOL",
            words='"chaired by …"; "you decide" = host',
            is_hinted=True,
        ),
    ] = ""
    provider: Annotated[
        str, Option("Tool for every seat not named.", value="TOOL", words="for every seat that is not named")
    ] = ""
    audience: Annotated[
        str,
        Option(
            "Tool that asks up to two questions a round; by default nobody.",
            value="TOOL",
            words="asks up to two questions a round; only if wanted",
        ),
    ] = ""
    reporter: Annotated[
        str,
        Option(
            "Tool that writes the summary; by default nobody.",
            value="TOOL",
            words="writes the summary; only if wanted",
        ),
    ] = ""
    min_rounds: Annotated[
        LeastRounds | None, Option("Rebuttal rounds before the chair may find that all is said.", usual="1")
    ] = None
    max_rounds: Annotated[
        MostRounds | None,
        Option(
            "Most rebuttal rounds, up to 10; 3 unless told.",
            usual="3",
            words='"quick" = 1, "thorough" = 5, "4 rounds" = 4',
            is_hinted=True,
        ),
    ] = None
    time_budget_minutes: Annotated[
        float | None,
        Field(allow_inf_nan=True),  # what it must be is said in a sentence of its own
        Option(
            "No further round begins after as many minutes of work.",
            value="MINUTES",
            words='"half an hour" = 30',
            flags=("--time-budget",),
            metavar="MINUTES",
            is_hinted=True,
        ),
    ] = None
    no_web: Annotated[
        bool,
        Option(
            "No debater may search the web.",
            words="nobody searches the web: everything is conjecture but what the context holds",
            is_hinted=True,
        ),
    ] = False
    output_dir: Annotated[
        str,
        Option(
            "Folder below the project for log, transcript, summary and metadata.",
            value="FOLDER",
            words="of the project: for the log, the transcript, the summary and the metadata",
            is_hinted=True,
        ),
    ] = ""
    effort: EffortOption = Effort.MEDIUM
    timeout_s: Annotated[float, timeout(told=None)] = 240.0
    context: ContextOption = ()
    context_limit: ContextLimit = CONTEXT_KIB
    allow_secret_files: SecretFiles = False
