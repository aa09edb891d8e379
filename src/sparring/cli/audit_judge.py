"""The command ``sparring audit-judge``: a plan, or an audit with its files."""

from typing import Annotated

import typer

from sparring.cli.parsing import SETTINGS, Json, Ledger


def audit_judge(  # noqa: PLR0913 -- an option is a parameter
    *,
    seat: Annotated[str, typer.Option(metavar="SEAT", help="judge, chair, jury-judge, reader or examiner.")] = "judge",
    tool: Annotated[str, typer.Option(metavar="TOOL", help="The judge: TOOL or TOOL:MODEL.")] = "",
    input_: Annotated[
        str,
        typer.Option(
            "--input", metavar="CASES", help="How many generated cases, a file of cases, or ids of finished runs."
        ),
    ] = "",
    probes: Annotated[
        str, typer.Option(metavar="PROBE,PROBE", help="Probes to plant, e.g. position,style.", rich_help_panel=SETTINGS)
    ] = "all",
    repeat: Annotated[
        int, typer.Option(metavar="N", help="How often each prompt is asked.", rich_help_panel=SETTINGS)
    ] = 3,
    margin: Annotated[
        float, typer.Option(metavar="SHARE", help="Largest effect that counts as none.", rich_help_panel=SETTINGS)
    ] = 0.05,
    against: Annotated[
        str,
        typer.Option(
            metavar="AUDIT",
            help="Show the drift since this audit.json, or since the `last` one.",
            rich_help_panel=SETTINGS,
        ),
    ] = "",
    output: Annotated[str, typer.Option(metavar="DIR", help="Folder for figures, page and answers.")] = "audit",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and its price; call no tool.")] = False,
    ledger: Ledger = "",
    at_once: Annotated[int, typer.Option(metavar="N", help="Calls in parallel.", rich_help_panel=SETTINGS)] = 16,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask again even if an answer is stored.", rich_help_panel=SETTINGS)
    ] = False,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="Timeout of each call, in seconds.")] = None,
    max_calls: Annotated[int | None, typer.Option(metavar="N", help="Most consultations.")] = None,
    max_tokens: Annotated[int | None, typer.Option(metavar="N", help="Most tokens.", rich_help_panel=SETTINGS)] = None,
    max_cost: Annotated[str, typer.Option(metavar="USD", help="Maximum cost.")] = "",
    as_json: Json = False,
) -> None:
    """Measure how far a judge follows order, length, style and the like, in one seat.

    It is asked about pairs of cases that differ in one planted thing, with the prompts of the product. An effect is
    flagged, excluded within the margin, or neither; "cannot tell" is not "unbiased". The seat remembers the result.
    Example: `sparring audit-judge --tool codex --dry-run`
    """
    import anyio

    from sparring.app import App
    from sparring.batch.job import typed_limits
    from sparring.cli import printing, runs
    from sparring.cli.invocation import invocation
    from sparring.errors import ExitCode, SparringError
    from sparring.evaluation.audit.auditing import Auditing, AuditJob, known_of
    from sparring.evaluation.audit.measure import UNDECIDED
    from sparring.evaluation.audit.output import write
    from sparring.evaluation.audit.report import plan_lines, report_of
    from sparring.participants.options import valid
    from sparring.store.audits import keep_audit

    with printing.reporting_errors(as_json=as_json):
        app = App(invocation().settings())
        limits = valid(lambda: typed_limits(max_calls=max_calls, max_tokens=max_tokens, max_cost=max_cost))
        job = AuditJob(
            seat=seat,
            tool=tool,
            cases=input_,
            probes=probes,
            repeat=repeat,
            margin=margin,
            against=against,
            ledger=ledger,
            at_once=at_once,
            is_fresh=fresh,
            timeout_s=timeout,
            limits=limits,
        )
        auditing = Auditing(app, job)
        if dry_run:
            printing.print_result(auditing.plan, lambda plan: "\n".join(plan_lines(plan)), as_json=as_json)
            return
        for line in plan_lines(auditing.plan):
            printing.print_notice(line)
        audited = anyio.run(runs.until_done_or_stopped, lambda: auditing.audit(printing.print_notice))
        if audited is None:
            printing.print_stopped(runs.WAY_ON, as_json=as_json)
        paths = write(audited, app.settings.cwd / output)
        answered = [each for each in audited.judgements if each.pick or each.failure in UNDECIDED]
        is_whole = len(answered) == audited.audit.plan.calls
        if is_whole:
            try:
                keep_audit(known_of(audited.audit), app.settings, app.place)
            except SparringError as error:
                printing.print_notice(f"The audit is not remembered: {error}")
        printing.print_result(audited.audit, report_of, as_json=as_json)
        printing.print_notice(f"Written: {', '.join(str(path) for path in paths)}")
        raise typer.Exit(ExitCode.DONE if is_whole else ExitCode.NO_VERDICT)
