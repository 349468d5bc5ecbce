-- The requests of each subject in the present window of its rate limit, for several processes on one database. A process alone
-- counts in its memory.

CREATE TABLE request_counts (
  subject TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  ends_ms INTEGER NOT NULL
) STRICT;
