"""The small process that stands between sparring and each program that it consults.

It holds the deadline, and ends the program with everything that this has started: when the time is over, when it is
told to, and, unless the answer is worth having later, when whoever started it is gone. Standard library only: it is
started for every question, and what it imports is paid each time.
"""
