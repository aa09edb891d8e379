"""Which rules a request is decided by.

Those of a kind are imported when a run of it begins. Those that compare claims read a vocabulary, which takes 0.1 s
(November 2026): nobody who debates should wait for it.
"""

from sparring.engine.format import Format
from sparring.prompts import PromptLibrary
from sparring.schema.chaired_debate import ChairedDebateRequest
from sparring.schema.consult import ConsultRequest
from sparring.schema.debate import DebateRequest
from sparring.schema.fact_check import FactCheckRequest
from sparring.schema.jury import JuryRequest
from sparring.schema.runs import Request


def rules(request: Request, prompts: PromptLibrary) -> Format:
    """The format of the run that ``request`` asks for."""
    match request:
        case DebateRequest():
            from sparring.formats.debate import Debate  # noqa: PLC0415 -- see the module's docstring

            return Debate(request, prompts)
        case ChairedDebateRequest():
            from sparring.formats.chaired_debate import ChairedDebate  # noqa: PLC0415

            return ChairedDebate(request, prompts)
        case ConsultRequest():
            from sparring.formats.consultation import Consultation  # noqa: PLC0415

            return Consultation(request, prompts)
        case FactCheckRequest():
            from sparring.formats.fact_check import FactCheck  # noqa: PLC0415

            return FactCheck(request, prompts)
        case JuryRequest():
            from sparring.formats.jury import Jury  # noqa: PLC0415

            return Jury(request, prompts)
