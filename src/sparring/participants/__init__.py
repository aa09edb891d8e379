"""Participants of a run: ``options`` that name them, the ``seats`` they take, reviewed changes and their authors."""
