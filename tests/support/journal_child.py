"""A program that works on a run: it writes turns, saying the number of each when it is safe, until it is killed.

Usage: ``python journal_child.py FOLDER``
"""

import itertools
import sys
from pathlib import Path

from sparring.store.journal import JournalWriter
from support.journals import header, turn

if __name__ == "__main__":
    with JournalWriter.create(Path(sys.argv[1]), header()) as writer:
        for number in itertools.count():
            writer.turn(turn(number), step=number, index=0, of=1)
            sys.stdout.write(f"{number}\n")
            sys.stdout.flush()
