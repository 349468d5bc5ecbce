-- The version of the agent in the conversation; null when it is unknown, as in simulations.
ALTER TABLE grouped_failures ADD COLUMN agent_version TEXT;
-- JSON array of the versions whose failures do not open the resolved group again.
ALTER TABLE failure_groups ADD COLUMN resolved_except TEXT NOT NULL DEFAULT '[]';
