-- `quotes`: whether the messages of a destination quote conversations. `detail`: what the request of a line asked for, when the name of its
-- operation does not say it.
ALTER TABLE destinations ADD COLUMN quotes INTEGER NOT NULL DEFAULT 0 CHECK (quotes IN (0, 1));
ALTER TABLE audit_lines ADD COLUMN detail TEXT;
