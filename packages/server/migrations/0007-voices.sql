-- Keys of speech providers, one for each organization and provider. `sealed_credentials` holds the key under the id
-- `organization/provider`. Each change of a key gives it a new `revision`.

CREATE TABLE provider_keys (
  organization_id TEXT NOT NULL REFERENCES organizations (id),
  provider TEXT NOT NULL,
  region TEXT,
  revision TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, provider)
) STRICT;

-- The last list of voices from a provider. The owner is an organization with a key, `deployment` or `public`; the revision
-- names the key that listed them. `voices` is a JSON array.
CREATE TABLE voice_catalogs (
  owner TEXT NOT NULL,
  provider TEXT NOT NULL,
  revision TEXT NOT NULL,
  fetched_at TEXT NOT NULL,
  cut INTEGER NOT NULL CHECK (cut IN (0, 1)),
  voices TEXT NOT NULL,
  PRIMARY KEY (owner, provider)
) STRICT;

-- Deletes the voices of a replaced or removed key in the same statement.
CREATE TRIGGER voices_of_replaced_keys AFTER UPDATE OF revision ON provider_keys
BEGIN
  DELETE FROM voice_catalogs WHERE owner = OLD.organization_id AND provider = OLD.provider;
END;
CREATE TRIGGER voices_of_removed_keys AFTER DELETE ON provider_keys
BEGIN
  DELETE FROM voice_catalogs WHERE owner = OLD.organization_id AND provider = OLD.provider;
END;
