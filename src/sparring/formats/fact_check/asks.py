"""What each agent is asked: the prompt for models, the brief for consultants made of code."""

import json
from collections.abc import Mapping
from functools import cached_property

from sparring.formats.fact_check.showing import Showing
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, Question, Speech
from sparring.schema.fact_check import FactCheckRequest, Position
from sparring.schema.transcript import Ask, TurnKind

ANALYSIS, REBUTTAL = "fact-check/analysis", "fact-check/rebuttal"


def ask_id(round_: int, agent: int, attempt: int) -> str:
    """Id of the ask of one agent, which is counted from 0."""
    again = "" if attempt == 1 else f".{attempt}"
    return f"r{round_}.a{agent + 1}{again}"


class Asking:
    """Words the asks."""

    def __init__(self, request: FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = Showing(prompts)

    def ask(self, name: str, shown: Mapping[str, Position], *, attempt: int, problem: str) -> Ask:
        """The ask of the agent ``name``.

        Args:
            name: What the agent is called.
            shown: Where everybody, itself included, stood after the round before; empty in round 1.
            attempt: 1, or more when its last answer could not be used, for ``problem``.
            problem: What was wrong with that.
        """
        request, number = self._request, self._request.names.index(name)
        round_ = shown[name].round + 1 if shown else 1
        agent, step = request.agents[number], REBUTTAL if shown else ANALYSIS
        brief = Brief(
            step=step,
            topic=request.claim,
            role=Role.FACT_CHECKER,
            round=round_,
            attempt=attempt,
            speeches=tuple(_speech(other, position) for other, position in shown.items()),
            name=name,
            evidence=tuple(part.text for part in request.evidence),
            language=request.language,
        )
        question = Question(
            prompt=self._prompt(step, name, shown, problem),
            brief=brief,
            effort=request.effort,
            model=agent.model,
            timeout_s=request.timeout_s,
        )
        return Ask(
            id=ask_id(round_, number, attempt),
            kind=TurnKind.REBUTTAL if shown else TurnKind.ANALYSIS,
            role=Role.FACT_CHECKER,
            round=round_,
            tool=agent.tool,
            question=question,
        )

    def _prompt(self, step: str, name: str, shown: Mapping[str, Position], problem: str) -> str:
        values = {"claim": self._request.claim, "evidence": self._evidence, "language": self._request.language}
        if shown:
            others = {other: position for other, position in shown.items() if other != name}
            values |= {
                "round": str(shown[name].round + 1),
                "name": name,
                "own_position": self._showing.own(shown[name]),
                "other_positions": self._showing.others(others),
            }
        prompt = self._prompts.render(step, values)
        return f"{prompt}\n{self._prompts.render('fact-check/again', {'problem': problem})}" if problem else prompt

    @cached_property
    def _evidence(self) -> str:
        return self._showing.evidence(self._request.evidence)


def _speech(name: str, position: Position) -> Speech:
    said = json.dumps({"verdict": position.verdict, "quotes": position.quotes}, ensure_ascii=False)
    return Speech(role=Role.FACT_CHECKER, round=position.round, name=name, text=said)
