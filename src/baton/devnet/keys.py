"""The keys of the local chains' relayers.

They are PUBLIC: anyone who has this file has them. They must never hold anything of value on a real network.
They are fixed, so that the addresses in the documents and in a newcomer's notes stay true.
"""

from hashlib import sha256

# The first of the accounts that every anvil funds at its start.
EVM_RELAYER_KEY = bytes.fromhex("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")


def development_seed(name: str) -> bytes:
    """An ed25519 seed of 32 bytes that is the same on every machine."""
    return sha256(f"baton development key, public and worthless: {name}".encode()).digest()


SOLANA_RELAYER_SEED = development_seed("solana-local")
STELLAR_RELAYER_SEED = development_seed("stellar-local")
