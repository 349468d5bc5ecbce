-- Agents and connections count their changes, so that an edit can name the revision that its author saw.

ALTER TABLE agents ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE connections ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

-- The live connections of an agent have different names. The oldest connection with a name keeps it. Each other one gets a
-- number, or its id when a connection has the name with this number already.
WITH live AS (
  SELECT id, agent_id, name, row_number() OVER (PARTITION BY agent_id, name ORDER BY id) AS place
  FROM connections WHERE archived_at IS NULL
), renamed AS (
  SELECT id, CASE
    WHEN EXISTS (
      SELECT 1 FROM connections AS other
      WHERE other.agent_id = live.agent_id AND other.archived_at IS NULL
        AND other.name = live.name || ' (' || live.place || ')'
    ) THEN name || ' (' || id || ')'
    ELSE name || ' (' || place || ')'
  END AS name
  FROM live WHERE place > 1
)
UPDATE connections SET name = renamed.name FROM renamed WHERE renamed.id = connections.id;

CREATE UNIQUE INDEX connection_names ON connections (agent_id, name) WHERE archived_at IS NULL;
