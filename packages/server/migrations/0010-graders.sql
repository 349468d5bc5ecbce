-- Graders of projects; shipped graders are in the program. The content of a grader, JSON in `definition`, is in versions
-- that never change. Archived rows stay, because grades name them.

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

-- Settings of a grader in a project. A shipped grader has a row only after a change of its settings.
CREATE TABLE grader_settings (
  project_id TEXT NOT NULL REFERENCES projects (id),
  grader_id TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  counts INTEGER NOT NULL,
  scope TEXT NOT NULL CHECK (scope IN ('simulations', 'production', 'both')),
  production_sample_rate REAL NOT NULL CHECK (production_sample_rate BETWEEN 0 AND 1),
  PRIMARY KEY (project_id, grader_id)
) STRICT, WITHOUT ROWID;

-- One row for each project that grades production. Conversations whose last span came before `received_ms` are done.
CREATE TABLE production_checkpoints (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  received_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One grade of each grader version that sampled the conversation. `conversation` is its id, or its trace id without one.
CREATE TABLE production_grades (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  conversation TEXT NOT NULL,
  grader_version_id TEXT NOT NULL,
  grade TEXT NOT NULL,
  graded_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX production_grade_of_version ON production_grades (project_id, conversation, grader_version_id);

-- Labels that people give to grades. Grades never change, so their grader version and verdict are copied here.
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
