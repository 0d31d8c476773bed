"""The command `baton`. One file for each group of commands; this one puts them together and says what went wrong.

serve.py   serve · migrate         dev.py    dev · devnet
config.py  check-config            keys.py   keys new · import · show-address
listen.py  listen
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from baton import __version__
from baton.cli.config import check_config
from baton.cli.dev import dev, devnet
from baton.cli.keys import keys
from baton.cli.listen import listen
from baton.cli.serve import migrate, serve
from baton.domain.errors import BatonError, Misconfigured

app = typer.Typer(
    name="baton",
    help="Carries blockchain transactions (EVM, Solana, Stellar) until they are final.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (serve, dev, devnet, listen, migrate):
    app.command()(command)
app.command("check-config")(check_config)
app.add_typer(keys, name="keys")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"baton {__version__}")
        raise typer.Exit


@app.callback()
def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command. What a person can mend is said in lines; a traceback means a bug of ours."""
    try:
        app(args=None if arguments is None else list(arguments))
    except Misconfigured as error:
        typer.echo(f"baton: {_count(len(error.mistakes))}", err=True)
        for mistake in error.mistakes:
            typer.echo(f"  {mistake}", err=True)
        raise SystemExit(1) from None
    except BatonError as error:
        typer.echo(f"baton: {error}", err=True)
        raise SystemExit(1) from None


def _count(number: int) -> str:
    return "1 mistake" if number == 1 else f"{number} mistakes"
