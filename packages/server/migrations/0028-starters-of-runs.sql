-- The person who started a run, and the API key when one did; both null for earlier runs. The person's id stays when the
-- account is deleted, and has no name then.

ALTER TABLE runs ADD COLUMN started_by_user_id TEXT;
ALTER TABLE runs ADD COLUMN started_by_key_id TEXT;
