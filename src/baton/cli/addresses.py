"""Which account a key controls, for each family; chains are imported only when an address is asked for."""

from baton.domain.curve import Curve
from baton.domain.network import Family


def curve_of(family: Family) -> Curve:
    return Curve.SECP256K1 if family is Family.EVM else Curve.ED25519


def address_of(family: Family, public_key: bytes) -> str:
    match family:
        case Family.EVM:
            from baton.chains.evm.keys import address, checksummed

            return checksummed(address(public_key))
        case Family.SOLANA:
            from baton.chains.solana.wire import address_of as solana_address

            return solana_address(public_key)
        case Family.STELLAR:
            from baton.chains.stellar.wire import address_of as stellar_address

            return stellar_address(public_key)
