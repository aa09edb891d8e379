"""Model APIs: how each spells a request and its answer, and the consultant that puts the one and hears the other.

A new API is a module with an implementation of ``apis.Api`` and a line in ``consultant``; how one endpoint differs from
another that speaks the same is data in its provider file.
"""

from sparring.consult.api.consultant import ApiConsultant

__all__ = ["ApiConsultant"]
