-- For several processes on one database. `leased_until_ms` is the time until which a process grades the project's production
-- conversations, by the database's clock. No conversation that was received before `from_ms` is graded.

ALTER TABLE production_checkpoints ADD COLUMN leased_until_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE production_checkpoints ADD COLUMN from_ms INTEGER NOT NULL DEFAULT 0;
