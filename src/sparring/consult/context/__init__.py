"""Material for a question: single files, and what git says has changed in the project.

Reading is all that happens here. What is asked for, how much is allowed and what is redacted is decided by ``app``.
"""

from sparring.consult.context.diff import Changes, read_changes
from sparring.consult.context.files import ProjectFile, read_named_file, read_project_file

__all__ = ["Changes", "ProjectFile", "read_changes", "read_named_file", "read_project_file"]
