-- Passkeys of people. Bytes are in base64url; `public_key` is a SubjectPublicKeyInfo. `rp_id` is the host name at which it works.
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  algorithm INTEGER NOT NULL,
  rp_id TEXT NOT NULL,
  counter INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT
) STRICT;
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges that wait for a signature. `user_id` is the person who adds a passkey, and null for one that is used.
CREATE TABLE passkey_challenges (
  challenge_sha256 TEXT PRIMARY KEY,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_ms);
