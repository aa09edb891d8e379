"""Batches: a table in, a verdict for each row out, and no answer paid for twice.

Reading order: ``job`` has the options of a batch; ``tables`` reads rows from ``addresses``; ``rows`` turns a row into
the options of its format and its key in the ledger; ``engine`` judges rows in this process through the ledger of
exchanges (``app.exchanges``), with ``answers`` for the records of runs, and ``checks`` checks rows by code alone;
``blocks`` claims blocks of the table in the ledger, and ``shards`` writes their ``results``; ``work`` does all of that
in one process, ``ray`` starts such processes on many machines, and ``running`` chooses between them. ``estimate``
judges a sample first or plans without asking, and ``outputs`` reads what was written.
"""

from sparring.batch.job import Job
from sparring.batch.running import run

__all__ = ["Job", "run"]
