"""Agents that speak the Agent Client Protocol: JSON-RPC, one message a line, over a child's standard streams.

To be read from ``agent``, what we ask, by ``client``, what we are asked and hear, to ``consultant``.

The only place that imports the package ``acp``, which comes with the extra of that name; so this is imported only when
an agent is asked. The package brings the messages and pairs requests with responses. Its own way of starting children
and of framing lines is not used, since it bounds neither.
"""
