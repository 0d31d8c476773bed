-- Moments are microseconds since 1970. Amounts beyond int64 are decimal text. JSON is text.

CREATE TABLE facts (          -- what the store knows about itself, e.g. which encryption key it was made with
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE relayers (
    id              TEXT PRIMARY KEY,
    version         INTEGER NOT NULL,
    origin          TEXT NOT NULL CHECK (origin IN ('file', 'api')),
    seed_hash       TEXT NOT NULL,
    entry           BLOB NOT NULL,              -- encrypted: the addresses of hosted nodes carry keys
    is_removed      INTEGER NOT NULL DEFAULT 0,
    disabled_reason TEXT
) STRICT, WITHOUT ROWID;

-- One row a relayer: gives the dense numbers, and tells how many are open without counting them.
CREATE TABLE counters (
    relayer_id      TEXT PRIMARY KEY,
    accepted        INTEGER NOT NULL,           -- the newest number given
    finished        INTEGER NOT NULL DEFAULT 0, -- how many are final
    oldest          INTEGER NOT NULL DEFAULT 1, -- the oldest number kept; retention raises it
    last_created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tallies (
    relayer_id TEXT NOT NULL,
    status     TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (relayer_id, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE transactions (
    relayer_id      TEXT NOT NULL,
    seq             INTEGER NOT NULL,
    id              TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    version         INTEGER NOT NULL,
    events          INTEGER NOT NULL,
    status          TEXT NOT NULL,
    reason          TEXT,
    revision        INTEGER NOT NULL,
    attempt_id      TEXT,
    sent_at         INTEGER,
    confirmed_at    INTEGER,
    is_canceled     INTEGER NOT NULL DEFAULT 0,
    intent_kind     TEXT CHECK (intent_kind IN ('replace', 'cancel')),
    intent_revision INTEGER,
    PRIMARY KEY (relayer_id, seq),
    CHECK (status IN ('pending', 'sent', 'submitted', 'mined', 'confirmed', 'failed', 'expired', 'canceled')),
    CHECK ((status = 'confirmed') = (confirmed_at IS NOT NULL)),
    CHECK (status NOT IN ('sent', 'submitted', 'mined', 'confirmed') OR attempt_id IS NOT NULL),
    CHECK (status <> 'pending' OR attempt_id IS NULL),
    CHECK ((intent_kind IS NULL) = (intent_revision IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX transactions_by_id ON transactions (id);
CREATE INDEX transactions_by_status ON transactions (relayer_id, status, seq);
CREATE INDEX transactions_by_time ON transactions (relayer_id, created_at);
CREATE INDEX transactions_with_intent ON transactions (relayer_id, seq) WHERE intent_kind IS NOT NULL;

-- Final never changes, whoever writes.
CREATE TRIGGER final_never_changes BEFORE UPDATE ON transactions
WHEN OLD.status IN ('confirmed', 'failed', 'expired', 'canceled')
BEGIN
    SELECT RAISE(ABORT, 'a final transaction never changes');
END;

CREATE TABLE revisions (
    transaction_id TEXT NOT NULL,
    number         INTEGER NOT NULL,
    content        TEXT NOT NULL,
    valid_until    INTEGER,
    PRIMARY KEY (transaction_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
    ordinal        INTEGER PRIMARY KEY,     -- the order of signing; ids follow the clock, which may jump
    id             TEXT NOT NULL UNIQUE,
    relayer_id     TEXT NOT NULL,
    transaction_id TEXT,                    -- null: our own filler, never listed
    revision       INTEGER,
    kind           TEXT NOT NULL CHECK (kind IN ('original', 'bump', 'replacement', 'noop')),
    hash           TEXT NOT NULL,
    chain          TEXT,
    account        TEXT,
    number         INTEGER,                 -- the slot
    max_cost       TEXT NOT NULL,
    facts          TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    fate           TEXT NOT NULL CHECK (fate IN ('open', 'included', 'reverted', 'lapsed', 'rejected')),
    block_number   INTEGER,
    block_hash     TEXT,
    accepted_at    INTEGER,
    outcome        TEXT,
    raw            BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX attempts_by_hash ON attempts (hash);
CREATE INDEX attempts_by_transaction ON attempts (transaction_id, ordinal);
CREATE INDEX attempts_by_slot ON attempts (relayer_id, number, ordinal) WHERE number IS NOT NULL;

CREATE INDEX attempts_by_time ON attempts (relayer_id, created_at);

CREATE TABLE slots (
    chain      TEXT NOT NULL,
    account    TEXT NOT NULL,
    number     INTEGER NOT NULL,
    relayer_id TEXT NOT NULL,
    holder     TEXT,                        -- the transaction; null for our own filler
    hold       TEXT NOT NULL CHECK (hold IN ('held', 'used', 'lost', 'released')),
    PRIMARY KEY (chain, account, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX slots_held ON slots (chain, account, number) WHERE hold = 'held';

CREATE TABLE lanes (
    lane  TEXT PRIMARY KEY,
    owner TEXT,
    epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE nodes (
    node    TEXT PRIMARY KEY,
    beat_at INTEGER NOT NULL,
    ttl     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chains (
    network  TEXT PRIMARY KEY,
    identity TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The outbox. `position` is given after the commit, in batches, dense: commit order is not id order.
CREATE TABLE events (
    ordinal        INTEGER PRIMARY KEY,
    id             TEXT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('transaction_update', 'relayer_state_update')),
    relayer_id     TEXT NOT NULL,
    at             INTEGER NOT NULL,
    position       INTEGER,
    transaction_id TEXT,
    number         INTEGER,                 -- per transaction, from 1, without holes
    status         TEXT,
    reason         TEXT,
    revision       INTEGER,
    attempt_id     TEXT,
    sent_at        INTEGER,
    confirmed_at   INTEGER,
    is_canceled    INTEGER,
    payload        TEXT
) STRICT;

CREATE UNIQUE INDEX events_by_transaction ON events (transaction_id, number) WHERE transaction_id IS NOT NULL;
CREATE UNIQUE INDEX events_by_position ON events (position) WHERE position IS NOT NULL;
CREATE INDEX events_without_position ON events (ordinal) WHERE position IS NULL;

CREATE TABLE idempotency_keys (
    scope          TEXT NOT NULL,
    relayer_id     TEXT NOT NULL,
    key            TEXT NOT NULL,
    transaction_id TEXT NOT NULL,
    body_hash      BLOB NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (scope, relayer_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE notifications (
    ordinal     INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    url         TEXT NOT NULL,
    signing_key BLOB,                       -- encrypted
    created_at  INTEGER NOT NULL,
    version     INTEGER NOT NULL
) STRICT;
