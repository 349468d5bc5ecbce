import type { FindProjects } from "../../access/projects.ts";
import { newId } from "../../base/ids.ts";
import { dialectOf, nextRevision } from "../../stores/dialect.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import { searchText } from "../../stores/search-text.ts";
import { transaction } from "../../stores/transaction.ts";
import type { ConnectionContent, ConnectionRow } from "../connections/rules.ts";
import type { ConnectionStore, CredentialOwner } from "../connections/store.ts";
import { type AgentContent, type AgentRow, refuseArchivedTwin } from "../rules.ts";
import { agentsOf, findAgent } from "./find-agent.ts";

type RegisteredAgent = {
  result: "created" | "reused";
  agent: AgentRow;
  connection: ConnectionRow | undefined;
};

type AgentFilter = { archived: boolean; search?: string | undefined };

export type AgentStore = {
  /** Returns an agent of the project, even an archived one. */
  get: (projectId: string, id: string) => Promise<AgentRow>;
  /** Returns a list with the name of the project's agent. The list is empty when the project has no agent with this id. */
  listNames: (projectId: string, id: string) => Promise<string[]>;
  /** Includes archived agents. */
  mapNames: (projectId: string, ids: readonly string[]) => Promise<Map<string, string>>;
  /** Returns whether only archived agents of the project have this name. */
  isArchived: (projectId: string, name: string) => Promise<boolean>;
  findProjects: FindProjects;
  list: (projectId: string, filter: AgentFilter, page: PageRequest) => Promise<Page<AgentRow>>;
  /**
   * Creates the agent, or finds the agent that is registered with the same id on the same platform. Creates or updates the connection that
   * `decide` returns. Throws when the found agent is archived, and for a taken name.
   */
  register: (
    owner: CredentialOwner,
    content: AgentContent,
    decide: (agent: AgentRow) => ConnectionContent | undefined,
  ) => Promise<RegisteredAgent>;
  edit: (projectId: string, id: string, decide: (current: AgentRow) => string) => Promise<AgentRow>;
  archive: (projectId: string, id: string) => Promise<{ agent: AgentRow; archivedConnections: ConnectionRow[] }>;
  /**
   * The agent's connections stay archived. An undefined `name` leaves the agent's name unchanged. Throws for a taken
   * name.
   */
  restore: (projectId: string, id: string, name: string | undefined) => Promise<AgentRow>;
};

export function createAgentStore(db: Db, connections: ConnectionStore): AgentStore {
  return {
    get: (projectId, id) => findAgent(db, projectId, id),

    async listNames(projectId, id) {
      return (await agentsOf(db, projectId).where("id", "=", id).execute()).map(({ name }) => name);
    },

    async mapNames(projectId, ids) {
      if (ids.length === 0) return new Map();
      const named = db.selectFrom("agents").select(["id", "name"]).where("project_id", "=", projectId);
      const rows = await named.where("id", "in", [...new Set(ids)]).execute();
      return new Map(rows.map(({ id, name }) => [id, name]));
    },

    async isArchived(projectId, name) {
      const agents = db.selectFrom("agents").select("archived_at").where("project_id", "=", projectId);
      const named = await agents.where("name", "=", name).execute();
      return named.length > 0 && named.every(({ archived_at }) => archived_at !== null);
    },

    findProjects: (id) => projectOfRow(db, "agents", id),

    list(projectId, { archived, search }, page) {
      let query = agentsOf(db, projectId).where("archived_at", archived ? "is not" : "is", null);
      if (search !== undefined) query = query.where(dialectOf(db).holdsText(search));
      return readPage(query, page);
    },

    register: (owner, content, decide) =>
      transaction(db, owner.projectId, async (tx): Promise<RegisteredAgent> => {
        const twin = await findTwin(tx, owner.projectId, content);
        if (twin) refuseArchivedTwin(twin);
        const agent = twin ?? (await insertAgent(tx, owner.projectId, content));
        const wanted = decide(agent);
        const connection = wanted && (await connections.ensure(tx, owner, agent, wanted));
        return {
          result: twin ? "reused" : "created",
          agent: await findAgent(tx, owner.projectId, agent.id),
          connection,
        };
      }),

    edit: (projectId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        const name = decide(agent);
        return agent.name === name ? agent : updateAgent(tx, agent, { name });
      }),

    archive: (projectId, id) =>
      transaction(db, projectId, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        if (agent.archived_at !== null) return { agent, archivedConnections: [] };
        const now = new Date().toISOString();
        await tx
          .updateTable("agents")
          .set({ archived_at: now, updated_at: now, revision: nextRevision })
          .where("id", "=", id)
          .execute();
        const archivedConnections = await connections.archiveAll(tx, id, now);
        return { agent: await findAgent(tx, projectId, id), archivedConnections };
      }),

    restore: (projectId, id, name) =>
      transaction(db, projectId, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        if (agent.archived_at === null) return agent;
        return updateAgent(tx, agent, { name: name ?? agent.name, archived_at: null });
      }),
  };
}

async function findTwin(db: Db, projectId: string, content: AgentContent): Promise<AgentRow | undefined> {
  if (content.platformAgentId === null) return undefined;
  return agentsOf(db, projectId)
    .where("agent_platform", "=", content.platform)
    .where("platform_agent_id", "=", content.platformAgentId)
    .executeTakeFirst();
}

async function insertAgent(tx: Db, projectId: string, content: AgentContent): Promise<AgentRow> {
  const { name, platform, platformAgentId } = content;
  const now = new Date().toISOString();
  const id = newId("agt");
  await tx
    .insertInto("agents")
    .values({
      id,
      project_id: projectId,
      name,
      agent_platform: platform,
      platform_agent_id: platformAgentId,
      search_text: searchText(name, platformAgentId),
      created_at: now,
      updated_at: now,
      archived_at: null,
      revision: 1,
    })
    .execute()
    .catch(refuseTakenName);
  return findAgent(tx, projectId, id);
}

async function updateAgent(tx: Db, agent: AgentRow, changes: { name: string; archived_at?: null }): Promise<AgentRow> {
  await tx
    .updateTable("agents")
    .set({
      ...changes,
      search_text: searchText(changes.name, agent.platform_agent_id),
      updated_at: new Date().toISOString(),
      revision: nextRevision,
    })
    .where("id", "=", agent.id)
    .execute()
    .catch(refuseTakenName);
  return findAgent(tx, agent.project_id, agent.id);
}

const refuseTakenName = refuseTaken("Another live agent of the project has this name; choose another `name`.");
