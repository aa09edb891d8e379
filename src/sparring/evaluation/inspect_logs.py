"""Logs in the JSON form of inspect_ai (version 2): one for each arm, a sample for each row.

Not in them: prompts and answers. They are in the ledger, and ``metadata`` of a sample has the key of its run.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from sparring.schema.evaluation import ArmRow, EvaluatedRow, Evaluation, MeasuredArm

LOG_VERSION = 2


def inspect_logs(evaluation: Evaluation, rows: Sequence[EvaluatedRow]) -> dict[str, bytes]:
    """Return the logs by file name, e.g. ``inspect/vote.json``."""
    files = dict[str, bytes]()
    for arm in evaluation.arms:
        name = arm.name.replace(":", "-").replace("/", "-")
        log = json.dumps(_log(evaluation, arm, rows), ensure_ascii=False, indent=1)
        files[f"inspect/{name}.json"] = log.encode()
    return files


def _log(evaluation: Evaluation, arm: MeasuredArm, rows: Sequence[EvaluatedRow]) -> Mapping[str, Any]:
    plan = evaluation.plan
    declared = plan.declared_at.astimezone(UTC).isoformat(timespec="seconds")
    # Ids follow from what was evaluated, so that the same evaluation has the same logs.
    identity = f"{plan.table_sha256} {plan.prompts_sha256} {declared} {arm.name}"
    digest = hashlib.sha256(identity.encode()).hexdigest()
    header: Mapping[str, Any] = {
        "eval_id": digest[:22],
        "run_id": digest[22:44],
        "created": declared,
        "task": f"sparring-{plan.format}-{arm.name}",
        "task_id": digest[:22],
        "task_version": 0,
        "dataset": {"name": plan.table_sha256[:16], "samples": len(rows), "sample_ids": [row.row for row in rows]},
        "model": arm.name,
        "config": {},
        "metadata": {
            "sentence": evaluation.sentence,
            "budget": plan.budget,
            "seats": [seat.tool for seat in plan.seats],
        },
    }
    accuracy = 0.0 if arm.whole.accuracy is None else arm.whole.accuracy
    score: Mapping[str, Any] = {
        "name": "match",
        "scorer": "match",
        "params": {},
        "metrics": {"accuracy": {"name": "accuracy", "value": accuracy, "params": {}}},
    }
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": header,
        "plan": {"name": arm.name, "steps": [], "config": {}},
        "results": {
            "total_samples": len(rows),
            "completed_samples": len(rows) - arm.abstained,
            "scores": [score],
        },
        "stats": {"started_at": declared, "completed_at": declared, "model_usage": {}},
        "samples": [_sample(row, arm.name, row.arms[arm.name]) for row in rows],
    }


def _sample(row: EvaluatedRow, name: str, answer: ArmRow) -> Mapping[str, Any]:
    label = answer.label or ""
    return {
        "id": row.row,
        "epoch": 1,
        "input": row.about,
        "target": row.gold,
        "messages": [],
        "output": {
            "model": name,
            "choices": [{"message": {"role": "assistant", "content": label}, "stop_reason": "stop"}],
        },
        "scores": {"match": {"value": "C" if answer.label == row.gold else "I", "answer": label}},
        "metadata": {"row_id": row.row_id, "group": row.group, "run": answer.run, "failure": answer.failure},
    }
