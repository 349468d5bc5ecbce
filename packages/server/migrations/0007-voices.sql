-- Keys of speech providers, one per organization and provider. The key itself is sealed in `sealed_credentials`, owned by
-- `organization/provider`; `revision` is new whenever the key is set.

CREATE TABLE provider_keys (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  provider TEXT NOT NULL,
  region TEXT,
  revision TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, provider)
) STRICT;

-- The voices that a provider last listed. The owner is an organization with a key of its own, `deployment` or `public`;
-- the revision says by which key they were listed. `voices` is a JSON array.
CREATE TABLE voice_catalogs (
  owner TEXT NOT NULL,
  provider TEXT NOT NULL,
  revision TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  cut INTEGER NOT NULL CHECK (cut IN (0, 1)),
  voices TEXT NOT NULL,
  PRIMARY KEY (owner, provider)
) STRICT;

-- Voices of a key that was replaced or removed go with it, in the same step.
CREATE TRIGGER voices_of_replaced_keys AFTER UPDATE OF revision ON provider_keys
BEGIN
  DELETE FROM voice_catalogs WHERE owner = OLD.organization_id AND provider = OLD.provider;
END;
CREATE TRIGGER voices_of_removed_keys AFTER DELETE ON provider_keys
BEGIN
  DELETE FROM voice_catalogs WHERE owner = OLD.organization_id AND provider = OLD.provider;
END;
