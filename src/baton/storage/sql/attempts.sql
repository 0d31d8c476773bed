-- name: insert_attempt
INSERT INTO attempts (id, relayer_id, transaction_id, revision, kind, hash, chain, account, number, max_cost, facts, created_at,
                      fate, raw)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'open', $13)

-- name: attempt_news
UPDATE attempts
SET fate = $2, block_number = $3, block_hash = $4, accepted_at = COALESCE(accepted_at, $5), outcome = COALESCE($6, outcome)
WHERE id = $1

-- name: attempts
SELECT id, relayer_id, transaction_id, revision, kind, hash, chain, account, number, max_cost, facts,
       created_at, fate, block_number, block_hash, accepted_at, outcome, raw
FROM attempts WHERE transaction_id = $1 ORDER BY ordinal

-- name: open_attempts
SELECT a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome, a.raw
FROM transactions t JOIN attempts a ON a.transaction_id = t.id
WHERE t.relayer_id = $1 AND t.status = $2 AND t.seq <= $3
ORDER BY t.seq, a.ordinal

-- name: fillers
SELECT a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome, a.raw
FROM slots s JOIN attempts a ON a.relayer_id = s.relayer_id AND a.number = s.number AND a.chain = s.chain AND a.account = s.account
WHERE s.chain = $1 AND s.account = $2 AND s.hold = 'held' AND s.holder IS NULL AND a.transaction_id IS NULL
ORDER BY a.ordinal

-- name: fillers_of
SELECT id, relayer_id, transaction_id, revision, kind, hash, chain, account, number, max_cost, facts,
       created_at, fate, block_number, block_hash, accepted_at, outcome, raw
FROM attempts WHERE relayer_id = $1 AND number = $2 AND chain = $3 AND account = $4 AND transaction_id IS NULL
ORDER BY ordinal

-- name: move_slot
INSERT INTO slots (chain, account, number, relayer_id, holder, hold) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (chain, account, number) DO UPDATE SET relayer_id = excluded.relayer_id, holder = excluded.holder, hold = excluded.hold
WHERE slots.hold = 'released'
   OR (slots.hold = 'lost' AND excluded.hold = 'held' AND excluded.holder IS NULL)  -- closed again by our own filler only
   OR (slots.relayer_id = excluded.relayer_id AND slots.holder IS NOT DISTINCT FROM excluded.holder
       AND (slots.hold = 'held' OR slots.hold = excluded.hold))
RETURNING hold

-- name: highest_slot
SELECT number FROM slots WHERE chain = $1 AND account = $2 AND hold <> 'released' ORDER BY number DESC LIMIT 1

-- name: closed_slots
SELECT number, hold FROM slots WHERE chain = $1 AND account = $2 AND number >= $3 AND hold IN ('used', 'lost')

-- name: spent
SELECT a.id, a.relayer_id, a.transaction_id, a.revision, a.kind, a.hash, a.chain, a.account, a.number, a.max_cost, a.facts,
       a.created_at, a.fate, a.block_number, a.block_hash, a.accepted_at, a.outcome, a.raw
FROM slots s JOIN attempts a ON a.relayer_id = s.relayer_id AND a.number = s.number AND a.chain = s.chain AND a.account = s.account
WHERE s.chain = $1 AND s.account = $2 AND s.number >= $3 AND s.hold = 'used' AND a.fate IN ('included', 'reverted')
ORDER BY s.number LIMIT $4

-- name: noops_since
SELECT id, relayer_id, transaction_id, revision, kind, hash, chain, account, number, max_cost, facts,
       created_at, fate, block_number, block_hash, accepted_at, outcome, raw
FROM attempts WHERE relayer_id = $1 AND created_at >= $2 AND kind = 'noop' ORDER BY ordinal

-- name: costs_since
SELECT COALESCE(transaction_id, id), max_cost, created_at FROM attempts WHERE relayer_id = $1 AND created_at >= $2
UNION ALL
SELECT a.transaction_id, a.max_cost, a.created_at FROM transactions t JOIN attempts a ON a.transaction_id = t.id
WHERE t.relayer_id = $1 AND t.status IN ('sent', 'submitted', 'mined') AND a.created_at < $2
  AND a.fate IN ('open', 'included', 'reverted')
