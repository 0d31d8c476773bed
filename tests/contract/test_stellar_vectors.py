"""Frozen vectors of the official JavaScript SDK: hashes, signatures, ids and results that the simulator must agree with.

They keep the simulator from agreeing only with ourselves; `tests/data/make_stellar_vectors.cjs` made them.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from stellar_sdk import Address, xdr

from baton.devnet.stellar import authorization, envelope, host, keys, results, soroban
from baton.devnet.stellar.controls import Controls
from baton.devnet.stellar.ledger import Ledger
from baton.devnet.stellar.operations.base import Told
from baton.devnet.stellar.operations.reserves import new_account
from baton.devnet.stellar.queue import Queue, Status
from baton.devnet.stellar.view import View
from baton.domain.clock import SystemClock

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "stellar_vectors.json").read_text())
PASSPHRASE: str = VECTORS["passphrase"]
THOUSAND_LUMENS = 1000 * 10**7


def named(vectors: list[dict[str, Any]], key: str) -> list[Any]:
    return [pytest.param(one, id=one[key]) for one in vectors]


@pytest.fixture
def ledger() -> Ledger:
    """Three accounts with money, at the sequence that the vectors were made for."""
    made = Ledger(PASSPHRASE, SystemClock(), Controls())
    view = View(made.state)
    for address in VECTORS["accounts"]:
        account = keys.from_address(address)
        view.save_account(new_account(account, THOUSAND_LUMENS, int(VECTORS["sequence_before"])))
    view.commit()
    return made


@pytest.mark.parametrize("vector", named(VECTORS["transactions"], "name"))
def test_a_transaction_is_hashed_accepted_and_answered_as_the_sdk_says(ledger: Ledger, vector: dict[str, Any]) -> None:
    incoming = envelope.parse(vector["envelope"], PASSPHRASE)
    assert incoming.hash.hex() == vector["hash"]
    queue = Queue(ledger.controls)
    answer = queue.offer(incoming, ledger.state, ledger.next_terms())
    if vector["refused"]:
        assert answer.status is Status.ERROR
        assert answer.result is not None
        assert answer.result.to_xdr() == vector["result"]
        return
    assert answer.status is Status.PENDING
    (landed,) = ledger.close(queue.choose()).landed
    assert landed.result_xdr == vector["result"]
    assert landed.envelope_xdr == vector["envelope"]


@pytest.mark.parametrize("vector", named(VECTORS["memos"], "kind"))
def test_every_memo_kind_is_part_of_what_is_signed(ledger: Ledger, vector: dict[str, Any]) -> None:
    incoming = envelope.parse(vector["envelope"], PASSPHRASE)
    assert incoming.hash.hex() == vector["hash"]
    assert Queue(ledger.controls).offer(incoming, ledger.state, ledger.next_terms()).status is Status.PENDING


def test_a_fee_bump_has_two_hashes_and_a_nested_result(ledger: Ledger) -> None:
    vector = VECTORS["fee_bump"]
    incoming = envelope.parse(vector["envelope"], PASSPHRASE)
    assert (incoming.hash.hex(), incoming.inner_hash.hex()) == (vector["hash"], vector["inner_hash"])
    queue = Queue(ledger.controls)
    assert queue.offer(incoming, ledger.state, ledger.next_terms()).status is Status.PENDING
    (landed,) = ledger.close(queue.choose()).landed
    assert landed.result_xdr == vector["result"]


@pytest.mark.parametrize("vector", named(VECTORS["refusals"], "code"))
def test_a_refusals_result_is_the_sdks_to_the_byte(vector: dict[str, Any]) -> None:
    # txTooEarly in JavaScript is txTOO_EARLY in Python; told apart by letters alone.
    (code,) = [code for code in results.Code if code.name.replace("_", "").lower() == vector["code"].lower()]
    assert results.own(code).to_xdr() == vector["result"]


def test_the_root_account_follows_from_the_passphrase(ledger: Ledger) -> None:
    assert ledger.root.public_key == VECTORS["root"]


@pytest.mark.parametrize("vector", VECTORS["contracts"])
def test_an_assets_contract_has_the_address_the_sdk_gives_it(vector: dict[str, str]) -> None:
    asset = xdr.Asset.from_xdr(vector["asset"])
    kind = xdr.ContractIDPreimageType.CONTRACT_ID_PREIMAGE_FROM_ASSET
    network_id = Ledger(vector["network"], SystemClock(), Controls()).network_id
    contract = soroban.contract_address(network_id, xdr.ContractIDPreimage(kind, from_asset=asset))
    assert Address.from_xdr_sc_address(contract).address == vector["contract"]


def test_the_native_assets_contract_lies_where_the_sdk_looks_for_it(ledger: Ledger) -> None:
    assert ledger.state.load(xdr.LedgerKey.from_xdr(VECTORS["instance_key"])) is not None


def test_an_authorisation_signed_by_the_sdk_is_enough_and_serves_once(ledger: Ledger) -> None:
    entry = xdr.SorobanAuthorizationEntry.from_xdr(VECTORS["authorization"]["entry"])
    call = entry.root_invocation.function.contract_fn
    assert call is not None
    source = keys.from_address(VECTORS["source"])
    view = View(ledger.state)
    function = xdr.HostFunction(xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT, invoke_contract=call)

    def run() -> None:
        allowed = authorization.enforcer(view, source, ledger.network_id, [entry])
        soroban.run(host.Call(view, source, ledger.network_id, allowed, Told()), function)

    run()
    signer = view.account(keys.from_address(VECTORS["authorization"]["signer"]))
    assert signer is not None
    assert signer.balance.int64 == THOUSAND_LUMENS - 7
    with pytest.raises(host.HostError, match="nonce"):
        run()


def test_a_tampered_authorisation_is_refused(ledger: Ledger) -> None:
    entry = xdr.SorobanAuthorizationEntry.from_xdr(VECTORS["authorization"]["entry"])
    call = entry.root_invocation.function.contract_fn
    assert call is not None
    call.args[2] = xdr.SCVal(xdr.SCValType.SCV_I128, i128=xdr.Int128Parts(xdr.Int64(0), xdr.Uint64(700)))
    view = View(ledger.state)
    source = keys.from_address(VECTORS["source"])
    allowed = authorization.enforcer(view, source, ledger.network_id, [entry])
    function = xdr.HostFunction(xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT, invoke_contract=call)
    with pytest.raises(host.HostError, match="ED25519"):
        soroban.run(host.Call(view, source, ledger.network_id, allowed, Told()), function)
