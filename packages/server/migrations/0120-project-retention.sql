-- Days after which the conversations of the project are erased; without them, only the service's own retention counts.
ALTER TABLE projects ADD COLUMN retention_days INTEGER;
