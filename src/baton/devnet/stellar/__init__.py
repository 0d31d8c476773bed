"""A Stellar RPC ledger simulator on official XDR, for local runs and tests.

    server ─▶ methods ─▶ queue ─▶ ledger ─▶ landing ─▶ operations ─▶ view (LedgerEntry XDR)
                 │          └── validity, signatures
                 └▶ simulation ─▶ soroban ─▶ asset_contract, authorization

It is a simulator: no stellar-core, no consensus, no Wasm. What it leaves out is listed in `docs/devnets.md`.
"""

from baton.devnet.stellar.server import StellarDevnet

__all__ = ["StellarDevnet"]
