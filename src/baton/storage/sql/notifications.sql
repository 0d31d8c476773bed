-- name: insert_notification
INSERT INTO notifications (id, url, signing_key, created_at, version) VALUES ($1, $2, $3, $4, 1)
ON CONFLICT (id) DO NOTHING RETURNING id

-- name: update_notification
UPDATE notifications SET url = $2, signing_key = $3, version = version + 1 WHERE id = $1 AND version = $4 RETURNING id

-- name: delete_notification
DELETE FROM notifications WHERE id = $1 RETURNING id

-- name: notification
SELECT id, url, signing_key, created_at, version FROM notifications WHERE id = $1

-- name: notifications
SELECT id, url, signing_key, created_at, version FROM notifications ORDER BY ordinal DESC LIMIT $1 OFFSET $2

-- name: count_notifications
SELECT count(*) FROM notifications
