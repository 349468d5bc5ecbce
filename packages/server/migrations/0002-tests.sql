-- Suites contain tests. The content of a test is in versions that never change. Deleted rows stay for the history of runs.

CREATE TABLE suites (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX suite_names ON suites (project_id, name) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX default_suites ON suites (project_id) WHERE is_default = 1;

CREATE TABLE tests (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  suite_id TEXT NOT NULL REFERENCES suites (id),
  name TEXT NOT NULL,
  current_version_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  deleted_at TEXT
) STRICT;
CREATE UNIQUE INDEX test_names ON tests (project_id, name) WHERE deleted_at IS NULL;
CREATE INDEX tests_of_project ON tests (project_id, id) WHERE deleted_at IS NULL;
CREATE INDEX tests_of_suite ON tests (suite_id, id) WHERE deleted_at IS NULL;

-- `personas` is the list as written, `persona_ids` the personas that it named at that time. Both are JSON arrays, like the
-- behaviors and mock tools.
CREATE TABLE test_versions (
  id TEXT PRIMARY KEY,
  test_id TEXT NOT NULL REFERENCES tests (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  scenario TEXT NOT NULL,
  expected_behaviors TEXT NOT NULL,
  personas TEXT NOT NULL,
  persona_ids TEXT NOT NULL,
  mock_tools TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX test_version_numbers ON test_versions (test_id, version);

CREATE TRIGGER test_versions_are_frozen BEFORE UPDATE ON test_versions
BEGIN
  SELECT RAISE (ABORT, 'a test version is never changed');
END;
