-- A local chain that starts anew may see the very same bytes again: a hash is unique on its chain.
DROP INDEX attempts_by_hash;
CREATE UNIQUE INDEX attempts_by_hash ON attempts (hash, COALESCE(chain, ''));
