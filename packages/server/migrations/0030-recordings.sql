-- Recordings of conversations. `conversation` is a name of the conversation: the simulation's id, or the name that the spans of
-- an imported call have. `blob` names the file in the blob store; it is NULL, and `problem` says why, when no recording could
-- be kept. `waveform` is JSON.

CREATE TABLE recordings (
  project_id TEXT NOT NULL REFERENCES projects (id),
  conversation TEXT NOT NULL,
  blob TEXT UNIQUE,
  problem TEXT,
  bytes INTEGER,
  sha256 TEXT,
  duration_ms INTEGER,
  waveform TEXT,
  recorded_at TEXT NOT NULL,
  PRIMARY KEY (project_id, conversation),
  CHECK ((blob IS NULL) <> (problem IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX recordings_of_time ON recordings (recorded_at);
