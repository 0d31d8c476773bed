-- name: insert_event
INSERT INTO events (id, kind, relayer_id, at, transaction_id, number, status, reason, revision, attempt_id, sent_at, confirmed_at,
                    is_canceled)
VALUES ($1, 'transaction_update', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: insert_relayer_event
INSERT INTO events (id, kind, relayer_id, at, payload) VALUES ($1, 'relayer_state_update', $2, $3, $4)

-- name: events_of
SELECT id, transaction_id, relayer_id, number, at, status, revision, reason, attempt_id, sent_at, confirmed_at, is_canceled
FROM events WHERE transaction_id = $1 ORDER BY number

-- name: unpublished
SELECT ordinal, relayer_id FROM events WHERE position IS NULL ORDER BY ordinal LIMIT $1

-- name: feed
SELECT newest, oldest FROM feed WHERE one = 1

-- name: extend_feed
UPDATE feed SET newest = newest + $1 WHERE one = 1 RETURNING newest

-- name: feed_after
SELECT e.position, e.kind, e.payload,
       e.id, e.transaction_id, e.relayer_id, e.number, e.at,
       e.status, e.revision, e.reason, e.attempt_id, e.sent_at, e.confirmed_at, e.is_canceled,
       t.created_at,
       r.number, r.content, r.valid_until,
       a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome
FROM events e
LEFT JOIN transactions t ON t.id = e.transaction_id
LEFT JOIN revisions r ON r.transaction_id = e.transaction_id AND r.number = e.revision
LEFT JOIN attempts a ON a.id = e.attempt_id
WHERE e.position > $1 ORDER BY e.position LIMIT $2

-- name: oldest_events
SELECT e.ordinal, e.position, e.at, EXISTS (SELECT 1 FROM deliveries d WHERE d.position = e.position AND d.status = 'pending')
FROM events e WHERE e.position IS NOT NULL ORDER BY e.position LIMIT $1

-- name: forget_events
DELETE FROM events WHERE position <= $1

-- name: raise_oldest
UPDATE feed SET oldest = $1 WHERE one = 1
