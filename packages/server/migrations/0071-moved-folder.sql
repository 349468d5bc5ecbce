-- The data folder that `svc migrate` moves into this database, and how far it is. A data folder itself has no row.

CREATE TABLE moved_folders (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  folder TEXT NOT NULL,            -- which data folder it is
  content TEXT NOT NULL,           -- the digest of the folder's files
  rows_moved INTEGER NOT NULL,     -- 1: all rows of the relational store are here
  lsn INTEGER NOT NULL,            -- the last record of the journal whose spans are stored
  received_us INTEGER NOT NULL,    -- the time that the last span of this record got
  unreadable_records INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  finished_at TEXT                 -- the comparison found no difference
) STRICT;
