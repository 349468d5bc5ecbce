-- The attribute that has the version of the project's agents, before those that the service knows.
ALTER TABLE projects ADD COLUMN version_attribute TEXT;
