-- Rules that watch conversations. `content` is JSON. Windows up to `evaluated_to_ms` are judged; `next_ms` is when the next one may be.
-- `revision` grows with each change, so that a judgement of an older rule is dropped.
CREATE TABLE alert_rules (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  muted_until TEXT,
  revision INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  evaluated_to_ms INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (project_id, name)
) STRICT;
CREATE INDEX alert_rules_due ON alert_rules (next_ms) WHERE enabled = 1;

-- What a rule remembers of an agent: how many windows in a row were bad or good. `agent` is a JSON text or null.
CREATE TABLE alert_states (
  rule_id TEXT NOT NULL REFERENCES alert_rules (id) ON DELETE CASCADE,
  agent TEXT NOT NULL,
  bad INTEGER NOT NULL,
  good INTEGER NOT NULL,
  alert_id TEXT,
  PRIMARY KEY (rule_id, agent)
) STRICT;

CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  rule_id TEXT NOT NULL REFERENCES alert_rules (id) ON DELETE CASCADE,
  rule_name TEXT NOT NULL,
  agent TEXT,
  severity TEXT NOT NULL,
  window_started_at TEXT NOT NULL,
  raised_at TEXT NOT NULL,
  cleared_at TEXT,
  cleared_because TEXT CHECK (cleared_because IN ('recovered', 'rule_changed')),
  value REAL,
  samples INTEGER NOT NULL,
  condition_is TEXT NOT NULL,
  condition_value REAL NOT NULL,
  unit TEXT NOT NULL,
  what TEXT NOT NULL,
  acknowledged_by TEXT,
  acknowledged_at TEXT,
  note TEXT
) STRICT;
CREATE INDEX alerts_of_project ON alerts (project_id, id);
CREATE INDEX alerts_of_rule ON alerts (rule_id, id);
CREATE INDEX alerts_open ON alerts (project_id, id) WHERE cleared_at IS NULL;
