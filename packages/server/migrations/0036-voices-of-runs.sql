-- The voice of each persona version in a run with sound, as JSON by the version's id; NULL for other and for earlier runs.

ALTER TABLE runs ADD COLUMN voices TEXT;
