-- name: insert_delivery
INSERT INTO deliveries (id, receiver, position, event_id, kind, relayer_id, transaction_id, number, stream, status, since, due_at)
SELECT $1, n.ordinal, e.position, e.id, e.kind, e.relayer_id, e.transaction_id, e.number,
       COALESCE(e.transaction_id, 'relayer/' || e.relayer_id), 'pending', e.at,
       CASE WHEN EXISTS (SELECT 1 FROM deliveries d
                         WHERE d.receiver = n.ordinal AND d.stream = COALESCE(e.transaction_id, 'relayer/' || e.relayer_id)
                           AND d.status = 'pending')
            THEN NULL ELSE CAST($4 AS BIGINT) END
FROM events e JOIN notifications n ON n.id = $2
WHERE e.position = $3

-- name: due
SELECT d.id, d.since, d.tries, n.version,
       e.position, e.kind, e.payload,
       e.id, e.transaction_id, e.relayer_id, e.number, e.at,
       e.status, e.revision, e.reason, e.attempt_id, e.sent_at, e.confirmed_at, e.is_canceled,
       t.created_at,
       r.number, r.content, r.valid_until,
       a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome
FROM notifications n
JOIN deliveries d ON d.receiver = n.ordinal
JOIN events e ON e.position = d.position
LEFT JOIN transactions t ON t.id = e.transaction_id
LEFT JOIN revisions r ON r.transaction_id = e.transaction_id AND r.number = e.revision
LEFT JOIN attempts a ON a.id = e.attempt_id
WHERE n.id = $1 AND d.due_at IS NOT NULL AND d.due_at <= $2
ORDER BY d.due_at, d.ordinal LIMIT $3

-- name: next_due
SELECT due_at FROM deliveries
WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) AND due_at IS NOT NULL AND due_at > $2
ORDER BY due_at LIMIT 1

-- name: with_due
SELECT n.id FROM notifications n
WHERE n.disabled_reason IS NULL AND (n.rest_until IS NULL OR n.rest_until <= $1)
  AND EXISTS (SELECT 1 FROM deliveries d WHERE d.receiver = n.ordinal AND d.due_at IS NOT NULL AND d.due_at <= $1)

-- name: with_overdue
SELECT n.id FROM notifications n
WHERE n.disabled_reason IS NOT NULL
  AND EXISTS (SELECT 1 FROM deliveries d WHERE d.receiver = n.ordinal AND d.status = 'pending' AND d.since < $1)

-- name: insert_try
INSERT INTO delivery_tries (delivery_id, number, at, took_ms, status_code, error, excerpt)
SELECT $1, d.tries + 1, $2, $3, $4, $5, $6 FROM deliveries d WHERE d.id = $1 AND d.status = 'pending' RETURNING number

-- name: note_try
UPDATE deliveries
SET status = $2, due_at = $3, tries = tries + 1, tried_at = $4, finished_at = $5, reason = $6
WHERE id = $1 AND status = 'pending' RETURNING receiver, stream

-- name: next_in_stream
UPDATE deliveries SET due_at = $3
WHERE ordinal = (SELECT d.ordinal FROM deliveries d
                 WHERE d.receiver = $1 AND d.stream = $2 AND d.status = 'pending' ORDER BY d.ordinal LIMIT 1)
  AND due_at IS NULL
RETURNING ordinal

-- name: make_due
UPDATE deliveries SET due_at = CASE WHEN tried_at IS NULL OR tried_at + $3 < $2 THEN CAST($2 AS BIGINT) ELSE tried_at + $3 END
WHERE receiver = $1 AND due_at IS NOT NULL AND due_at > $2

-- name: overdue
SELECT id FROM deliveries
WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) AND status = 'pending' AND since < $2
ORDER BY ordinal LIMIT $3

-- name: give_up
UPDATE deliveries SET status = 'failed', due_at = NULL, finished_at = $2, reason = $3
WHERE id = $1 AND status = 'pending' RETURNING receiver, stream

-- name: insert_replay
INSERT INTO deliveries (id, receiver, position, event_id, kind, relayer_id, transaction_id, number, stream, status, since, due_at,
                        replay_of)
SELECT $3, d.receiver, d.position, d.event_id, d.kind, d.relayer_id, d.transaction_id, d.number, 'replay/' || d.stream, 'pending', CAST($4 AS BIGINT),
       CASE WHEN EXISTS (SELECT 1 FROM deliveries p
                         WHERE p.receiver = d.receiver AND p.stream = 'replay/' || d.stream AND p.status = 'pending')
            THEN NULL ELSE CAST($4 AS BIGINT) END,
       d.id
FROM deliveries d JOIN events e ON e.position = d.position
WHERE d.id = $2 AND d.receiver = (SELECT ordinal FROM notifications WHERE id = $1)
RETURNING id

-- name: delivery
SELECT id, event_id, kind, relayer_id, transaction_id, number, position, status, since, due_at, tries, tried_at, finished_at,
       reason, replay_of
FROM deliveries WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) AND id = $2

-- name: deliveries
SELECT id, event_id, kind, relayer_id, transaction_id, number, position, status, since, due_at, tries, tried_at, finished_at,
       reason, replay_of
FROM deliveries WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) ORDER BY ordinal DESC LIMIT $2 OFFSET $3

-- name: deliveries_in_status
SELECT id, event_id, kind, relayer_id, transaction_id, number, position, status, since, due_at, tries, tried_at, finished_at,
       reason, replay_of
FROM deliveries WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) AND status = $4
ORDER BY ordinal DESC LIMIT $2 OFFSET $3

-- name: count_deliveries
SELECT count(*) FROM deliveries WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1)

-- name: count_deliveries_in_status
SELECT count(*) FROM deliveries WHERE receiver = (SELECT ordinal FROM notifications WHERE id = $1) AND status = $2

-- name: tries
SELECT number, at, took_ms, status_code, error, excerpt FROM delivery_tries WHERE delivery_id = $1 ORDER BY number

-- name: old_deliveries
SELECT id FROM deliveries WHERE finished_at IS NOT NULL AND finished_at < $1 ORDER BY finished_at LIMIT $2

-- name: former_receivers
SELECT receiver FROM former_receivers LIMIT 1

-- name: deliveries_of_receiver
SELECT id FROM deliveries WHERE receiver = $1 LIMIT $2

-- name: forget_receiver
DELETE FROM former_receivers WHERE receiver = $1

-- name: forget_tries
DELETE FROM delivery_tries WHERE delivery_id = $1

-- name: forget_delivery
DELETE FROM deliveries WHERE id = $1
