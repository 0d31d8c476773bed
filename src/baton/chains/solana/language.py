"""How the Solana family reads requests and writes records."""

from collections.abc import Sequence
from datetime import datetime

from baton.chains.base import Draft
from baton.chains.solana import record as records
from baton.chains.solana import request
from baton.chains.solana.wire import address_of
from baton.domain.curve import Curve
from baton.domain.json import Json
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View


class SolanaLanguage:
    curve = Curve.ED25519

    def address(self, public_key: bytes) -> str:
        return address_of(public_key)

    def parse(self, body: Json, relayer: Relayer, now: datetime) -> Draft:
        return request.parse(body, relayer, now)

    def record(self, view: View, relayer: Relayer) -> dict[str, Json]:  # noqa: ARG002 - the seam gives the relayer
        return records.record(view)

    def check_replacement(self, draft: Draft, attempts: Sequence[Attempt]) -> None:
        """No price of a request displaces anything here: a replacement waits until the old version is dead."""

    def receipt(self, attempt: Attempt) -> dict[str, Json]:
        return dict(attempt.outcome or {})
