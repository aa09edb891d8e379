"""A project as it lies on the disk: which files it has, what stands in them, and what git knows of them.

Whoever names a file, a name or a commit here may be a model. So nothing outside of the project is read, nor what is
made to hold secrets; git gets the words by standard input, and starts no program of the repository's choice.
"""

from sparring.consult.working_tree.listing import list_evidence_files
from sparring.consult.working_tree.tree import ProjectTree, look_at

__all__ = ["ProjectTree", "list_evidence_files", "look_at"]
