-- The cost at which the judge of a run stops, and what the judge spent. A sum is NULL when one of its requests is unknown.

ALTER TABLE runs ADD COLUMN max_cost REAL;
ALTER TABLE runs ADD COLUMN judge_requests INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN judge_input_tokens INTEGER DEFAULT 0;
ALTER TABLE runs ADD COLUMN judge_cached_input_tokens INTEGER DEFAULT 0;
ALTER TABLE runs ADD COLUMN judge_output_tokens INTEGER DEFAULT 0;
ALTER TABLE runs ADD COLUMN judge_cost REAL DEFAULT 0;

-- The last calibration of each judge. `judge` is its model, prompt version and dialect; `calibration` is JSON.
CREATE TABLE judge_calibrations (
  judge TEXT PRIMARY KEY,
  calibration TEXT NOT NULL,
  finished_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
