"""A local Solana node: a real SVM behind the cluster's JSON-RPC and WebSocket interface.

Real: signatures, fees, compute budget, rent, the system, lookup-table, SPL Token, Token-2022, associated-token and
memo programs, durable nonces, errors and logs. Simulated: slots, blocks, the window of blockhashes, commitment
levels, the pool, forks and the network behind the node. `docs/devnets.md` lists every known difference.
"""

from baton.devnet.solana.devnet import SolanaDevnet

__all__ = ["SolanaDevnet"]
