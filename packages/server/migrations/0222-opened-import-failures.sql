-- When people first saw the failure; null while it is waiting, and for one that was imported before.
ALTER TABLE import_failures ADD COLUMN opened_at TEXT;
UPDATE import_failures SET opened_at = created_at WHERE status = 'open';
