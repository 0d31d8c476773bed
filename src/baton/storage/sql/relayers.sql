-- name: insert_relayer
INSERT INTO relayers (id, version, origin, seed_hash, entry, is_removed, disabled_reason) VALUES ($1, 1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO NOTHING RETURNING id

-- name: update_relayer
UPDATE relayers SET version = version + 1, origin = $2, seed_hash = $3, entry = $4, is_removed = $5, disabled_reason = $6
WHERE id = $1 AND version = $7 RETURNING id

-- name: relayers
SELECT id, version, origin, seed_hash, entry, is_removed, disabled_reason FROM relayers ORDER BY id

-- name: chain_identity
SELECT identity FROM chains WHERE network = $1

-- name: remember_chain
INSERT INTO chains (network, identity) VALUES ($1, $2) ON CONFLICT (network) DO UPDATE SET identity = excluded.identity
