"""Policies per family: JSON in a file or a PATCH ⇄ the values of `domain/policy.py`.

One table a family says which key fills which field; the same table writes a policy for the API.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from baton.config.reading import At, Findings, Reader, Reading, amount, flag, integer, list_of, text
from baton.domain.errors import Invalid
from baton.domain.json import Json
from baton.domain.network import Family
from baton.domain.policy import EvmPolicy, Policy, SolanaPolicy, Speed, StellarPolicy

SOLANA_TX_MAX_BYTES = 1232
I64_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a policy as it is written: the field that it fills, and how it is read."""

    field: str
    read: Reader[Any]
    doc: str


@dataclass(frozen=True, slots=True)
class Table:
    make: Callable[..., Policy]
    keys: Mapping[str, Key]
    unserved: Mapping[str, str]  # keys of the peer: what they would have done


def matching(pattern: str, expected: str, fold: Callable[[str], str] = str) -> Reader[str]:
    form = re.compile(rf"(?:{pattern})\Z")

    def read(value: Json, at: At) -> str:
        if not isinstance(value, str) or not form.match(value):
            raise at.wrong(value, expected)
        return fold(value)

    return read


def speed(value: Json, at: At) -> Speed:
    try:
        return Speed(value)
    except ValueError:
        raise at.wrong(value, f"one of {', '.join(Speed)}") from None


def _relayer_pays(value: Json, at: At) -> None:
    """The only strategy we serve is the relayer's; the other is a warning, because it changes who pays."""
    if value not in ("relayer", "user"):
        raise at.wrong(value, "relayer or user")
    if value == "user":
        at.warn("not served by this version: the user would pay the fee in a token; here the relayer pays")


_EVM_ADDRESS = matching(r"0x[0-9a-fA-F]{40}", "0x and 40 hex digits", str.lower)
_SOLANA_KEY = matching(r"[1-9A-HJ-NP-Za-km-z]{32,44}", "a base58 public key")
_STELLAR_ACCOUNT = matching(r"[GM][A-Z2-7]{55,68}", "a Stellar account (G… or M…)")
_STELLAR_CONTRACT = matching(r"C[A-Z2-7]{55}", "a Stellar contract (C…)")
_STELLAR_ASSET = matching(r"native|[A-Za-z0-9]{1,12}:G[A-Z2-7]{55}", "native or CODE:ISSUER")

_SWAPS = "it would swap collected tokens into the native one"
_TOKENS = "it would say which tokens may pay fees; here the relayer pays"
_MARGIN = "it would add a margin to fees paid in tokens; here the relayer pays"

EVM = Table(
    EvmPolicy,
    {
        "min_balance": Key("min_balance", amount, "Wei that must remain after a transaction's greatest cost."),
        "gas_price_cap": Key("gas_price_cap", amount, "The most wei a unit of gas may cost; over it, work waits."),
        "whitelist_receivers": Key("whitelist_receivers", list_of(_EVM_ADDRESS), "The only accounts it sends to."),
        "gas_limit_estimation": Key("gas_limit_estimation", flag, "Estimate gas when a request gives none."),
        "eip1559_pricing": Key("eip1559_pricing", flag, "Use EIP-1559 fees where the network has them."),
        "max_value": Key("max_value", amount, "The most wei that one transaction may send."),
        "max_fee": Key("max_fee", amount, "The most wei that one transaction's gas may cost."),
        "spend_limit_24h": Key("spend_limit_24h", amount, "The most wei, value and fees, in any 24 hours."),
        "default_speed": Key("default_speed", speed, "The speed of requests that name no price."),
        "confirmations": Key("confirmations", integer(1, 10_000), "Blocks until final; absent, the network's."),
        "send_reverting": Key("send_reverting", flag, "Send although the simulation reverts."),
        "bump_explicit_prices": Key("bump_explicit_prices", flag, "Rescue may raise prices that a request gave."),
        "rescue_budget_24h": Key("rescue_budget_24h", amount, "Wei a day for no-ops priced over the cap."),
    },
    {
        "private_transactions": "it would send through a private pool",
        "include_revert_data": "it would add raw revert data to the status reason; Baton decodes the reason",
    },
)

