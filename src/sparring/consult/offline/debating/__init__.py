"""The steps of a debate by rule: open, challenge, defend, follow up, summarize and judge.

A judge counts (``scoring``), grades what it counted (``grading``), rests on words that were said (``quoting``), and
knows the sides by letters only (``letters``).
"""
