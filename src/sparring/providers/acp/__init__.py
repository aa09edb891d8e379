"""Agents that speak the Agent Client Protocol: JSON-RPC, one message a line, over a child's standard streams.

Reading order: ``agent``, our requests; ``client``, its requests and updates; ``consultant``.

The only place that imports the package ``acp``, which comes with the extra of that name; so this is imported only when
an agent is asked. The package defines the messages and pairs requests with responses. Its functions to start children
and to frame lines are not used, because they have no bounds.
"""
