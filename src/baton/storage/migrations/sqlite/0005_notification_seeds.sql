-- What the file last said of a notification, so that a later start sees whether its entry changed. Apart from the
-- notification itself, because it outlives it: what was deleted over the API stays deleted until its entry changes.
CREATE TABLE notification_seeds (
    notification_id TEXT PRIMARY KEY,
    version         INTEGER NOT NULL,
    receiver        INTEGER NOT NULL,           -- the ordinal of the notification that the entry made
    seed_hash       BLOB,                       -- encrypted: a signing key that is easy to guess could be guessed by it
    is_removed      INTEGER NOT NULL DEFAULT 0  -- the entry is no longer in the file
) STRICT, WITHOUT ROWID;

-- Who made these is not known. One whose id is in the file is taken for the file's as it stands.
INSERT INTO notification_seeds (notification_id, version, receiver) SELECT id, 1, ordinal FROM notifications;
