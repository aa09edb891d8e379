"""What Google's API says when it fails, whether we ask it or Gemini CLI does and passes it on."""

import re

from sparring.consult.failures import Sentences
from sparring.schema.consultation import FailureCode

BY_REASON = {
    "API_KEY_INVALID": FailureCode.AUTH,  # with status 400
    "API_KEY_SERVICE_BLOCKED": FailureCode.PERMISSION,
    "CREDENTIALS_MISSING": FailureCode.AUTH,
}
BY_STATUS = {
    "DEADLINE_EXCEEDED": FailureCode.TIMEOUT,
    "INTERNAL": FailureCode.OVERLOADED,
    "NOT_FOUND": FailureCode.NOT_FOUND,
    "PERMISSION_DENIED": FailureCode.PERMISSION,
    "RESOURCE_EXHAUSTED": FailureCode.RATE_LIMIT,
    "UNAUTHENTICATED": FailureCode.AUTH,
    "UNAVAILABLE": FailureCode.OVERLOADED,
}
SENTENCES: Sentences = {re.compile(r"The input token count "): FailureCode.CONTEXT_TOO_LONG}
"""Of status INVALID_ARGUMENT (400), which says nothing."""
