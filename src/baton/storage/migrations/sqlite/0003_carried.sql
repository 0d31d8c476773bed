-- Bytes that a client brought and that can land once only, by their family's name for them: carried by one transaction.
CREATE TABLE carried (
    fingerprint    TEXT PRIMARY KEY,
    transaction_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
