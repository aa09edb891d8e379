"""Many rows: a table in, a verdict for each row out, and no answer paid for twice.

Reading order: ``job`` is what can be asked for; ``tables`` reads rows, wherever ``addresses`` lead; ``rows`` says what
one gives its format, and its key in the ledger; ``engine`` holds rows in this process, with ``answers`` for their
journals, and ``checks`` has code alone look at them; ``limits`` keeps all workers to what was asked for
(``allowances``, ``budget``); ``results`` is what is written of a row, ``shards`` writes it; ``work`` does all of that
on one machine, and ``ray`` on many. ``estimate`` judges a sample first, and ``judging`` tells rows as they come.
"""

from sparring.batch.job import Job
from sparring.batch.work import run

__all__ = ["Job", "run"]
