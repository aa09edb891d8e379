"""The server for a team: the same tools over HTTP, for members who see nothing of each other.

Reading order: ``members`` (who may come in, and what each may use), ``address`` (where), ``team`` (a server for each
member), ``door`` (what every request passes first), ``slow_peers`` (who takes too long to ask), ``serving`` (from start
to end). Only ``sparring serve --http`` imports this package: the server on standard input needs none of it.
"""
