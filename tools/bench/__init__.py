"""Benchmarks of cost and correctness: ``make bench``, or ``python -m bench NAME``.

A bench is a module with ``run(scale)``, which yields figures: ratios within one run, so that they mean the same on
every machine, each beside what it is a ratio of and what is aimed at. What a figure says in seconds is for people. At
smoke size a bench says nothing, but it runs: a test does that, since figures that nobody runs rot.
"""
