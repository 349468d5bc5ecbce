-- Personas of projects; shipped personas are in the program. The content of a persona is in versions that never change.
-- Archived rows stay, because tests and runs name them. `search_text` is the name in lower case.

CREATE TABLE personas (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  search_text TEXT NOT NULL,
  current_version_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT
) STRICT;
CREATE UNIQUE INDEX persona_names ON personas (project_id, name) WHERE archived_at IS NULL;
CREATE INDEX personas_of_project ON personas (project_id, id);

-- `traits` and `models` are JSON objects.
CREATE TABLE persona_versions (
  id TEXT PRIMARY KEY,
  persona_id TEXT NOT NULL REFERENCES personas (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  traits TEXT NOT NULL,
  models TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX persona_version_numbers ON persona_versions (persona_id, version);

CREATE TRIGGER persona_versions_are_frozen BEFORE UPDATE ON persona_versions
BEGIN
  SELECT RAISE (ABORT, 'a persona version is never changed');
END;

-- A project without a row has the shipped default. `persona_id` may be a shipped persona, which has no row.
CREATE TABLE default_personas (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  persona_id TEXT NOT NULL
) STRICT;
