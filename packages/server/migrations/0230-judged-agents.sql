-- How the last window of the agent was judged; null before it.
ALTER TABLE alert_states ADD COLUMN judged TEXT CHECK (judged IN ('good', 'bad', 'too_few', 'no_data'));
-- JSON array of the muted agents, each with the time until which it is muted.
ALTER TABLE alert_rules ADD COLUMN muted_agents TEXT NOT NULL DEFAULT '[]';
