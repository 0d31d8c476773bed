"""A transaction beyond its record: by nonce, its attempts, its receipt, and why it is not final yet."""

import re

from baton.api.envelope import Answer, success
from baton.api.request import Request
from baton.api.routing import Route
from baton.api.transactions import LIST, ONE
from baton.chains.fields import found
from baton.chains.schema import AMOUNT_TEXT, MOMENT, RECORD, TEXT, maybe, part
from baton.commands import look
from baton.commands.context import Context
from baton.commands.look import Explanation, Receipt
from baton.domain.clock import to_text
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.transaction import Attempt, AttemptKind, Fate

BY_NONCE = LIST + "/by-nonce/{nonce}"
ATTEMPTS = ONE + "/attempts"
RECEIPT = ONE + "/receipt"
EXPLAIN = ONE + "/explain"

_NUMBER = re.compile(r"[0-9]{1,40}")


class Look:
    def __init__(self, context: Context) -> None:
        self._context = context

    def routes(self) -> list[Route]:
        return [
            Route("GET", BY_NONCE, self.by_nonce, is_limited=True),
            Route("GET", ATTEMPTS, self.attempts, is_limited=True),
            Route("GET", RECEIPT, self.receipt, is_limited=True),
            Route("GET", EXPLAIN, self.explain, is_limited=True),
        ]

    async def by_nonce(self, request: Request) -> Answer:
        relayer_id, text = request.ids
        self._context.relayers.get(relayer_id)  # an unknown relayer comes before a wrong nonce
        if not _NUMBER.fullmatch(text):
            raise Invalid("nonce", found(text), "an integer from 0 up")
        return success((await look.by_nonce(self._context, relayer_id, int(text))).record())

    async def attempts(self, request: Request) -> Answer:
        seen = await look.attempts(self._context, *request.ids)
        return success([attempt_record(attempt) for attempt in seen.attempts])

    async def receipt(self, request: Request) -> Answer:
        return success(receipt_record(await look.receipt(self._context, *request.ids)))

    async def explain(self, request: Request) -> Answer:
        return success(explanation_record(await look.explain(self._context, *request.ids)))


def attempt_record(attempt: Attempt) -> dict[str, Json]:
    """The family's facts (fees, limits, signature) under their own names, beside what every family has."""
    facts: dict[str, Json] = attempt.facts
    return facts | {
        "id": attempt.id,
        "kind": str(attempt.kind),
        "revision": attempt.revision,
        "hash": attempt.hash,
        "nonce": None if attempt.slot is None else attempt.slot.number,
        "max_cost": str(attempt.max_cost),
        "created_at": to_text(attempt.created_at),
        "accepted_at": None if attempt.accepted_at is None else to_text(attempt.accepted_at),
        "fate": str(attempt.fate),
        "block_number": None if attempt.block is None else attempt.block.number,
        "block_hash": None if attempt.block is None else attempt.block.hash,
    }


def receipt_record(receipt: Receipt) -> dict[str, Json]:
    attempt, state = receipt.attempt, receipt.seen.view.state
    block = attempt.block
    return receipt.outcome | {
        "transaction_id": attempt.transaction_id,
        "hash": attempt.hash,
        "kind": str(attempt.kind),
        "has_succeeded": attempt.fate is Fate.INCLUDED,
        "is_final": state.status.is_final,
        "block_number": None if block is None else block.number,
        "block_hash": None if block is None else block.hash,
        "logs": receipt.logs,
    }


def explanation_record(explanation: Explanation) -> dict[str, Json]:
    seen, sight = explanation.seen, explanation.sight
    state = seen.view.state
    offers = {} if sight is None else {offer.attempt_id: offer for offer in sight.offers}
    attempts = []
    for attempt in seen.attempts:
        offer = offers.get(attempt.id)
        now = (
            {"shortfall": None, "nodes": None}
            if offer is None
            else {"shortfall": offer.shortfall, "nodes": offer.nodes}
        )
        attempts.append(attempt_record(attempt) | now)
    final = f"it is final: {state.status}" + (f", {state.reason}" if state.reason else "")
    return {
        "transaction_id": seen.view.id,
        "status": str(state.status),
        "status_reason": state.reason,
        "why": final if sight is None else sight.why,
        "next_action": None if sight is None else sight.next_action,
        "lane": None if sight is None else sight.lane,
        "funds": None if sight is None else sight.funds,
        "cap": None if sight is None else sight.cap,
        "market": None if sight is None else sight.market,
        "attempts": attempts,
        "trouble": None if sight is None else sight.trouble,
    }


_COUNT = {"type": "integer", "minimum": 0}
_ATTEMPT: dict[str, Json] = {
    "id": TEXT,
    "kind": {"type": "string", "enum": [str(kind) for kind in AttemptKind]},
    "revision": maybe(_COUNT),
    "hash": TEXT,
    "nonce": maybe({**_COUNT, "description": "of its slot; null where accounts have none"}),
    "max_cost": AMOUNT_TEXT,
    "created_at": MOMENT,
    "accepted_at": maybe({**MOMENT, "description": "when a node first took it"}),
    "fate": {
        "type": "string",
        "enum": [str(fate) for fate in Fate],
        "description": "open could still land; lapsed and rejected never can",
    },
    "block_number": maybe(_COUNT),
    "block_hash": maybe(TEXT),
}
_NOW: dict[str, Json] = {
    "shortfall": maybe({**TEXT, "description": "why its offer is too low now; null if it is enough"}),
    "nodes": maybe(
        {
            "type": "object",
            "additionalProperties": {"type": "boolean"},
            "description": "node → whether it knows the hash; null when none answered",
        }
    ),
}
_RECEIPT: dict[str, Json] = {
    "transaction_id": TEXT,
    "hash": TEXT,
    "kind": {**_ATTEMPT["kind"], "description": "noop: a cancel or an expiry is what landed"},
    "has_succeeded": {"type": "boolean"},
    "is_final": {"type": "boolean", "description": "deep enough: it cannot change any more"},
    "block_number": maybe(_COUNT),
    "block_hash": maybe(TEXT),
    "logs": maybe({"type": "array", "description": "as a node tells them now; null when none does"}),
}
_EXPLANATION: dict[str, Json] = {
    "transaction_id": TEXT,
    "status": RECORD["status"],
    "status_reason": RECORD["status_reason"],
    "why": {**TEXT, "description": "why it is not final yet, in one sentence"},
    "next_action": maybe(part("NextAction")),
    "lane": maybe(part("LaneNow")),
    "funds": maybe(part("Funds")),
    "cap": maybe({**AMOUNT_TEXT, "description": "the most that the relayer's policy lets it offer"}),
    "market": {"description": "what the network asks now, as the family tells it"},
    "attempts": {"type": "array", "items": part("ExplainedAttempt")},
    "trouble": maybe({**TEXT, "description": "why parts are missing"}),
}


def _object(description: str, properties: dict[str, Json]) -> Json:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
    }


SCHEMAS: dict[str, Json] = {
    "Attempt": _object("One signed version, with its fees, limits and signature as the family names them.", _ATTEMPT),
    "ExplainedAttempt": _object("An attempt against the market of this moment.", _ATTEMPT | _NOW),
    "Receipt": _object("What landed, with what the family keeps of it (EVM: gas used, fee paid, contract).", _RECEIPT),
    "Explanation": _object("Why a transaction is not final yet, and what happens next.", _EXPLANATION),
}
