-- Second factors of people. `sealed_credentials` has the secret of the authenticator app; its owner is the person. A code of a time
-- step up to `last_step` was used, or is older than one that was.
CREATE TABLE second_factors (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  last_step INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;

-- Recovery codes that were not used yet. Each digest is of the person's id and the code.
CREATE TABLE recovery_codes (
  code_sha256 TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX recovery_codes_of_user ON recovery_codes (user_id);
