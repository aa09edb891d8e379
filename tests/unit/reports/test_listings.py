import tomllib
from datetime import datetime, timedelta, timezone
from pathlib import Path

from sparring.reports import listings
from sparring.schema import setup
from sparring.schema.runs import RunSummary
from support.golden import Golden

NOW = datetime(2025, 3, 1, tzinfo=timezone(timedelta(hours=2)))


def test_listings_are_as_in_their_golden_file(golden: Golden) -> None:
    found = tomllib.loads((Path(__file__).parents[2] / "data" / "listings.toml").read_text(encoding="utf-8"))
    doctor, host = setup.Diagnosis.model_validate(found["doctor"]), setup.HostDiagnosis.model_validate(found["host"])
    missing = tuple(each for each in doctor.providers if each.health is not setup.Health.READY)
    install = setup.Installation.model_validate(found["install"])
    runs = tuple(map(RunSummary.model_validate, found["runs"]))
    mistakes = tuple(map(setup.Mistake.model_validate, found["mistakes"]))
    known = {"location": "/bin/claude", "settings": "~/.claude.json"}
    wrong = {"findings": mistakes, "tools": None, "version": "", **known}
    dry = install.model_copy(update={"dry_run": True})
    shown = {
        "runs": listings.runs_list(runs, now=NOW, width=None),
        "runs, in a narrow terminal": listings.runs_list(runs, now=NOW, width=60),
        "providers": listings.providers_list(setup.ProviderList.model_validate(found["providers"])),
        "doctor": listings.diagnosis_report(doctor),
        "doctor, asking": listings.diagnosis_report(doctor.model_copy(update={"deep": True})),
        "doctor, nothing ready": listings.diagnosis_report(doctor.model_copy(update={"providers": missing})),
        "doctor of a host": listings.host_report(host),
        "doctor of a host, with mistakes": listings.host_report(host.model_copy(update=wrong)),
        "install": listings.installation_report(install),
        "install, dry": listings.installation_report(dry),
        "install, dry, with every line": listings.installation_report(dry, with_diff=True),
        "install, nothing to do": listings.installation_report(install.model_copy(update={"hosts": install.hosts[1:]})),
    }
    golden.holds("reports/listings.txt", "\n".join(f"== {what}\n{text}\n" for what, text in shown.items()))
