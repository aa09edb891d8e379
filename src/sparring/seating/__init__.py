"""What a run is asked for with: the ``options`` that can be said, and who sits in the ``seats`` that they name."""
