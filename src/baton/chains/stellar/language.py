"""How the Stellar family reads requests and writes records."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from baton.chains.base import Draft
from baton.chains.stellar import record as records
from baton.chains.stellar import request
from baton.chains.stellar.wire import address_of
from baton.domain.curve import Curve
from baton.domain.errors import Bug
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View


class StellarLanguage:
    """Knows the Stellar networks by name: a request names its network, and XDR is read under a passphrase."""

    curve = Curve.ED25519

    def __init__(self, networks: Mapping[str, Network]) -> None:
        self._networks = networks

    def address(self, public_key: bytes) -> str:
        return address_of(public_key)

    def parse(self, body: Json, relayer: Relayer, now: datetime) -> Draft:
        network = self._networks.get(relayer.network)
        if network is None:
            raise Bug(f"relayer {relayer.id!r} is on a network that nobody configured: {relayer.network!r}")
        return request.parse(body, relayer, network, now)

    def record(self, view: View, relayer: Relayer) -> dict[str, Json]:  # noqa: ARG002 - the seam gives the relayer
        return records.record(view)

    def check_replacement(self, draft: Draft, attempts: Sequence[Attempt]) -> None:
        """No price of a request displaces anything here: a replacement waits until the old version is dead."""

    def receipt(self, attempt: Attempt) -> dict[str, Json]:
        return dict(attempt.outcome or {})
