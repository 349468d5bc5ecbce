-- Conversations whose failures are not grouped yet, or whose verdict changed. A row is written in the transaction of its cause.
-- `revision` grows with each cause, so that a process that grouped an older one leaves the row.
CREATE TABLE ungrouped_failures (
  project_id TEXT NOT NULL REFERENCES projects (id),
  conversation TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('production', 'simulation')),
  trace_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  leased_until_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, conversation)
) STRICT;
CREATE INDEX ungrouped_failures_due ON ungrouped_failures (next_ms);

-- Groups of failures. `what` is JSON of what failed, `what_key` its digest. `title_from` is the anchor of
-- the member whose words are the title.
CREATE TABLE failure_groups (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  what_key TEXT NOT NULL,
  what TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'resolved', 'ignored')),
  resolved_at TEXT,
  resolved_by TEXT,
  regressed_at TEXT,
  size INTEGER NOT NULL,
  first_seen TEXT NOT NULL,
  last_seen TEXT NOT NULL,
  title TEXT,
  title_from TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT;
CREATE INDEX failure_groups_by_last_seen ON failure_groups (project_id, last_seen, id);
CREATE INDEX failure_groups_by_size ON failure_groups (project_id, size, id);
CREATE INDEX failure_groups_by_what ON failure_groups (project_id, what_key);

-- One failure of a conversation. `wording` is what the failing turn's words are compared by; `is_compared` tells whether later ones are
-- compared with it. `anchor` is the start and a digest of the conversation, by which the oldest is found. `known_at` is when it was decided.
CREATE TABLE grouped_failures (
  project_id TEXT NOT NULL REFERENCES projects (id),
  conversation TEXT NOT NULL,
  what_key TEXT NOT NULL,
  group_id TEXT,
  wording TEXT NOT NULL,
  is_compared INTEGER NOT NULL,
  quote TEXT,
  turn INTEGER,
  source TEXT NOT NULL CHECK (source IN ('production', 'simulation')),
  trace_id TEXT,
  run_id TEXT,
  agent TEXT,
  started_at TEXT NOT NULL,
  anchor TEXT NOT NULL,
  known_at TEXT NOT NULL,
  PRIMARY KEY (project_id, conversation, what_key)
) STRICT;
CREATE INDEX grouped_failures_of_group ON grouped_failures (group_id, started_at, conversation);
CREATE INDEX grouped_failures_by_what ON grouped_failures (project_id, what_key);
CREATE INDEX grouped_failures_by_trace ON grouped_failures (project_id, trace_id);
CREATE INDEX grouped_failures_by_start ON grouped_failures (project_id, started_at, conversation);
CREATE INDEX grouped_failures_by_time ON grouped_failures (known_at);

-- Ids of groups that another group took up.
CREATE TABLE group_aliases (
  id TEXT PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES failure_groups (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX group_aliases_of_group ON group_aliases (group_id);
