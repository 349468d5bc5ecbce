-- The suite that a run was started from, with its name at that time; null for a run of test versions and for earlier runs.
-- `test_count` and `persona_count` count the different tests and personas of the run's simulations.

ALTER TABLE runs ADD COLUMN suite_id TEXT;
ALTER TABLE runs ADD COLUMN suite_name TEXT;
ALTER TABLE runs ADD COLUMN test_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN persona_count INTEGER NOT NULL DEFAULT 0;

UPDATE runs SET
  test_count = (SELECT count(DISTINCT test_id) FROM simulations WHERE run_id = runs.id),
  persona_count = (SELECT count(DISTINCT persona_id) FROM simulations WHERE run_id = runs.id);

CREATE INDEX runs_of_suite ON runs (suite_id, id);
CREATE INDEX runs_of_status ON runs (project_id, status, id);
