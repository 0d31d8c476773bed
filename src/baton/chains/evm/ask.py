"""What a client asked for, typed: the family's view of a revision's content.

The content is JSON: amounts are decimal text (they outgrow 64 bits), `to` and `data` stay as the client wrote them.
Only what was given is there, so that equal requests have equal content whatever the relayer's defaults are today.
"""

from msgspec import Struct

from baton.chains.evm.wire import AccessList, Authorization
from baton.domain.json import Json
from baton.domain.policy import Speed

GAS_CALL = 21_000
GAS_CREATE = 53_000
GAS_ZERO_BYTE, GAS_OTHER_BYTE = 4, 16
GAS_INITCODE_WORD = 2  # EIP-3860
GAS_ACCESS_ADDRESS, GAS_ACCESS_KEY = 2_400, 1_900  # EIP-2930
GAS_AUTHORIZATION = 25_000  # EIP-7702, PER_EMPTY_ACCOUNT_COST


class Ask(Struct, frozen=True):
    value: int
    to: str | None = None  # None: contract creation
    data: str | None = None
    gas_limit: int | None = None  # None: estimated
    gas_price: int | None = None
    max_fee_per_gas: int | None = None
    max_priority_fee_per_gas: int | None = None
    speed: Speed | None = None
    access_list: AccessList = ()
    authorizations: tuple[Authorization, ...] = ()

    @property
    def to_bytes(self) -> bytes | None:
        return None if self.to is None else bytes.fromhex(self.to[2:])

    @property
    def data_bytes(self) -> bytes:
        return b"" if self.data is None else bytes.fromhex(self.data[2:])

    @property
    def prices(self) -> dict[str, int]:
        """The prices that the client named, by their request names."""
        named = {
            "gas_price": self.gas_price,
            "max_fee_per_gas": self.max_fee_per_gas,
            "max_priority_fee_per_gas": self.max_priority_fee_per_gas,
        }
        return {name: price for name, price in named.items() if price is not None}

    @property
    def intrinsic_gas(self) -> int:
        """What the transaction costs before its first instruction: no chain takes a lower limit."""
        data = self.data_bytes
        zeros = data.count(0)
        gas = GAS_ZERO_BYTE * zeros + GAS_OTHER_BYTE * (len(data) - zeros)
        gas += GAS_CALL if self.to is not None else GAS_CREATE + GAS_INITCODE_WORD * ((len(data) + 31) // 32)
        gas += sum(GAS_ACCESS_ADDRESS + GAS_ACCESS_KEY * len(slots) for _, slots in self.access_list)
        return gas + GAS_AUTHORIZATION * len(self.authorizations)

    def content(self) -> dict[str, Json]:
        given: dict[str, Json] = {
            "value": str(self.value),
            "to": self.to,
            "data": self.data,
            "gas_limit": self.gas_limit,
            "speed": None if self.speed is None else self.speed.value,
            "access_list": _access_content(self.access_list) or None,
            "authorization_list": [_authorization_content(one) for one in self.authorizations] or None,
        }
        given |= {name: str(price) for name, price in self.prices.items()}
        return {key: value for key, value in given.items() if value is not None}

    @classmethod
    def of(cls, content: Json) -> "Ask":
        """From a stored content: what `content` wrote, trusted."""
        return cls(
            value=int(content["value"]),
            to=content.get("to"),
            data=content.get("data"),
            gas_limit=content.get("gas_limit"),
            gas_price=_amount(content, "gas_price"),
            max_fee_per_gas=_amount(content, "max_fee_per_gas"),
            max_priority_fee_per_gas=_amount(content, "max_priority_fee_per_gas"),
            speed=Speed(content["speed"]) if "speed" in content else None,
            access_list=tuple(_access_of(entry) for entry in content.get("access_list", ())),
            authorizations=tuple(_authorization_of(entry) for entry in content.get("authorization_list", ())),
        )


def _amount(content: Json, key: str) -> int | None:
    return int(content[key]) if key in content else None


def _access_content(entries: AccessList) -> list[Json]:
    return [
        {"address": "0x" + address.hex(), "storage_keys": ["0x" + key.hex() for key in keys]}
        for address, keys in entries
    ]


def _access_of(entry: Json) -> tuple[bytes, tuple[bytes, ...]]:
    keys = tuple(bytes.fromhex(key[2:]) for key in entry["storage_keys"])
    return bytes.fromhex(entry["address"][2:]), keys


def _authorization_content(one: Authorization) -> dict[str, Json]:
    return {
        "chain_id": str(one.chain_id),
        "address": "0x" + one.address.hex(),
        "nonce": str(one.nonce),
        "y_parity": one.y_parity,
        "r": str(one.r),
        "s": str(one.s),
    }


def _authorization_of(entry: Json) -> Authorization:
    return Authorization(
        chain_id=int(entry["chain_id"]),
        address=bytes.fromhex(entry["address"][2:]),
        nonce=int(entry["nonce"]),
        y_parity=entry["y_parity"],
        r=int(entry["r"]),
        s=int(entry["s"]),
    )
