-- Requests that one process answers for another, because it plays the conversation that they are about. A process alone answers
-- all requests by itself.

CREATE TABLE relayed_requests (
  id TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  request TEXT NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0,
  answer TEXT,
  ends_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX relayed_requests_of_holder ON relayed_requests (holder);
