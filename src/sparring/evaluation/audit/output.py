"""The files of an audit in its folder, each replaced whole."""

from pathlib import Path

from sparring.evaluation.audit.auditing import Audited
from sparring.evaluation.audit.judgements import as_csv
from sparring.evaluation.audit.page import page_of_audit
from sparring.store.files import replace_file

AUDIT_FILE, PAGE_FILE, PARAGRAPH_FILE, TABLE_FILE = "audit.json", "audit.html", "audit.txt", "judgements.csv"


def write(audited: Audited, folder: Path) -> tuple[Path, ...]:
    """Write figures, page, paragraph and answers of an audit; return their paths.

    Raises:
        StoreError: They cannot be written.
    """
    cases = {case.id: case for case in audited.cases}
    files = {
        AUDIT_FILE: audited.audit.model_dump_json(indent=2).encode() + b"\n",
        PAGE_FILE: page_of_audit(audited.audit).encode(),
        PARAGRAPH_FILE: f"{audited.audit.paragraph}\n".encode(),
        TABLE_FILE: as_csv(audited.judgements, cases, audited.audit.plan),
    }
    for name, content in files.items():
        replace_file(folder / name, content)
    return tuple(folder / name for name in files)
