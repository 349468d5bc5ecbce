-- Whether the service fetches the platform's recordings of a setup's calls.

ALTER TABLE monitoring_setups ADD COLUMN fetches_recordings INTEGER NOT NULL DEFAULT 0 CHECK (fetches_recordings IN (0, 1));
