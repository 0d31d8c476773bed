"""`make bench`: every part, or those named: `python -m bench accept pages evm`. `--seconds` scales the load."""

import argparse
import asyncio
import tempfile
from pathlib import Path

import uvloop

PARTS = ("accept", "pages", "evm", "solana", "stellar", "webhooks")


async def run(parts: list[str], seconds: float) -> None:
    from bench import accept, evm, pages, solana, stellar, webhooks

    with tempfile.TemporaryDirectory(prefix="baton-bench-") as name:
        folder = Path(name)
        if "accept" in parts:
            await accept.run(folder / "accept", min(seconds, 10.0))
        if "pages" in parts:
            await pages.run(folder / "pages")
        if "evm" in parts:
            await evm.run(folder / "evm", seconds)
        if "solana" in parts:
            await solana.run(folder / "solana", seconds)
        if "stellar" in parts:
            await stellar.run(folder / "stellar", min(seconds, 30.0))
        if "webhooks" in parts:
            await webhooks.run(folder / "webhooks")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measures Baton on this machine.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="length of each sustained load")
    chosen = parser.parse_args()
    unknown = set(chosen.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}; expected some of {', '.join(PARTS)}")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(list(chosen.parts) or list(PARTS), chosen.seconds))


if __name__ == "__main__":
    main()
