-- Tags of a test: a JSON list of words. They belong to no version.

ALTER TABLE tests ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
