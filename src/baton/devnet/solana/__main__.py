"""`python -m baton.devnet.solana --port 8899 [--slot-ms 400] [--fund ADDRESS] [--manual]`."""

import argparse
import asyncio
import signal
import sys

from baton.devnet.solana.devnet import SolanaDevnet

FUNDING_LAMPORTS = 1000 * 10**9


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m baton.devnet.solana", description=__doc__)
    parser.add_argument("--port", type=int, default=8899, help="HTTP and WebSocket; WebSocket also at the next one")
    parser.add_argument("--slot-ms", type=int, default=400, help="time from block to block")
    parser.add_argument("--fund", action="append", default=[], metavar="ADDRESS", help="an account with 1000 SOL")
    parser.add_argument("--manual", action="store_true", help="blocks only by devnet_mine")
    chosen = parser.parse_args()
    asyncio.run(_run(chosen))


async def _run(chosen: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    devnet = SolanaDevnet()
    for address in chosen.fund:
        devnet.airdrop(address, FUNDING_LAMPORTS)
    await devnet.start(chosen.port, chosen.slot_ms, manual=chosen.manual)
    sys.stdout.write(f"Solana devnet at {devnet.url} and {devnet.ws_url}, genesis {devnet.genesis_hash}\n")
    sys.stdout.flush()
    try:
        await stop.wait()
    finally:
        await devnet.stop()


if __name__ == "__main__":
    main()
