"""Request bodies that are accepted, one for each family, and a helper to bend them."""

from typing import Any

from tests.house import SOLANA_ADDRESS

TO = "0x" + "11" * 20
DESTINATION = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"

EVM_BODY: dict[str, Any] = {"value": 5, "to": TO}
SOLANA_BODY: dict[str, Any] = {
    "instructions": [
        {
            "program_id": "11111111111111111111111111111111",
            "accounts": [
                {"pubkey": SOLANA_ADDRESS, "is_signer": True, "is_writable": True},
                {"pubkey": "SysvarC1ock11111111111111111111111111111111", "is_signer": False, "is_writable": True},
            ],
            "data": "AgAAAAEAAAAAAAAA",
        }
    ]
}
PAYMENT: dict[str, Any] = {
    "type": "payment",
    "destination": DESTINATION,
    "asset": {"type": "native"},
    "amount": "10000000",
}
STELLAR_BODY: dict[str, Any] = {"network": "testnet", "operations": [PAYMENT]}

BODIES = {"evm-local": EVM_BODY, "solana-local": SOLANA_BODY, "stellar-local": STELLAR_BODY}
RELAYERS = list(BODIES)


def path_of(relayer_id: str, transaction_id: str = "") -> str:
    return f"/api/v1/relayers/{relayer_id}/transactions" + (f"/{transaction_id}" if transaction_id else "")
