"""Children: started, handed a prompt or talked with, listened to, and ended with everything that they have started."""

from sparring.consult.process.capture import OUTPUT_LIMIT
from sparring.consult.process.child import Finished, run_child
from sparring.consult.process.command import Command, find_program
from sparring.consult.process.conversation import Conversation, OutputOverflowError, converse
from sparring.consult.process.starting import MARK_VARIABLE

__all__ = [
    "MARK_VARIABLE",
    "OUTPUT_LIMIT",
    "Command",
    "Conversation",
    "Finished",
    "OutputOverflowError",
    "converse",
    "find_program",
    "run_child",
]
