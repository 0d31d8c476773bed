-- name: lane
SELECT owner, epoch FROM lanes WHERE lane = $1

-- name: own_lane
INSERT INTO lanes (lane, owner, epoch) VALUES ($1, $2, 1)
ON CONFLICT (lane) DO UPDATE SET owner = excluded.owner, epoch = lanes.epoch + 1
RETURNING epoch

-- name: fence
SELECT 1 FROM lanes WHERE lane = $1 AND epoch = $2 AND owner IS NOT NULL

-- name: leave_lane
UPDATE lanes SET owner = NULL WHERE lane = $1 AND epoch = $2 AND owner IS NOT NULL RETURNING lane

-- name: beat
INSERT INTO nodes (node, beat_at, ttl) VALUES ($1, $2, $3)
ON CONFLICT (node) DO UPDATE SET beat_at = excluded.beat_at, ttl = excluded.ttl

-- name: node_lives
SELECT 1 FROM nodes WHERE node = $1 AND beat_at + ttl > $2
