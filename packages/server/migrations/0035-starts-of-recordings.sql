-- The time of a recording's first sample; NULL when it starts with its conversation.

ALTER TABLE recordings ADD COLUMN started_at TEXT;
