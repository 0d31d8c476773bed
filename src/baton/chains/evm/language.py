"""How the EVM family reads requests and writes records, bound to one network."""

from collections.abc import Sequence
from datetime import datetime

from baton.chains import fields
from baton.chains.base import Draft
from baton.chains.evm import keys, policy, price, request
from baton.chains.evm import record as records
from baton.chains.evm.ask import Ask
from baton.domain.curve import Curve
from baton.domain.errors import Bug
from baton.domain.json import Json
from baton.domain.network import Network
from baton.domain.policy import EvmPolicy
from baton.domain.relayer import Relayer
from baton.domain.transaction import Attempt, View


class EvmLanguage:
    curve = Curve.SECP256K1

    def __init__(self, network: Network) -> None:
        self._chain_id = network.chain_id

    def address(self, public_key: bytes) -> str:
        return keys.address(public_key)

    def parse(self, body: Json, relayer: Relayer, now: datetime) -> Draft:
        if not isinstance(relayer.policy, EvmPolicy):
            message = f"relayer {relayer.id!r} has no EVM policy"
            raise Bug(message)
        ask = request.read(body, self._chain_id)
        policy.check(ask, relayer.policy, relayer.address)
        return Draft(ask.content(), fields.moment(body, "valid_until", now))

    def record(self, view: View, relayer: Relayer) -> dict[str, Json]:
        return records.record(view, relayer)

    def check_replacement(self, draft: Draft, attempts: Sequence[Attempt]) -> None:
        if attempts:
            old = price.dearest([price.of_facts(attempt.facts) for attempt in attempts])
            price.check_replacement(old, Ask.of(draft.content).prices)

    def receipt(self, attempt: Attempt) -> dict[str, Json]:
        return records.receipt(attempt)
