"""Find and fill the Markdown under ``prompts/``: every word that a model reads.

A template is a Markdown file with TOML front matter between two lines of ``+++``:

```text
+++
variables = ["topic", "speech"]    # all of them, and no others, must be given
fenced = ["speech"]                # quoted speech: set between fences that nothing inside can close
+++
Topic: {topic}

{speech}
```

A file may also be a phrase book: several short templates, each opened by ``+++ its-name`` in place of ``+++``.

Rendering is one pass over the template. Substituted text is never read again, so braces in quoted speech stay
braces. A template engine was refused: it can do what a prompt must never do, namely compute.
"""

from sparring.prompts.library import PromptLibrary, Template, fence, framed

__all__ = ["PromptLibrary", "Template", "fence", "framed"]
