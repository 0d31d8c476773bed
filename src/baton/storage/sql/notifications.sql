-- name: insert_notification
INSERT INTO notifications (id, url, signing_key, created_at, version) VALUES ($1, $2, $3, $4, 1)
ON CONFLICT (id) DO NOTHING RETURNING id

-- name: update_notification
UPDATE notifications
SET url = $2, signing_key = $3, previous_key = $5, previous_until = $6, version = version + 1,
    failures = 0, failing_since = NULL, rest_until = NULL, disabled_reason = NULL
WHERE id = $1 AND version = $4 RETURNING ordinal

-- name: delete_notification
DELETE FROM notifications WHERE id = $1 RETURNING ordinal

-- name: retire_receiver
INSERT INTO former_receivers (receiver) VALUES ($1)

-- name: receiver
SELECT ordinal FROM notifications WHERE id = $1

-- name: keep_health
UPDATE notifications SET failures = $2, failing_since = $3, rest_until = $4, disabled_reason = $5
WHERE id = $1 AND version = $6

-- name: health
SELECT failures, failing_since, rest_until, disabled_reason FROM notifications WHERE id = $1

-- name: notification
SELECT id, url, signing_key, created_at, version, previous_key, previous_until FROM notifications WHERE id = $1

-- name: notifications
SELECT id, url, signing_key, created_at, version, previous_key, previous_until
FROM notifications ORDER BY ordinal DESC LIMIT $1 OFFSET $2

-- name: notification_ids
SELECT id FROM notifications ORDER BY ordinal

-- name: count_notifications
SELECT count(*) FROM notifications

-- name: seeds
SELECT seed.notification_id, seed.version, seed.seed_hash, seed.is_removed, made.ordinal IS NOT NULL
FROM notification_seeds AS seed LEFT JOIN notifications AS made ON made.ordinal = seed.receiver
ORDER BY seed.notification_id

-- name: drop_seed
DELETE FROM notification_seeds WHERE notification_id = $1 AND version = $2 RETURNING version

-- name: insert_seed
INSERT INTO notification_seeds (notification_id, version, receiver, seed_hash)
SELECT id, $2, ordinal, $3 FROM notifications WHERE id = $1
ON CONFLICT (notification_id) DO NOTHING RETURNING version

-- name: keep_seed
UPDATE notification_seeds SET version = version + 1, seed_hash = $3, is_removed = $4
WHERE notification_id = $1 AND version = $2 RETURNING version

-- name: seeded
SELECT seed.version FROM notification_seeds AS seed JOIN notifications AS made ON made.ordinal = seed.receiver
WHERE seed.notification_id = $1
