"""The formats, one folder each. None knows another, and none does I/O (``engine.format``).

``registry`` lists them, ``reports`` shows a run of any of them; ``material`` is what their prompts share.
"""
