-- A run plays pinned test versions over one connection; a simulation is one of its conversations. `connection`,
-- `mock_tools` and `graders` are JSON copies from the creation of the run. `transcript` is JSON with turns and tool calls.

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'canceled')),
  stop_reason TEXT,
  agent_id TEXT NOT NULL REFERENCES agents (id),
  connection_id TEXT NOT NULL REFERENCES connections (id),
  connection TEXT NOT NULL,
  mock_tools TEXT NOT NULL,
  graders TEXT NOT NULL,
  caller TEXT NOT NULL,
  iterations INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  turn_limit INTEGER NOT NULL,
  time_limit_seconds INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT
) STRICT;
CREATE INDEX runs_of_project ON runs (project_id, id);
CREATE INDEX open_runs ON runs (id) WHERE status IN ('pending', 'running');

CREATE TABLE simulations (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  project_id TEXT NOT NULL REFERENCES projects (id),
  test_id TEXT NOT NULL,
  test_version_id TEXT NOT NULL,
  test_name TEXT NOT NULL,
  persona_id TEXT NOT NULL,
  persona_version_id TEXT NOT NULL,
  persona_name TEXT NOT NULL,
  iteration INTEGER NOT NULL,
  behavior_count INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'running', 'completed', 'failed', 'canceled')),
  attempt INTEGER NOT NULL,
  ending_reason TEXT,
  message TEXT,
  transcript TEXT,
  turn_count INTEGER NOT NULL,
  trace_id TEXT,
  spans_written INTEGER NOT NULL,
  grading TEXT NOT NULL CHECK (grading IN ('pending', 'running', 'settled')),
  gradings INTEGER NOT NULL,
  verdict TEXT,
  behaviors_graded INTEGER NOT NULL,
  veto_reason TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT
) STRICT;
CREATE INDEX simulations_of_run ON simulations (run_id, status, id);
CREATE INDEX simulations_counted ON simulations (run_id, status, verdict, grading);
CREATE INDEX simulations_paged ON simulations (run_id, id);
CREATE INDEX simulations_to_grade ON simulations (id)
  WHERE grading <> 'settled' AND status IN ('completed', 'failed');

CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs (id),
  seq INTEGER NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- The run and the body of each `Idempotency-Key`.
CREATE TABLE run_requests (
  project_id TEXT NOT NULL REFERENCES projects (id),
  idempotency_key TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES runs (id),
  PRIMARY KEY (project_id, idempotency_key)
) STRICT, WITHOUT ROWID;

-- Grades of each grading. They never change.
CREATE TABLE grades (
  id TEXT NOT NULL UNIQUE,
  simulation_id TEXT NOT NULL REFERENCES simulations (id),
  grading INTEGER NOT NULL,
  position INTEGER NOT NULL,
  grade TEXT NOT NULL,
  graded_at TEXT NOT NULL,
  PRIMARY KEY (simulation_id, grading, position)
) STRICT, WITHOUT ROWID;