SOLANA = Table(
    SolanaPolicy,
    {
        "min_balance": Key("min_balance", amount, "Lamports that must remain after a transaction's greatest cost."),
        "allowed_programs": Key("allowed_programs", list_of(_SOLANA_KEY), "The only programs that may be called."),
        "disallowed_programs": Key("denied_programs", list_of(_SOLANA_KEY), "Programs that may not be called."),
        "allowed_accounts": Key("allowed_accounts", list_of(_SOLANA_KEY), "The only accounts that may appear."),
        "disallowed_accounts": Key("denied_accounts", list_of(_SOLANA_KEY), "Accounts that may not appear."),
        "max_instructions": Key("max_instructions", integer(1, 255), "Instructions in one transaction."),
        "max_signatures": Key("max_signatures", integer(1, 19), "Signatures in one transaction."),
        "max_tx_data_size": Key("max_tx_data_size", integer(1, SOLANA_TX_MAX_BYTES), "Bytes of one transaction."),
        "max_allowed_fee_lamports": Key("max_allowed_fee_lamports", amount, "The most lamports a fee may cost."),
        "max_lamports": Key("max_lamports", amount, "The most lamports that one transaction may send."),
        "spend_limit_24h": Key("spend_limit_24h", amount, "The most lamports, value and fees, in any 24 hours."),
        "allow_fee_payer_transfers": Key("allow_fee_payer_transfers", flag, "Whether its own lamports may be sent."),
        "default_speed": Key("default_speed", speed, "The speed of requests, which sets the priority fee."),
    },
    {"fee_margin_percentage": _MARGIN, "allowed_tokens": _TOKENS, "swap_config": _SWAPS},
)

STELLAR = Table(
    StellarPolicy,
    {
        "min_balance": Key("min_balance", amount, "Stroops above the reserve that must remain."),
        "max_fee": Key("max_fee", integer(100, I64_MAX), "The most stroops that one transaction's fee may cost."),
        "allowed_operations": Key("allowed_operations", list_of(text), "The only types of operations."),
        "allowed_destinations": Key("allowed_destinations", list_of(_STELLAR_ACCOUNT), "The only receivers."),
        "allowed_assets": Key("allowed_assets", list_of(_STELLAR_ASSET), "The only assets, native or CODE:ISSUER."),
        "allowed_contracts": Key(
            "allowed_contracts",
            list_of(_STELLAR_CONTRACT),
            "The only contracts; with any limit on money, none means none.",
        ),
        "max_amount": Key("max_amount", amount, "The most stroops of one asset that one transaction may move."),
        "spend_limit_24h": Key("spend_limit_24h", amount, "The most stroops, value and fees, in any 24 hours."),
        "channel_accounts": Key("channel_accounts", integer(0, 1000), "Accounts for sending side by side."),
        "default_speed": Key("default_speed", speed, "The speed of requests, which sets the fee."),
    },
    {
        "timeout_seconds": "it would bound a transaction's validity; see valid_until of a request",
        "concurrent_transactions": "it would send side by side; see channel_accounts",
        "allowed_tokens": _TOKENS,
        "slippage_percentage": _SWAPS,
        "fee_margin_percentage": _MARGIN,
        "swap_config": _SWAPS,
    },
)

TABLES: dict[Family, Table] = {Family.EVM: EVM, Family.SOLANA: SOLANA, Family.STELLAR: STELLAR}


def parse_policy(family: Family, value: Json, path: str, findings: Findings) -> Policy:
    """The policy that an object says; each mistake is noted with its path, and what is absent or null has its default."""
    table = TABLES[family]
    at = At(path, findings)
    try:
        reading = Reading(value, at)
    except Invalid as error:
        at.note(error)
        return table.make()
    absent = object()
    found: dict[str, Any] = {}
    for name, key in table.keys.items():
        item = reading.take(name, key.read, absent)
        if item is not absent:
            found[key.field] = item
    if family is not Family.EVM:
        reading.take("fee_payment_strategy", _relayer_pays, None)
    reading.close(table.unserved)
    policy = table.make(**found)
    _check_together(policy, at)
    return policy


def _check_together(policy: Policy, at: At) -> None:
    if isinstance(policy, SolanaPolicy) and policy.allowed_accounts is not None and policy.denied_accounts:
        at.mistake("allowed_accounts and disallowed_accounts", "at most one of the two")


def show_policy(policy: Policy) -> dict[str, Json]:
    """The policy as the API shows it, under the keys that a file or a PATCH uses; limits that are not set are left out."""
    table = next(table for table in TABLES.values() if table.make is type(policy))
    known = {item.name for item in fields(policy)}
    shown: dict[str, Json] = {}
    for name, key in table.keys.items():
        assert key.field in known
        value = getattr(policy, key.field)
        if value is None:
            continue
        shown[name] = list(value) if isinstance(value, tuple) else value.value if isinstance(value, StrEnum) else value
    return shown
