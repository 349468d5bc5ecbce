-- The sample of a project: an agent that ships with the service, its suite of tests, and the run that started with it.

CREATE TABLE samples (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  agent_id TEXT NOT NULL REFERENCES agents (id),
  connection_id TEXT NOT NULL REFERENCES connections (id),
  suite_id TEXT NOT NULL REFERENCES suites (id),
  run_id TEXT NOT NULL REFERENCES runs (id),
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
