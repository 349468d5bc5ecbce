-- The tries of connections that are under way at all processes on one database. A process alone keeps them in its memory.

CREATE TABLE tries_under_way (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL,
  leased_until_ms INTEGER NOT NULL -- a process that dies gives its places back then
) STRICT;
