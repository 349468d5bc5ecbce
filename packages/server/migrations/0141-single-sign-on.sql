-- The identity provider of an organization. `sealed_credentials` has the client secret. `domains` is a JSON array.
CREATE TABLE sso_providers (
  organization_id TEXT PRIMARY KEY REFERENCES organizations (id),
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  domains TEXT NOT NULL,
  required INTEGER NOT NULL,
  join_role TEXT CHECK (join_role IN ('member', 'viewer')),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Sign-ins that wait for the identity provider. Each is used once, in the browser that has the cookie.
CREATE TABLE sso_sign_ins (
  state_sha256 TEXT PRIMARY KEY,
  browser_sha256 TEXT NOT NULL,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  issuer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  code_verifier TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX sso_sign_ins_by_expiry ON sso_sign_ins (expires_ms);

-- The identity at the organization's provider that opens an account of a member.
CREATE TABLE sso_identities (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, issuer, subject)
) STRICT;
CREATE UNIQUE INDEX sso_identities_of_user ON sso_identities (user_id, organization_id);

-- The organization whose provider started the session; the session acts in no other one.
ALTER TABLE sessions ADD COLUMN sso_organization_id TEXT REFERENCES organizations (id);
