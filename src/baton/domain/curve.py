"""The two curves that the three families sign with."""

from enum import StrEnum


class Curve(StrEnum):
    SECP256K1 = "secp256k1"
    ED25519 = "ed25519"
