"""Children: started, handed a prompt, listened to, and ended with everything that they have started."""

from sparring.consult.process.child import MARK_VARIABLE, OUTPUT_LIMIT, Command, Finished, find_program, run_child

__all__ = ["MARK_VARIABLE", "OUTPUT_LIMIT", "Command", "Finished", "find_program", "run_child"]
