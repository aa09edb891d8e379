"""What the model APIs say on the wire: how a prompt arrives, how an answer streams, how an error looks.

One module per API; a further one is added by a line in ``DIALECTS``.
"""

from sparring.testing.dialects.anthropic_messages import AnthropicMessages
from sparring.testing.dialects.chat_completions import ChatCompletions
from sparring.testing.dialects.gemini import Gemini
from sparring.testing.dialects.openai_responses import OpenAIResponses
from sparring.testing.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Dialect, Json

__all__ = ["CACHED_TOKENS", "DIALECTS", "INPUT_TOKENS", "OUTPUT_TOKENS", "Dialect", "Json"]

DIALECTS: tuple[Dialect, ...] = (AnthropicMessages(), OpenAIResponses(), ChatCompletions(), Gemini())
