"""The ledger's entries as real `LedgerEntry` XDR, with write overlays.

A `View` on another one reads through to it and keeps its writes until `commit`. So an operation is an overlay on its
transaction, a transaction one on the ledger, and whatever fails is simply forgotten.
"""

from collections.abc import Iterator

from stellar_sdk import xdr

from baton.devnet.stellar import keys


class View:
    def __init__(self, parent: "View | None" = None) -> None:
        self.parent = parent
        self.written: dict[bytes, bytes | None] = {}
        self.read: set[bytes] = set()
        self.sequence: int = parent.sequence if parent else 0

    def raw(self, key: bytes) -> bytes | None:
        if self.parent is None:
            return self.written.get(key)
        self.read.add(key)
        return self.written[key] if key in self.written else self.parent.raw(key)

    def load(self, key: xdr.LedgerKey) -> xdr.LedgerEntry | None:
        found = self.raw(key.to_xdr_bytes())
        return xdr.LedgerEntry.from_xdr_bytes(found) if found else None

    def save(self, key: xdr.LedgerKey, data: xdr.LedgerEntryData, sponsor: bytes | None = None) -> None:
        """Write an entry; an existing one keeps its sponsor unless another is named."""
        old = self.load(key)
        ext = old.ext if old is not None and sponsor is None else _sponsored_by(sponsor)
        self.written[key.to_xdr_bytes()] = xdr.LedgerEntry(xdr.Uint32(self.sequence), data, ext).to_xdr_bytes()

    def remove(self, key: xdr.LedgerKey) -> None:
        self.written[key.to_xdr_bytes()] = None

    def commit(self) -> None:
        assert self.parent is not None
        self.parent.written.update(self.written)
        if self.parent.parent is not None:
            self.parent.read |= self.read
            return
        for key in [key for key, entry in self.written.items() if entry is None]:
            del self.parent.written[key]

    def scan(self, kind: xdr.LedgerEntryType) -> Iterator[xdr.LedgerEntry]:
        """Every live entry of one kind: the whole state is walked, which a devnet can afford."""
        merged: dict[bytes, bytes | None] = {}
        layers: list[View] = []
        layer: View | None = self
        while layer is not None:
            layers.append(layer)
            layer = layer.parent
        for layer in reversed(layers):
            merged.update({key: entry for key, entry in layer.written.items() if keys.kind(key) == kind})
        return (xdr.LedgerEntry.from_xdr_bytes(entry) for entry in merged.values() if entry)

    def changes(self) -> list[xdr.LedgerEntryChange]:
        """What this overlay did to its parent, in the form a transaction's meta tells it."""
        assert self.parent is not None
        told: list[xdr.LedgerEntryChange] = []
        kinds = xdr.LedgerEntryChangeType
        for key, entry in self.written.items():
            before = self.parent.raw(key)
            if before:
                state = xdr.LedgerEntry.from_xdr_bytes(before)
                told.append(xdr.LedgerEntryChange(kinds.LEDGER_ENTRY_STATE, state=state))
            if entry is None:
                if before:
                    gone = xdr.LedgerKey.from_xdr_bytes(key)
                    told.append(xdr.LedgerEntryChange(kinds.LEDGER_ENTRY_REMOVED, removed=gone))
                continue
            after = xdr.LedgerEntry.from_xdr_bytes(entry)
            if before:
                told.append(xdr.LedgerEntryChange(kinds.LEDGER_ENTRY_UPDATED, updated=after))
            else:
                told.append(xdr.LedgerEntryChange(kinds.LEDGER_ENTRY_CREATED, created=after))
        return told

    def account(self, account: xdr.AccountID) -> xdr.AccountEntry | None:
        entry = self.load(keys.for_account(account))
        return entry.data.account if entry else None

    def save_account(self, entry: xdr.AccountEntry, sponsor: bytes | None = None) -> None:
        data = xdr.LedgerEntryData(xdr.LedgerEntryType.ACCOUNT, account=entry)
        self.save(keys.for_account(entry.account_id), data, sponsor)

    def trust_line(self, account: xdr.AccountID, asset: keys.AnyAsset) -> xdr.TrustLineEntry | None:
        entry = self.load(keys.for_trust_line(account, asset))
        return entry.data.trust_line if entry else None

    def save_trust_line(self, line: xdr.TrustLineEntry, sponsor: bytes | None = None) -> None:
        data = xdr.LedgerEntryData(xdr.LedgerEntryType.TRUSTLINE, trust_line=line)
        self.save(keys.for_trust_line(line.account_id, line.asset), data, sponsor)

    def sponsor_of(self, key: xdr.LedgerKey) -> bytes | None:
        entry = self.load(key)
        if entry is None or entry.ext.v1 is None:
            return None
        sponsor = entry.ext.v1.sponsoring_id.sponsorship_descriptor
        return keys.raw(sponsor) if sponsor else None

    def live_until(self, key: xdr.LedgerKey) -> int | None:
        """The last ledger in which a contract entry lives; None for an entry that has no end."""
        entry = self.load(keys.for_ttl(key))
        if entry is None or entry.data.ttl is None:
            return None
        return entry.data.ttl.live_until_ledger_seq.uint32

    def save_ttl(self, key: xdr.LedgerKey, live_until: int) -> None:
        ttl_key = keys.for_ttl(key)
        assert ttl_key.ttl is not None
        ttl = xdr.TTLEntry(ttl_key.ttl.key_hash, xdr.Uint32(live_until))
        self.save(ttl_key, xdr.LedgerEntryData(xdr.LedgerEntryType.TTL, ttl=ttl))


def _sponsored_by(sponsor: bytes | None) -> xdr.LedgerEntryExt:
    if sponsor is None:
        return xdr.LedgerEntryExt(0)
    descriptor = xdr.SponsorshipDescriptor(keys.from_raw(sponsor))
    return xdr.LedgerEntryExt(1, v1=xdr.LedgerEntryExtensionV1(descriptor, xdr.LedgerEntryExtensionV1Ext(0)))
