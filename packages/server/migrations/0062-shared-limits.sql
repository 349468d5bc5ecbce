-- Limits of several processes on one database: the bucket of ingest of each organization, and the wrong passwords of each account
-- from each network, by digests. A process alone keeps both in its memory.

CREATE TABLE token_buckets (
  subject TEXT PRIMARY KEY,
  tokens REAL NOT NULL,
  granted INTEGER NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE password_attempts (
  subject TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  next_ms INTEGER NOT NULL
) STRICT;
