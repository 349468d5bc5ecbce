-- The conversations that raised an alert, worst first. A deleted conversation leaves a gap in `place`.
CREATE TABLE alert_conversations (
  alert_id TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  trace_id TEXT NOT NULL,
  turn INTEGER,
  value REAL,
  PRIMARY KEY (alert_id, place)
) STRICT;
CREATE INDEX alert_conversations_of_trace ON alert_conversations (trace_id);
