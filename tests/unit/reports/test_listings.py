import tomllib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from sparring.reports import listings
from sparring.schema import setup
from sparring.schema.runs import RunStatus, RunSummary
from support.golden import Golden

NOW = datetime(2025, 3, 1, tzinfo=timezone(timedelta(hours=2)))
RUNS = (
    RunSummary(
        run_id="debate-20250102T230405Z-0a1b",
        kind="debate",
        status=RunStatus.FINISHED,
        outcome="completed",
        finding="codex (challenger)",
        topic="Should it retry?",
        created_at=datetime(2025, 1, 2, 23, 4, tzinfo=UTC),
        cost_usd=0.1249,
        unpriced_calls=1,
    ),
    RunSummary(
        run_id="jury-20241231T200000Z-0a1c",
        kind="jury",
        status=RunStatus.INTERRUPTED,
        topic="It rose.",
        created_at=datetime(2024, 12, 31, 20, tzinfo=UTC),
        cost_usd=0.002,
    ),
    RunSummary(run_id="consult-20240101T000000Z-0a1d", kind="consult", problem="line 1: no JSON."),
)


def test_runs_and_who_can_be_asked_and_what_was_written_are_listed_as_was_approved(golden: Golden) -> None:
    found = tomllib.loads((Path(__file__).parents[2] / "data" / "listings.toml").read_text(encoding="utf-8"))
    doctor, host = setup.Diagnosis.model_validate(found["doctor"]), setup.HostDiagnosis.model_validate(found["host"])
    install = setup.Installation.model_validate(found["install"])
    mistakes = (
        setup.Mistake(weight=setup.Weight.PROBLEM, problem="Its time limit is 60 s.", advice="Raise it."),
        setup.Mistake(weight=setup.Weight.ADVICE, problem="It is old."),
    )
    known = {"location": "/bin/claude", "settings": "~/.claude.json"}
    wrong = {"findings": mistakes, "tools": None, "version": "", **known}
    dry = install.model_copy(update={"dry_run": True})
    shown = {
        "runs": listings.runs_list(RUNS, now=NOW, width=None),
        "runs, in a narrow terminal": listings.runs_list(RUNS, now=NOW, width=60),
        "providers": listings.providers_list(setup.ProviderList.model_validate(found["providers"])),
        "doctor": listings.diagnosis_report(doctor),
        "doctor, asking": listings.diagnosis_report(doctor.model_copy(update={"deep": True})),
        "doctor of a host": listings.host_report(host),
        "doctor of a host, with mistakes": listings.host_report(host.model_copy(update=wrong)),
        "install": listings.installation_report(install),
        "install, dry": listings.installation_report(dry),
        "install, dry, with every line": listings.installation_report(dry, with_diff=True),
        "install, nothing to do": listings.installation_report(install.model_copy(update={"hosts": install.hosts[1:]})),
    }
    golden.holds("reports/listings.txt", "\n".join(f"== {what}\n{text}\n" for what, text in shown.items()))
