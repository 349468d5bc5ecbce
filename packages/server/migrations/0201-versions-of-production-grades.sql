-- The version of the agent when the conversation was graded. Grades of earlier versions of the service have none.
ALTER TABLE production_grades ADD COLUMN agent_version TEXT;
