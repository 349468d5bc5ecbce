-- Prepared answers for agents' tools in simulations. `outcome` is the JSON object {"answer": …} or {"error": …}.

CREATE TABLE mock_tools (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  tool TEXT NOT NULL,
  outcome TEXT NOT NULL,
  delay_ms INTEGER,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX mock_tools_of_project ON mock_tools (project_id, id);

-- Agents for which a mock tool answers: one row for each agent, or one row with the empty text for all agents.
CREATE TABLE mock_tool_scopes (
  mock_tool_id TEXT NOT NULL REFERENCES mock_tools (id) ON DELETE CASCADE,
  project_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  PRIMARY KEY (mock_tool_id, agent_id)
) STRICT;
CREATE UNIQUE INDEX mock_tool_of_agent ON mock_tool_scopes (project_id, tool, agent_id);
