-- The SHA-256 of each random secret in the data folder, which shows a start that the secret's file was damaged.
CREATE TABLE secret_digests (
  name TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL
) STRICT;
