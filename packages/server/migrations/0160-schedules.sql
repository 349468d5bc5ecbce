-- Runs that start by themselves. `plan` is JSON with the selection of tests and the options of a run. `next_due_ms` is the next due time,
-- and null while the schedule is paused. `queued_ms` is a due time that waits for the end of the run before. `problem` says why the last due time started no run.
CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  agent_id TEXT NOT NULL REFERENCES agents (id),
  connection_id TEXT NOT NULL REFERENCES connections (id),
  plan TEXT NOT NULL,
  required TEXT,
  cron TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  overlap TEXT NOT NULL CHECK (overlap IN ('skip', 'queue')),
  next_due_ms INTEGER,
  queued_ms INTEGER,
  missed INTEGER NOT NULL,
  skipped INTEGER NOT NULL,
  last_missed_ms INTEGER,
  problem TEXT,
  problem_ms INTEGER,
  problems INTEGER NOT NULL,
  created_by_user_id TEXT,
  created_by_key_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  revision INTEGER NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX schedules_of_project ON schedules (project_id, id);
CREATE INDEX due_schedules ON schedules (next_due_ms) WHERE next_due_ms IS NOT NULL;

-- The schedule that started the run, and the due time for which it did; a due time starts one run. A run outlives its schedule.
ALTER TABLE runs ADD COLUMN schedule_id TEXT;
ALTER TABLE runs ADD COLUMN due_ms INTEGER;
ALTER TABLE runs ADD COLUMN required TEXT;
CREATE UNIQUE INDEX runs_of_due_times ON runs (schedule_id, due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX runs_of_schedules ON runs (schedule_id, id) WHERE schedule_id IS NOT NULL;
