-- name: insert_event
INSERT INTO events (id, kind, relayer_id, at, transaction_id, number, status, reason, revision, attempt_id, sent_at, confirmed_at,
                    is_canceled)
VALUES ($1, 'transaction_update', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: insert_relayer_event
INSERT INTO events (id, kind, relayer_id, at, payload) VALUES ($1, 'relayer_state_update', $2, $3, $4)

-- name: events_of
SELECT id, transaction_id, relayer_id, number, at, status, revision, reason, attempt_id, sent_at, confirmed_at, is_canceled
FROM events WHERE transaction_id = $1 ORDER BY number
