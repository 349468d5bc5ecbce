-- Agents under test or monitoring, and the connections to them. Archived rows stay, for a restore and for the history of
-- runs. `search_text` is the name and the platform id in lower case, by Unicode rules, which the engine does not implement.

CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  agent_platform TEXT NOT NULL,
  platform_agent_id TEXT,
  search_text TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT
) STRICT;
CREATE UNIQUE INDEX agent_names ON agents (project_id, name) WHERE archived_at IS NULL;
CREATE UNIQUE INDEX agents_of_platform ON agents (project_id, agent_platform, platform_agent_id)
  WHERE platform_agent_id IS NOT NULL;
CREATE INDEX agents_of_project ON agents (project_id, id);

-- `config` is JSON with the fields of the access variant. `sealed_credentials` holds the credential under the row's id.
CREATE TABLE connections (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents (id),
  name TEXT NOT NULL,
  connection_type TEXT NOT NULL,
  access_variant TEXT NOT NULL,
  modality TEXT NOT NULL,
  environment TEXT NOT NULL,
  config TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT
) STRICT;
CREATE INDEX connections_of_agent ON connections (agent_id, id);
