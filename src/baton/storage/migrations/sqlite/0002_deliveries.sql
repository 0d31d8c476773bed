-- The feed gives events their positions; deliveries carry them to notifications; every try is kept.

ALTER TABLE notifications ADD COLUMN previous_key BLOB;      -- encrypted; signs beside the current one for a while
ALTER TABLE notifications ADD COLUMN previous_until INTEGER;
ALTER TABLE notifications ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;   -- in a row
ALTER TABLE notifications ADD COLUMN failing_since INTEGER;
ALTER TABLE notifications ADD COLUMN rest_until INTEGER;
ALTER TABLE notifications ADD COLUMN disabled_reason TEXT;

-- One row. Positions are never given twice, also when every event has been forgotten.
CREATE TABLE feed (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    newest INTEGER NOT NULL,               -- the last position given
    oldest INTEGER NOT NULL                -- the lowest position that is still kept
) STRICT;
INSERT INTO feed (one, newest, oldest) VALUES (1, 0, 1);

-- `receiver` is the notification's ordinal, which is never given twice: what was meant for a deleted
-- notification cannot reach a new one of the same id.
CREATE TABLE deliveries (
    ordinal        INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    receiver       INTEGER NOT NULL,
    position       INTEGER NOT NULL,       -- of the event
    event_id       TEXT NOT NULL,
    kind           TEXT NOT NULL,
    relayer_id     TEXT NOT NULL,
    transaction_id TEXT,
    number         INTEGER,
    stream         TEXT NOT NULL,          -- what is kept in order
    status         TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    since          INTEGER NOT NULL,       -- its days are counted from here
    due_at         INTEGER,                -- null: behind an earlier one of its stream, or done
    tries          INTEGER NOT NULL DEFAULT 0,
    tried_at       INTEGER,
    finished_at    INTEGER,
    reason         TEXT,
    replay_of      TEXT,
    CHECK ((status = 'pending') = (finished_at IS NULL)),
    CHECK (status = 'pending' OR due_at IS NULL)
) STRICT;

CREATE INDEX deliveries_due ON deliveries (receiver, due_at, ordinal) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_in_stream ON deliveries (receiver, stream, ordinal) WHERE status = 'pending';
CREATE INDEX deliveries_by_receiver ON deliveries (receiver, ordinal);
CREATE INDEX deliveries_by_status ON deliveries (receiver, status, ordinal);
CREATE INDEX deliveries_to_tell ON deliveries (position) WHERE status = 'pending';
CREATE INDEX deliveries_by_age ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE delivery_tries (
    delivery_id   TEXT NOT NULL,
    number        INTEGER NOT NULL,        -- from 1
    at            INTEGER NOT NULL,
    took_ms       INTEGER NOT NULL,
    status_code   INTEGER,
    error         TEXT,
    excerpt       TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

-- Notifications that were deleted and may still have deliveries; those are forgotten a little at a time.
CREATE TABLE former_receivers (
    receiver INTEGER PRIMARY KEY
) STRICT;
