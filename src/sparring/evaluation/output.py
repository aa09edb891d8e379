"""The files of an evaluation in its folder, each replaced whole."""

from importlib.util import find_spec
from pathlib import Path

from sparring.app import App
from sparring.batch.answers import runs_of
from sparring.evaluation.evaluating import Evaluated
from sparring.evaluation.inspect_logs import inspect_logs
from sparring.evaluation.page import linked_runs, page_of_evaluation, run_file
from sparring.evaluation.rows_file import as_csv, as_parquet
from sparring.formats.views import page
from sparring.store.files import replace_file

EVALUATION_FILE = "evaluation.json"
PAGE_FILE = "evaluation.html"


def write(app: App, evaluated: Evaluated, folder: Path, ledger: str) -> tuple[Path, ...]:
    """Write figures, rows, page and logs of an evaluation; return the paths of the first three.

    Args:
        app: The project.
        evaluated: The evaluation.
        folder: The folder for the files.
        ledger: Address of the ledger that has the runs on the page; empty: the project's own.

    Raises:
        StoreError: They cannot be written, or a run cannot be read.
    """
    evaluation, rows = evaluated.evaluation, evaluated.rows
    if find_spec("pyarrow"):
        rows_file, rows_content = "rows.parquet", as_parquet(rows)
    else:
        rows_file, rows_content = "rows.csv", as_csv(rows)
    files = {
        EVALUATION_FILE: evaluation.model_dump_json(indent=2).encode() + b"\n",
        rows_file: rows_content,
        PAGE_FILE: page_of_evaluation(evaluation, rows, rows_file, ledger or "project").encode(),
    }
    runs = runs_of(app, ledger, linked_runs(evaluation, rows))
    run_pages = {run_file(key): page(run).encode() for key, run in runs.items()}
    logs = inspect_logs(evaluation, rows)
    # The files that link to others come last: an interruption leaves no page whose links lead nowhere.
    for name, content in {**run_pages, **logs, **files}.items():
        replace_file(folder / name, content)
    return tuple(folder / name for name in files)
