-- name: take_number
INSERT INTO counters (relayer_id, accepted, last_created_at) SELECT $1, 1, $2 WHERE CAST($3 AS BIGINT) > 0
ON CONFLICT (relayer_id) DO UPDATE
SET accepted = counters.accepted + 1,
    last_created_at = CASE WHEN excluded.last_created_at > counters.last_created_at
                           THEN excluded.last_created_at ELSE counters.last_created_at END
WHERE counters.accepted - counters.finished < $3
RETURNING accepted, last_created_at

-- name: open_count
SELECT accepted - finished FROM counters WHERE relayer_id = $1

-- name: finish
UPDATE counters SET finished = finished + $2 WHERE relayer_id = $1

-- name: tally
INSERT INTO tallies (relayer_id, status, count) VALUES ($1, $2, $3)
ON CONFLICT (relayer_id, status) DO UPDATE SET count = tallies.count + excluded.count

-- name: counts
SELECT relayer_id, status, count FROM tallies WHERE count > 0

-- name: insert_transaction
INSERT INTO transactions (relayer_id, seq, id, created_at, version, events, status, revision)
VALUES ($1, $2, $3, $4, 1, 1, 'pending', $5)

-- name: insert_revision
INSERT INTO revisions (transaction_id, number, content, valid_until) VALUES ($1, $2, $3, $4)

-- name: last_revision
SELECT COALESCE(max(number), 0) FROM revisions WHERE transaction_id = $1

-- name: carry
INSERT INTO carried (fingerprint, transaction_id) VALUES ($1, $2) ON CONFLICT (fingerprint) DO NOTHING

-- name: carrier
SELECT transaction_id FROM carried WHERE fingerprint = $1

-- name: standing
SELECT relayer_id, version, events, status FROM transactions WHERE id = $1

-- name: advance
UPDATE transactions
SET version = version + 1, events = $2, status = $3, reason = $4, revision = $5, attempt_id = $6, sent_at = $7,
    confirmed_at = $8, is_canceled = $9, intent_kind = $10, intent_revision = $11
WHERE id = $1

-- name: keep_intent
UPDATE transactions SET version = version + 1, intent_kind = $2, intent_revision = $3 WHERE id = $1

-- name: transaction
SELECT id, relayer_id, seq, created_at, version, events,
       status, revision, reason, attempt_id, sent_at, confirmed_at, is_canceled, intent_kind, intent_revision
FROM transactions WHERE id = $2 AND relayer_id = $1

-- name: amendable
SELECT id, relayer_id, seq, created_at, version, events,
       status, revision, reason, attempt_id, sent_at, confirmed_at, is_canceled, intent_kind, intent_revision
FROM transactions WHERE relayer_id = $1 AND status IN ('pending', 'sent', 'submitted') ORDER BY seq

-- name: last_confirmed_at
SELECT max(confirmed_at) FROM (
    SELECT confirmed_at FROM transactions WHERE relayer_id = $1 AND status = 'confirmed' ORDER BY seq DESC LIMIT 1000) AS newest

-- name: in_status
SELECT t.id, t.relayer_id, t.seq, t.created_at, t.version, t.events,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled, t.intent_kind, t.intent_revision,
       r.number, r.content, r.valid_until
FROM transactions t JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
WHERE t.relayer_id = $1 AND t.status = $2
ORDER BY t.seq LIMIT $3

-- name: next_pending
SELECT t.id, t.relayer_id, t.seq, t.created_at, t.version, t.events,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled, t.intent_kind, t.intent_revision,
       r.number, r.content, r.valid_until
FROM transactions t JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
WHERE t.relayer_id = $1 AND t.status = 'pending'
ORDER BY t.seq LIMIT $2

-- name: open_one
SELECT t.id, t.relayer_id, t.seq, t.created_at, t.version, t.events,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled, t.intent_kind, t.intent_revision,
       r.number, r.content, r.valid_until
FROM transactions t JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
WHERE t.relayer_id = $1 AND t.id = $2

-- name: with_intent
SELECT t.id, t.relayer_id, t.seq, t.created_at, t.version, t.events,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled, t.intent_kind, t.intent_revision,
       r.number, r.content, r.valid_until
FROM transactions t JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
WHERE t.relayer_id = $1 AND t.intent_kind IS NOT NULL
ORDER BY t.seq LIMIT $2

-- name: view
SELECT t.id, t.relayer_id, t.created_at,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled,
       r.number, r.content, r.valid_until,
       a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome
FROM transactions t
JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
LEFT JOIN attempts a ON a.id = t.attempt_id
WHERE t.id = $2 AND t.relayer_id = $1

-- name: page
SELECT t.id, t.relayer_id, t.created_at,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled,
       r.number, r.content, r.valid_until,
       a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome
FROM transactions t
JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
LEFT JOIN attempts a ON a.id = t.attempt_id
WHERE t.relayer_id = $1 AND t.seq BETWEEN $2 AND $3
ORDER BY t.seq DESC

-- name: page_in_status
SELECT t.id, t.relayer_id, t.created_at,
       t.status, t.revision, t.reason, t.attempt_id, t.sent_at, t.confirmed_at, t.is_canceled,
       r.number, r.content, r.valid_until,
       a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome
FROM transactions t
JOIN revisions r ON r.transaction_id = t.id AND r.number = t.revision
LEFT JOIN attempts a ON a.id = t.attempt_id
WHERE t.relayer_id = $1 AND t.status = $2 AND t.seq BETWEEN $3 AND $4
ORDER BY t.seq DESC LIMIT $5 OFFSET $6

-- name: count_in_status
SELECT count(*) FROM transactions WHERE relayer_id = $1 AND status = $2 AND seq BETWEEN $3 AND $4

-- name: range
SELECT oldest, accepted FROM counters WHERE relayer_id = $1

-- name: first_since
SELECT seq FROM transactions WHERE relayer_id = $1 AND created_at >= $2 ORDER BY created_at, seq LIMIT 1

-- name: last_until
SELECT seq FROM transactions WHERE relayer_id = $1 AND created_at <= $2 ORDER BY created_at DESC, seq DESC LIMIT 1

-- name: seq_by_hash
SELECT t.seq FROM attempts a JOIN transactions t ON t.id = a.transaction_id WHERE a.hash = $2 AND t.relayer_id = $1
ORDER BY a.ordinal DESC LIMIT 1

-- name: id_by_slot
SELECT transaction_id FROM attempts
WHERE relayer_id = $1 AND number = $2 AND transaction_id IS NOT NULL ORDER BY ordinal DESC LIMIT 1

-- name: insert_key
INSERT INTO idempotency_keys (scope, relayer_id, key, transaction_id, body_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6)

-- name: key
SELECT transaction_id, body_hash FROM idempotency_keys WHERE scope = $1 AND relayer_id = $2 AND key = $3

-- name: sweep_keys
DELETE FROM idempotency_keys WHERE (scope, relayer_id, key) IN (
    SELECT k.scope, k.relayer_id, k.key FROM idempotency_keys k
    LEFT JOIN transactions t ON t.id = k.transaction_id
    WHERE k.created_at < $1 AND (t.status IS NULL OR t.status IN ('confirmed', 'failed', 'expired', 'canceled'))
    LIMIT $2)
