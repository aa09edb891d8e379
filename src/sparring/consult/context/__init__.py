"""Material for a question, read from the project: single files, and what git says has changed.

Reading is all that happens here. What is asked for, how much is allowed and what is redacted is decided by ``app``.
"""

from sparring.consult.context.diff import Changes, read_changes
from sparring.consult.context.files import ProjectFile, read_project_file

__all__ = ["Changes", "ProjectFile", "read_changes", "read_project_file"]
