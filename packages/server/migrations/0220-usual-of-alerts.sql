-- The median of the windows that the window of the alert was compared with; null for a fixed limit.
ALTER TABLE alerts ADD COLUMN usual REAL;
-- JSON of what was usual for the first bad window in a row, or of null.
ALTER TABLE alert_states ADD COLUMN compared TEXT NOT NULL DEFAULT 'null';
