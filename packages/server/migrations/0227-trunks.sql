-- How a project calls telephone numbers, and the limits of these calls. `allowed_numbers` is a JSON list. `sealed_credentials` has the
-- user and the password.
CREATE TABLE trunks (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  caller_id TEXT NOT NULL,
  allowed_numbers TEXT NOT NULL,
  max_call_seconds INTEGER NOT NULL,
  calls_per_minute INTEGER NOT NULL,
  calls_per_day INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX trunks_of_project ON trunks (project_id, id);

-- Calls of the last 24 hours, which count towards the limits of their trunk. `placed_ms` is a time of the database's clock.
CREATE TABLE placed_calls (
  id TEXT PRIMARY KEY,
  trunk_id TEXT NOT NULL REFERENCES trunks (id) ON DELETE CASCADE,
  placed_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX placed_calls_of_trunk ON placed_calls (trunk_id, placed_ms);
