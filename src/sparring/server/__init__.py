"""The MCP server: sparring for any agent that speaks the Model Context Protocol.

Reading order: ``building`` (what there is), ``tools`` (what hosts see), ``desk`` (what lives as long as the server),
``answers`` (what a call gets), ``deliberations`` (what it does), ``stdio`` and ``wire`` (how the bytes travel),
``fast_start`` (who answers until all of these are imported), ``snapshot`` (what it answers).
Importing this package imports nothing, since a server that is to be there at once cannot wait for its own parts.
"""
