-- A person may be unsure about a grade.
DROP INDEX labels_of_grader;
ALTER TABLE grade_labels RENAME TO sure_labels;
CREATE TABLE grade_labels (
  grade_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  grader_id TEXT NOT NULL,
  grader_version_id TEXT NOT NULL,
  graded TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('passed', 'failed', 'unsure')),
  note TEXT,
  labeled_at TEXT NOT NULL,
  judge TEXT,
  PRIMARY KEY (grade_id, user_id)
) STRICT, WITHOUT ROWID;
INSERT INTO grade_labels (grade_id, user_id, project_id, grader_id, grader_version_id, graded, verdict, note, labeled_at, judge)
  SELECT grade_id, user_id, project_id, grader_id, grader_version_id, graded, verdict, note, labeled_at, judge FROM sure_labels;
DROP TABLE sure_labels;
CREATE INDEX labels_of_grader ON grade_labels (project_id, grader_id);

-- The review queue of a project. `content` is JSON. Alerts up to the id `alerts_after` are older than the source of alerts.
-- `left_out` counts conversations that found the queue full.
CREATE TABLE review_settings (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  content TEXT NOT NULL,
  left_out INTEGER NOT NULL,
  alerts_after TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- A conversation for people to label: a simulation by its id, a production conversation by the name under which it is graded.
CREATE TABLE review_items (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  source TEXT NOT NULL CHECK (source IN ('production', 'simulation')),
  conversation TEXT NOT NULL,
  trace_id TEXT,
  run_id TEXT,
  agent TEXT,
  started_at TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done', 'skipped')),
  urgency INTEGER NOT NULL,
  people_wanted INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  closed_at TEXT
) STRICT;
CREATE UNIQUE INDEX review_item_of_conversation ON review_items (project_id, conversation);
CREATE INDEX review_items_of_project ON review_items (project_id, id);
CREATE INDEX review_items_by_state ON review_items (project_id, state, urgency, id);
CREATE INDEX review_items_by_time ON review_items (created_at);

-- Why it is in the queue. `about` is the id of a grader version, or empty.
CREATE TABLE review_reasons (
  item_id TEXT NOT NULL REFERENCES review_items (id) ON DELETE CASCADE,
  reason TEXT NOT NULL,
  about TEXT NOT NULL,
  grader_id TEXT,
  alert_id TEXT,
  sentence TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (item_id, reason, about)
) STRICT, WITHOUT ROWID;

CREATE TABLE review_grades (
  item_id TEXT NOT NULL REFERENCES review_items (id) ON DELETE CASCADE,
  grade_id TEXT NOT NULL,
  grader_id TEXT NOT NULL,
  PRIMARY KEY (item_id, grade_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_grades_of_grade ON review_grades (grade_id);

-- Who has an item in work, until `until_ms`, and who labeled every grade of it or skipped it.
CREATE TABLE review_people (
  item_id TEXT NOT NULL REFERENCES review_items (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  did TEXT NOT NULL CHECK (did IN ('reviewing', 'labeled', 'skipped')),
  until_ms INTEGER NOT NULL,
  at TEXT NOT NULL,
  PRIMARY KEY (item_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_people_of_user ON review_people (user_id, did);

-- Raised alerts whose conversations are in the queue.
CREATE TABLE review_alerts (
  alert_id TEXT PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
  looked_at TEXT NOT NULL
) STRICT;
