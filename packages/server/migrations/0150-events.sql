-- What happened in a project. An event is written in the transaction of its cause. `seq` is the order in the project. Events of one
-- `subject` reach a destination in this order; `about` is the record that the event concerns.
CREATE TABLE events (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  about TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (project_id, seq)
) STRICT;
CREATE INDEX events_of_project ON events (project_id, id);
CREATE INDEX events_by_about ON events (project_id, about, type);
CREATE INDEX events_by_time ON events (created_at);

-- Where events are sent. `sealed_credentials` has the secret of a webhook and the address of Slack. `retry_ms` is the time until which
-- nothing is sent after failed attempts; `leased_until_ms` the time until which one process sends.
CREATE TABLE destinations (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('webhook', 'slack', 'email')),
  address TEXT,
  event_types TEXT NOT NULL,
  agents TEXT NOT NULL,
  pause_reason TEXT CHECK (pause_reason IN ('person', 'gone')),
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since TEXT,
  problem TEXT,
  retry_ms INTEGER NOT NULL DEFAULT 0,
  leased_until_ms INTEGER NOT NULL DEFAULT 0,
  last_delivered_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (project_id, name)
) STRICT;

-- One event on its way to one destination. Everything that the order needs is here too, so that one index answers what is due.
CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  destination_id TEXT NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  event_id TEXT NOT NULL REFERENCES events (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  subject TEXT NOT NULL,
  is_digest INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  status INTEGER,
  problem TEXT,
  created_at TEXT NOT NULL,
  ended_at TEXT,
  UNIQUE (destination_id, event_id)
) STRICT;
CREATE INDEX deliveries_of_destination ON deliveries (destination_id, id);
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_by_turn ON deliveries (destination_id, attempts, seq) WHERE state = 'waiting';
CREATE INDEX deliveries_by_time ON deliveries (destination_id, next_ms) WHERE state = 'waiting';
CREATE INDEX deliveries_by_subject ON deliveries (destination_id, subject, seq) WHERE state = 'waiting';
