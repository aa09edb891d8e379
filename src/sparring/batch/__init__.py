"""Many rows: a table in, a verdict for each row out, and no answer paid for twice.

Reading order: ``job`` is what can be asked for; ``tables`` reads rows, wherever ``addresses`` and ``folders`` lead;
``rows`` says what one gives its format, and its key in the ledger; ``engine`` holds rows in this process, with
``answers`` for their journals, and ``checks`` has code alone look at them; ``limits`` keeps all workers to what was
asked for (``limit_rules``, ``allowances``, ``gate``, ``budget``, ``shared_state``); ``results`` is what is written of a
row, ``shards`` writes it; ``work`` does all of that on one machine, and ``ray`` on many. ``estimate`` judges a sample
first, ``judging`` tells rows as they come, and ``export`` takes the run of one out.
"""

from sparring.batch.call import run
from sparring.batch.job import Job

__all__ = ["Job", "run"]
