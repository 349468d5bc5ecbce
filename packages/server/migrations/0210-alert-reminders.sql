-- When the alert told for the last time that it is still bad.
ALTER TABLE alerts ADD COLUMN reminded_at TEXT;
