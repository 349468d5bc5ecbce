-- Graders of the projects; those that ship with the service are in the program. What a grader looks at, JSON in
-- `definition`, lives in versions that are never changed. Archived ones stay, because grades name them.

CREATE TABLE graders (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  current_version_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT
) STRICT;
CREATE UNIQUE INDEX grader_names ON graders (project_id, name) WHERE archived_at IS NULL;
CREATE INDEX graders_of_project ON graders (project_id, id);

CREATE TABLE grader_versions (
  id TEXT PRIMARY KEY,
  grader_id TEXT NOT NULL REFERENCES graders (id),
  version INTEGER NOT NULL CHECK (version >= 1),
  definition TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX grader_version_numbers ON grader_versions (grader_id, version);

CREATE TRIGGER grader_versions_are_frozen BEFORE UPDATE ON grader_versions
BEGIN
  SELECT RAISE (ABORT, 'a grader version is never changed');
END;

-- How a project uses a grader. A shipped one, which has no row in `graders`, has one here once somebody changed its use.
CREATE TABLE grader_settings (
  project_id TEXT NOT NULL REFERENCES projects (id),
  grader_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  counts INTEGER NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('simulations', 'production', 'both')),
  production_sample_rate REAL NOT NULL CHECK (production_sample_rate BETWEEN 0 AND 1),
  PRIMARY KEY (project_id, grader_id)
) STRICT, WITHOUT ROWID;

-- Production conversations whose last span came before `received_ms` have been looked at; a row for each project that
-- grades production.
CREATE TABLE production_checkpoints (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  received_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One verdict of each grader version that sampled a conversation, which is named by its id or, without one, its trace's.
CREATE TABLE production_grades (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  conversation TEXT NOT NULL,
  grader_version_id TEXT NOT NULL,
  grade TEXT NOT NULL,
  graded_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX production_grade_of_version ON production_grades (project_id, conversation, grader_version_id);

-- What people say of grades, which never change: so their grader's version and verdict stand here too.
CREATE TABLE grade_labels (
  grade_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  grader_id TEXT NOT NULL,
  grader_version_id TEXT NOT NULL,
  graded TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('passed', 'failed')),
  note TEXT,
  labeled_at TEXT NOT NULL,
  PRIMARY KEY (grade_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX labels_of_grader ON grade_labels (project_id, grader_id);
