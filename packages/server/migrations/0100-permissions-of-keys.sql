-- What an API key may do, as a JSON array of the interface's names, and until when. Keys from before do what their creator's role allows.
ALTER TABLE api_keys ADD COLUMN permissions TEXT NOT NULL DEFAULT '["admin"]';
ALTER TABLE api_keys ADD COLUMN expires_at TEXT;
ALTER TABLE api_keys ADD COLUMN last_used_address TEXT;
