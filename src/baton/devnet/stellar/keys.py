"""Where a thing lies in the ledger: account ids, assets and the `LedgerKey` of every entry kind the simulator holds."""

import hashlib

from stellar_sdk import Address, Keypair, StrKey, scval, xdr

AnyAsset = xdr.Asset | xdr.ChangeTrustAsset | xdr.TrustLineAsset


def account_id(account: xdr.MuxedAccount | xdr.AccountID) -> xdr.AccountID:
    """The account itself: a muxed id is only a label on it."""
    if isinstance(account, xdr.AccountID):
        return account
    key = account.med25519.ed25519 if account.med25519 is not None else account.ed25519
    return xdr.AccountID(xdr.PublicKey(xdr.PublicKeyType.PUBLIC_KEY_TYPE_ED25519, key))


def raw(account: xdr.AccountID) -> bytes:
    """The 32 bytes of an account's public key."""
    key = account.account_id.ed25519
    assert key is not None
    return key.uint256


def from_raw(public_key: bytes) -> xdr.AccountID:
    return Keypair.from_raw_ed25519_public_key(public_key).xdr_account_id()


def from_address(address: str) -> xdr.AccountID:
    return Keypair.from_public_key(address).xdr_account_id()


def to_address(account: xdr.AccountID) -> str:
    return StrKey.encode_ed25519_public_key(raw(account))


def is_native(asset: AnyAsset) -> bool:
    return asset.type == xdr.AssetType.ASSET_TYPE_NATIVE


def issuer_of(asset: AnyAsset) -> xdr.AccountID:
    coded = asset.alpha_num4 or asset.alpha_num12
    assert coded is not None
    return coded.issuer


def is_issuer(account: xdr.AccountID, asset: AnyAsset) -> bool:
    return not is_native(asset) and raw(issuer_of(asset)) == raw(account)


def plain_asset(asset: AnyAsset) -> xdr.Asset:
    return xdr.Asset(asset.type, alpha_num4=asset.alpha_num4, alpha_num12=asset.alpha_num12)


def asset_text(asset: AnyAsset) -> str:
    """As the asset contract names it: `native` or `CODE:ISSUER`."""
    if is_native(asset):
        return "native"
    return f"{asset_code(asset)}:{to_address(issuer_of(asset))}"


def asset_code(asset: AnyAsset) -> str:
    code = asset.alpha_num4.asset_code.asset_code4 if asset.alpha_num4 else None
    if asset.alpha_num12:
        code = asset.alpha_num12.asset_code.asset_code12
    return (code or b"native").rstrip(b"\0").decode()


def for_account(account: xdr.AccountID) -> xdr.LedgerKey:
    return xdr.LedgerKey(xdr.LedgerEntryType.ACCOUNT, account=xdr.LedgerKeyAccount(account))


def for_trust_line(account: xdr.AccountID, asset: AnyAsset) -> xdr.LedgerKey:
    line = xdr.TrustLineAsset(asset.type, alpha_num4=asset.alpha_num4, alpha_num12=asset.alpha_num12)
    return xdr.LedgerKey(xdr.LedgerEntryType.TRUSTLINE, trust_line=xdr.LedgerKeyTrustLine(account, line))


def for_data(account: xdr.AccountID, name: xdr.String64) -> xdr.LedgerKey:
    return xdr.LedgerKey(xdr.LedgerEntryType.DATA, data=xdr.LedgerKeyData(account, name))


def for_offer(seller: xdr.AccountID, offer_id: int) -> xdr.LedgerKey:
    return xdr.LedgerKey(xdr.LedgerEntryType.OFFER, offer=xdr.LedgerKeyOffer(seller, xdr.Int64(offer_id)))


def for_claimable_balance(balance_id: xdr.ClaimableBalanceID) -> xdr.LedgerKey:
    key = xdr.LedgerKeyClaimableBalance(balance_id)
    return xdr.LedgerKey(xdr.LedgerEntryType.CLAIMABLE_BALANCE, claimable_balance=key)


def for_code(wasm_hash: bytes) -> xdr.LedgerKey:
    return xdr.LedgerKey(
        xdr.LedgerEntryType.CONTRACT_CODE, contract_code=xdr.LedgerKeyContractCode(xdr.Hash(wasm_hash))
    )


def for_instance(contract: xdr.SCAddress) -> xdr.LedgerKey:
    return contract_data(contract, xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_CONTRACT_INSTANCE))


def for_contract_balance(token: xdr.SCAddress, holder: xdr.SCAddress) -> xdr.LedgerKey:
    """Where the asset contract keeps what another contract holds (an account's balance is its own entry)."""
    owner = scval.to_address(Address.from_xdr_sc_address(holder))
    return contract_data(token, scval.to_vec([scval.to_symbol("Balance"), owner]))


def for_nonce(address: xdr.SCAddress, nonce: int) -> xdr.LedgerKey:
    value = xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_NONCE, nonce_key=xdr.SCNonceKey(xdr.Int64(nonce)))
    return contract_data(address, value, xdr.ContractDataDurability.TEMPORARY)


def contract_data(
    contract: xdr.SCAddress,
    key: xdr.SCVal,
    durability: xdr.ContractDataDurability = xdr.ContractDataDurability.PERSISTENT,
) -> xdr.LedgerKey:
    data = xdr.LedgerKeyContractData(contract, key, durability)
    return xdr.LedgerKey(xdr.LedgerEntryType.CONTRACT_DATA, contract_data=data)


def for_ttl(key: xdr.LedgerKey) -> xdr.LedgerKey:
    digest = hashlib.sha256(key.to_xdr_bytes()).digest()
    return xdr.LedgerKey(xdr.LedgerEntryType.TTL, ttl=xdr.LedgerKeyTtl(xdr.Hash(digest)))


def kind(key: bytes) -> xdr.LedgerEntryType:
    """The entry kind of a key given as XDR bytes: its first word."""
    return xdr.LedgerEntryType(int.from_bytes(key[:4], "big"))
