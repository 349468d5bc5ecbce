-- Filters, order and range of a list under a name. `query` is JSON.
CREATE TABLE saved_views (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  list TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX saved_view_names ON saved_views (project_id, name);
CREATE INDEX saved_views_of_project ON saved_views (project_id, id);
