"""`python -m baton.devnet.stellar --port 8000`: run the simulator until interrupted."""

import argparse
import asyncio
import contextlib
import sys

from stellar_sdk import Network

from baton.devnet.stellar import StellarDevnet
from baton.devnet.stellar.funding import FRIENDBOT_STROOPS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m baton.devnet.stellar", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="0 picks a free one")
    parser.add_argument("--close-ms", type=int, default=1000, help="milliseconds from ledger to ledger")
    parser.add_argument("--manual", action="store_true", help="close ledgers only by devnet_close")
    parser.add_argument(
        "--fund", action="append", default=[], metavar="ADDRESS", help="gets 10,000 lumens at the start"
    )
    parser.add_argument("--passphrase", default=Network.STANDALONE_NETWORK_PASSPHRASE)
    asked = parser.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(asked))


async def _serve(asked: argparse.Namespace) -> None:
    devnet = await StellarDevnet(asked.passphrase).start(asked.port, asked.close_ms, asked.manual)
    for address in asked.fund:
        await devnet.fund(address, FRIENDBOT_STROOPS)
    sys.stdout.write(
        f"Stellar simulator (not a real node) at {devnet.url}, passphrase {devnet.passphrase!r}, run {devnet.run_id}\n"
    )
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await devnet.stop()


if __name__ == "__main__":
    main()
