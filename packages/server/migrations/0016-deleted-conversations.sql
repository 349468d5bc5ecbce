-- Deleted conversations. Spans that arrive for one later are dropped and counted. `unfinished` is JSON with the ids and names
-- of its traces until everything is erased; afterwards only digests remain.

CREATE TABLE deletions (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  deleted_at TEXT NOT NULL,
  unfinished TEXT,
  dropped_spans INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX unfinished_deletions ON deletions (id) WHERE unfinished IS NOT NULL;

-- SHA-256 of `trace ` and a trace id, or of `name ` and the name of a conversation.
CREATE TABLE deleted_names (
  project_id TEXT NOT NULL REFERENCES projects (id),
  digest TEXT NOT NULL,
  deletion_id INTEGER NOT NULL REFERENCES deletions (id),
  PRIMARY KEY (project_id, digest)
) STRICT, WITHOUT ROWID;

-- The texts of a simulation are erased when its conversation is deleted or past the retention. Its verdict stays.
ALTER TABLE simulations ADD COLUMN texts_erased INTEGER NOT NULL DEFAULT 0 CHECK (texts_erased IN (0, 1));
CREATE INDEX simulations_with_texts ON simulations (ended_at) WHERE texts_erased = 0;
CREATE INDEX production_grades_by_time ON production_grades (graded_at);
