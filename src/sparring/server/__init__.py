"""The MCP server: sparring for any agent that speaks the Model Context Protocol.

Reading order: ``building`` (the parts), ``tools`` (what hosts see), ``session`` (objects that live as long as the
server), ``answers`` (the result of a call), ``deliberations`` (its work), ``stdio`` and ``wire`` (transport),
``fast_start`` (the answers until all of these are imported), ``snapshot`` (recorded answers).
Importing this package imports nothing, because a server that must answer at once cannot wait for its own parts.
"""
