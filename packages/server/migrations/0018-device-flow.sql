-- Requests of devices for a key (RFC 8628). A request is deleted when its key is issued.
CREATE TABLE device_requests (
  id TEXT PRIMARY KEY,
  device_code_sha256 TEXT NOT NULL UNIQUE,
  user_code TEXT NOT NULL UNIQUE,
  client_name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied')),
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  organization_id TEXT REFERENCES organizations (id),
  interval_seconds INTEGER NOT NULL,
  polled_ms INTEGER,
  expires_ms INTEGER NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE INDEX device_requests_by_expiry ON device_requests (expires_ms);
