"""The files of an evaluation in its folder, each replaced whole."""

from importlib.util import find_spec
from pathlib import Path

from sparring.evaluation.evaluating import Evaluated
from sparring.evaluation.inspect_logs import inspect_logs
from sparring.evaluation.page import page_of_evaluation
from sparring.evaluation.rows_file import as_csv, as_parquet
from sparring.store.files import replace_file

EVALUATION_FILE = "evaluation.json"
PAGE_FILE = "evaluation.html"


def write(found: Evaluated, folder: Path, ledger: str) -> tuple[Path, ...]:
    """Write figures, rows, page and logs of an evaluation; return the paths of the first three.

    Args:
        found: The evaluation.
        folder: Where it is written.
        ledger: Address of the ledger, with which the page names the runs of a row.

    Raises:
        StoreError: They cannot be written.
    """
    has_parquet = find_spec("pyarrow") is not None
    rows = "rows.parquet" if has_parquet else "rows.csv"
    files = {
        EVALUATION_FILE: found.evaluation.model_dump_json(indent=2).encode() + b"\n",
        rows: (as_parquet if has_parquet else as_csv)(found.rows),
        PAGE_FILE: page_of_evaluation(found.evaluation, found.rows, rows, ledger).encode(),
    }
    logs = inspect_logs(found.evaluation, found.rows)
    for name, content in {**logs, **files}.items():
        replace_file(folder / name, content)
    return tuple(folder / name for name in files)
