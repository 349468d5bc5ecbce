-- People belong to several organizations. A session acts in one of them, and only the hash of its token is stored.

DROP INDEX memberships_of_organization;
ALTER TABLE memberships RENAME TO single_memberships;
CREATE TABLE memberships (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('admin', 'member', 'viewer')),
  created_at TEXT NOT NULL
) STRICT;
INSERT INTO memberships (id, organization_id, user_id, role, created_at)
  SELECT id, organization_id, user_id, role, created_at FROM single_memberships;
DROP TABLE single_memberships;
CREATE UNIQUE INDEX memberships_of_user ON memberships (user_id, organization_id);
CREATE INDEX memberships_of_organization ON memberships (organization_id, id);

-- A session without an organization is refused. `sha256` is a function of the service.
ALTER TABLE sessions ADD COLUMN organization_id TEXT REFERENCES organizations (id);
UPDATE sessions SET organization_id =
  (SELECT organization_id FROM memberships WHERE memberships.user_id = sessions.user_id);
ALTER TABLE sessions RENAME COLUMN token TO token_sha256;
UPDATE sessions SET token_sha256 = sha256(token_sha256);

-- `email` is the unique name for sign-in. Several accounts can have one address while none of them proved it.
ALTER TABLE users ADD COLUMN address TEXT NOT NULL DEFAULT '';
UPDATE users SET address = email;
CREATE INDEX users_of_address ON users (address);

ALTER TABLE invitations ADD COLUMN invited_by_user_id TEXT;

-- One-time tokens for a new password. `organization_id` is the organization whose admin created the token, and null for a
-- token that was sent by mail.
CREATE TABLE password_resets (
  token_sha256 TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  organization_id TEXT REFERENCES organizations (id),
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX password_resets_of_user ON password_resets (user_id);
