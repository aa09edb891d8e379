"""The doorway of the stdio server: there at once, while the SDK is still being imported behind it.

Importing the SDK takes more than a second. Codex sends its first model turn without the tools of a server that is not
ready by then, and a host that probes may give up. So a thread reads the wire from the first moment, answers what a
snapshot of the SDK's own answers can answer, and keeps everything else in order until the SDK takes over.

Reading order: ``wire`` (lines and descriptors), ``snapshot`` (what can be answered), ``shapes`` (which requests are
exactly known), ``opening`` (what the SDK would make of the session so far), ``doorway`` (who gets a line, and the
hand-over), ``entry`` (the process). Only the standard library, and little of it, is imported here.
"""
