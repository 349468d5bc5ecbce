-- Who did what in an organization. A line is written before the operation does anything and its outcome afterwards, so that nothing
-- changes without a line and neither row ever changes. A line without an outcome was interrupted. No line refers to a record,
-- because lines outlive people, keys and projects; only the retention deletes them.

CREATE TABLE audit_lines (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  operation TEXT NOT NULL,
  via TEXT NOT NULL CHECK (via IN ('session', 'key', 'none', 'operator')),
  user_id TEXT,
  email TEXT,
  session_id TEXT,
  key_id TEXT,
  key_name TEXT,
  key_last_four TEXT,
  address TEXT,
  request_id TEXT,
  project_id TEXT,
  resource_kind TEXT,
  resource_id TEXT
) STRICT;
CREATE INDEX audit_lines_of_organization ON audit_lines (organization_id, id);
CREATE INDEX audit_lines_by_time ON audit_lines (created_at);

-- `error` is the code of a refusal or a fault. The resource is the one that the operation created.
CREATE TABLE audit_outcomes (
  line_id TEXT PRIMARY KEY REFERENCES audit_lines (id) ON DELETE CASCADE,
  error TEXT,
  created_kind TEXT,
  created_id TEXT
) STRICT;

CREATE TRIGGER audit_lines_are_frozen BEFORE UPDATE ON audit_lines
BEGIN
  SELECT RAISE (ABORT, 'a line of the audit is never changed');
END;

CREATE TRIGGER audit_outcomes_are_frozen BEFORE UPDATE ON audit_outcomes
BEGIN
  SELECT RAISE (ABORT, 'an outcome in the audit is never changed');
END;
