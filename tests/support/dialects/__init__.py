"""What the model APIs say on the wire: how a prompt arrives, how an answer streams, how an error looks.

One module per API; a further one is added by a line in ``DIALECTS``.
"""

from support.dialects.anthropic_messages import AnthropicMessages
from support.dialects.chat_completions import ChatCompletions
from support.dialects.gemini import Gemini
from support.dialects.openai_responses import OpenAIResponses
from support.dialects.wire import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS, Dialect, Json

__all__ = ["CACHED_TOKENS", "DIALECTS", "INPUT_TOKENS", "OUTPUT_TOKENS", "Dialect", "Json"]

DIALECTS: tuple[Dialect, ...] = (AnthropicMessages(), OpenAIResponses(), ChatCompletions(), Gemini())
