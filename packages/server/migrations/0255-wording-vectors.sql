-- Vectors of an embedding model for the compared wordings of one failed thing. `digest` is of the wording's words, without the agent's mark.
-- `vector` is base64 of 32-bit floating-point numbers; the vector has the length 1. A row goes with the last failure of its wording.
CREATE TABLE wording_vectors (
  project_id TEXT NOT NULL REFERENCES projects (id),
  what_key TEXT NOT NULL,
  digest TEXT NOT NULL,
  model TEXT NOT NULL,
  vector TEXT NOT NULL,
  PRIMARY KEY (project_id, what_key, digest)
) STRICT;

-- The failed things whose wordings are compared by meaning. `setting` is the model and the limit for which every vector was there; `due_ms`
-- is null when nothing is missing.
CREATE TABLE things_by_meaning (
  project_id TEXT NOT NULL REFERENCES projects (id),
  what_key TEXT NOT NULL,
  setting TEXT NOT NULL,
  due_ms INTEGER,
  leased_until_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, what_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX things_by_meaning_due ON things_by_meaning (due_ms);

-- The mean similarity of unrelated texts by each embedding model, from which its similarities are counted.
CREATE TABLE embedding_models (
  model TEXT PRIMARY KEY,
  baseline REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- The number of failures of the group that only the meaning joined to the others.
ALTER TABLE failure_groups ADD COLUMN joined_by_meaning INTEGER NOT NULL DEFAULT 0;
