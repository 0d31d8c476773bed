"""From what was asked to what is signed, once nonce, gas limit and price are known."""

from baton.chains.evm.ask import GAS_CALL, Ask
from baton.chains.evm.price import Legacy, Price
from baton.chains.evm.wire import Envelope
from baton.domain.errors import Bug


def envelope(ask: Ask, chain_id: int, nonce: int, gas_limit: int, price: Price) -> Envelope:
    if ask.authorizations and isinstance(price, Legacy):
        raise Bug("a transaction with authorizations needs a price of two limits")
    return Envelope(
        chain_id=chain_id,
        nonce=nonce,
        gas_limit=gas_limit,
        to=ask.to_bytes,
        value=ask.value,
        data=ask.data_bytes,
        access_list=ask.access_list or None,
        authorizations=ask.authorizations,
        **price.fields,
    )


def noop(own_address: str, chain_id: int, nonce: int, price: Price, gas_limit: int = GAS_CALL) -> Envelope:
    """Uses up a slot and nothing else: no value, no data, to ourselves. Some rollups want more gas than a plain call."""
    return envelope(Ask(0, own_address), chain_id, nonce, gas_limit, price)
