"""What a record tells of a Stellar transaction beyond what all families tell."""

from baton.chains.record import record_of
from baton.domain.json import Json
from baton.domain.transaction import View


def record(view: View) -> dict[str, Json]:
    content, attempt = view.revision.content, view.attempt
    facts = attempt.facts if attempt is not None else {}
    outcome = (attempt.outcome if attempt is not None else None) or {}
    own = {
        "from": content["source_account"],
        "source_account": facts.get("source_account") or content["source_account"],
        "sequence_number": facts.get("sequence_number"),
        "fee": facts.get("fee"),
        "memo": content["memo"],
        "operations": content["operations"],
        "transaction_xdr": facts.get("transaction_xdr") or content["transaction_xdr"],
        "transaction_result_xdr": outcome.get("transaction_result_xdr"),
    }
    return record_of(view, own)
