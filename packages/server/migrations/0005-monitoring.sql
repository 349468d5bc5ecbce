-- Monitoring of production conversations: a setup for each platform, the chosen agents of platform_a with the progress of
-- their scans, imported calls and import failures. `…_ms` are Unix milliseconds.

CREATE TABLE monitoring_setups (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  agent_platform TEXT NOT NULL CHECK (agent_platform IN ('platform_a', 'platform_b_agents')),
  -- Counts the saves: a result under an older key says nothing about the current key.
  revision INTEGER NOT NULL,
  health_state TEXT NOT NULL
    CHECK (health_state IN ('healthy', 'invalid_credential', 'rate_limited', 'provider_unavailable')),
  blocked_until TEXT,
  consecutive_failures INTEGER NOT NULL,
  last_error_at TEXT,
  last_recovered_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX monitoring_setup_platforms ON monitoring_setups (project_id, agent_platform);

-- A dropped agent is not scanned. Its progress and failures stay until someone chooses it again.
CREATE TABLE monitored_agents (
  id TEXT PRIMARY KEY,
  setup_id TEXT NOT NULL REFERENCES monitoring_setups (id) ON DELETE CASCADE,
  platform_agent_id TEXT NOT NULL,
  platform_agent_name TEXT NOT NULL,
  dropped INTEGER NOT NULL CHECK (dropped IN (0, 1)),
  -- The current or last scan; `scan_page_key` is the next page.
  scan_kind TEXT CHECK (scan_kind IN ('first', 'poll', 'late', 'reconciliation')),
  scan_from_ms INTEGER,
  scan_to_ms INTEGER,
  scan_ended_from_ms INTEGER,
  scan_reached_ms INTEGER,
  scan_page_key TEXT,
  scan_pages INTEGER NOT NULL,
  scan_imported INTEGER NOT NULL,
  scan_done INTEGER NOT NULL CHECK (scan_done IN (0, 1)),
  -- End of the last scan of each kind; null until the first 30 days are imported.
  polled_to_ms INTEGER,
  late_to_ms INTEGER,
  reconciled_to_ms INTEGER,
  next_turn_ms INTEGER NOT NULL,
  -- The scanner takes the lease and increments it; a write with an older value is refused.
  lease INTEGER NOT NULL,
  leased_until_ms INTEGER NOT NULL,
  last_success_at TEXT,
  last_conversation_at TEXT
) STRICT;
CREATE UNIQUE INDEX monitored_agents_of_setup ON monitored_agents (setup_id, platform_agent_id);
CREATE INDEX monitored_agents_due ON monitored_agents (next_turn_ms) WHERE dropped = 0;

-- Keys of the pages that the current scan has read. A repeated key would make the scan endless.
CREATE TABLE scanned_pages (
  agent_id TEXT NOT NULL REFERENCES monitored_agents (id) ON DELETE CASCADE,
  page_key TEXT NOT NULL,
  PRIMARY KEY (agent_id, page_key)
) STRICT, WITHOUT ROWID;

-- Listed calls that are not imported. `waiting` is not a failure yet: the platform may still complete the call.
CREATE TABLE import_failures (
  id TEXT PRIMARY KEY,
  setup_id TEXT NOT NULL REFERENCES monitoring_setups (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL REFERENCES monitored_agents (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('waiting', 'open', 'resolved')),
  error_kind TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_ms INTEGER NOT NULL,
  replay INTEGER NOT NULL, -- number of the replay lease
  replaying_until_ms INTEGER NOT NULL,
  last_attempt_at TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX import_failures_of_setup ON import_failures (setup_id, call_id);
CREATE INDEX import_failures_of_agent ON import_failures (agent_id, status, next_attempt_ms);

-- Imported calls, each one conversation of the project, also after the setup is removed. Their spans are on disk.
CREATE TABLE imported_calls (
  project_id TEXT NOT NULL REFERENCES projects (id),
  call_id TEXT NOT NULL,
  platform_agent_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  imported_at TEXT NOT NULL,
  -- The platform analyses a call after its end. Until then the service reads it again, a few times.
  analysis_seen INTEGER NOT NULL CHECK (analysis_seen IN (0, 1)),
  looks INTEGER NOT NULL,
  look_again_ms INTEGER,
  PRIMARY KEY (project_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_calls_of_agent ON imported_calls (project_id, platform_agent_id, imported_at);
CREATE INDEX imported_calls_to_look_at ON imported_calls (project_id, platform_agent_id, look_again_ms)
  WHERE look_again_ms IS NOT NULL;
