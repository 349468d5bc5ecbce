-- The last time that any process on the database saw on its wall clock. A process alone keeps it in its data folder.

CREATE TABLE clock_witness (
  id INTEGER PRIMARY KEY,
  seen_ms INTEGER NOT NULL,
  hold_ms INTEGER NOT NULL
) STRICT;
