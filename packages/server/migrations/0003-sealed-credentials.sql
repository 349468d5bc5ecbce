-- Secrets for other services, sealed with AES-256-GCM for one record each. `hint` is the last four characters.

CREATE TABLE sealed_credentials (
  owner_id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  envelope TEXT NOT NULL,
  hint TEXT NOT NULL,
  sealed_at TEXT NOT NULL
) STRICT;
CREATE INDEX sealed_credentials_of_organization ON sealed_credentials (organization_id);
