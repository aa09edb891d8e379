"""``sparring log``."""

from typing import Annotated

import typer

from sparring.cli.commands.options import Json, SecretFiles


def append(  # noqa: PLR0913 -- the specification's log writer has these arguments, in this order
    phase: Annotated[str, typer.Argument(metavar="PHASE", help="opening, rebuttal, closing or conclusion.")],
    speaker: Annotated[
        str, typer.Argument(metavar="SPEAKER", help="promoter, detractor, chair, audience, verifier or reporter.")
    ],
    type_: Annotated[
        str, typer.Argument(metavar="TYPE", help="opening_statement, new_point, rebuttal, conjecture, ...")
    ],
    content_file: Annotated[
        str, typer.Argument(metavar="CONTENT_FILE", help="The file that holds the text; `-` is standard input.")
    ],
    sources: Annotated[
        str,
        typer.Argument(
            metavar="SOURCES", help='A JSON array: [{"url": ..., "title": ..., "accessed": ..., "quote": ...}].'
        ),
    ] = "null",
    rebuttal_to_seq: Annotated[
        str, typer.Argument(metavar="REBUTTAL_TO_SEQ", help="The entry that a rebuttal answers.")
    ] = "null",
    target_seq: Annotated[
        str, typer.Argument(metavar="TARGET_SEQ", help="The entry that a challenge, a ruling or a check is about.")
    ] = "null",
    *,
    log: Annotated[
        str,
        typer.Option(
            metavar="PATH",
            help="By default debate-log.jsonl in the output_dir of config/debate-config.json, else in shared/.",
        ),
    ] = "",
    allow_secret_files: SecretFiles = False,
    as_json: Json = False,
) -> None:
    """Append an entry to the log of a debate, and print its seq.

    For agents that debate outside of sparring. What the rules of the chaired
    debate refuse is not written: a line on stderr for each reason. Several
    processes may write at once.

    Exit codes: 0 written, 2 refused.
    """
    from sparring.app.log_writing import EntryWish
    from sparring.cli.input import STDIN, all_input
    from sparring.cli.logs import append_to_log

    wish = EntryWish(
        phase=phase,
        speaker=speaker,
        type=type_,
        content=all_input() if content_file == STDIN else "",
        content_file="" if content_file == STDIN else content_file,
        secrets_allowed=allow_secret_files,
        sources=sources,
        rebuttal_to_seq=rebuttal_to_seq,
        target_seq=target_seq,
        log=log,
    )
    append_to_log(wish, as_json=as_json)
