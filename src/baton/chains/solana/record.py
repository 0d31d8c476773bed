"""What a record tells of a Solana transaction beyond what all families tell."""

from baton.chains.record import record_of
from baton.domain.json import Json
from baton.domain.transaction import View


def record(view: View) -> dict[str, Json]:
    content = view.revision.content
    facts = view.attempt.facts if view.attempt is not None else {}
    own = {
        "from": content["fee_payer"],
        "signature": facts.get("signature"),
        "transaction": facts.get("transaction") or content["transaction"],
        "instructions": content["instructions"],
    }
    return record_of(view, own)
