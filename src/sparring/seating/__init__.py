"""What a run is asked for with: options, the seats that they name, the material that goes along.

``options`` are what can be said, and how what was said is refused; ``circumstances`` is what a format may find out
about the world before its run begins; ``seats`` and ``material`` make of both who takes part and what they are shown.
"""
