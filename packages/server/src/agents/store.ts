import { sql } from "kysely";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import { holdsText } from "../stores/holds-text.ts";
import { searchText } from "../stores/search-text.ts";
import { transaction } from "../stores/transaction.ts";
import type { ConnectionRow, DecidedConnection } from "./connections/rules.ts";
import type { ConnectionStore, Owner } from "./connections/store.ts";
import { type AgentRow, type NewAgent, refuseArchived, refuseArchivedTwin } from "./rules.ts";

type Registered = { result: "created" | "reused"; agent: AgentRow; connection: ConnectionRow | undefined };
type AgentFilter = { archived: boolean; search?: string | undefined };
export type AgentStore = ReturnType<typeof openAgentStore>;

export function openAgentStore(db: Db, connections: ConnectionStore) {
  async function insert(tx: Db, projectId: string, { name, platform, platformAgentId }: NewAgent): Promise<AgentRow> {
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
      })
      .execute()
      .catch(refuseTakenName);
    return findAgent(tx, projectId, id);
  }

  async function change(tx: Db, agent: AgentRow, changed: { name: string; archived_at?: null }): Promise<AgentRow> {
    await tx
      .updateTable("agents")
      .set({
        ...changed,
        search_text: searchText(changed.name, agent.platform_agent_id),
        updated_at: new Date().toISOString(),
      })
      .where("id", "=", agent.id)
      .execute()
      .catch(refuseTakenName);
    return findAgent(tx, agent.project_id, agent.id);
  }

  return {
    get: (projectId: string, id: string) => findAgent(db, projectId, id),

    /** The name of the agent, or none when the project has no such. */
    async names(projectId: string, id: string): Promise<string[]> {
      return (await rows(db, projectId).where("id", "=", id).execute()).map(({ name }) => name);
    },

    async list(projectId: string, { archived, search }: AgentFilter, page: PageRequest): Promise<Page<AgentRow>> {
      let query = rows(db, projectId).where("archived_at", archived ? "is not" : "is", null);
      if (search !== undefined) query = query.where(holdsText(search));
      return readPage(query, page);
    },

    /** Registers the agent, or finds the one that this platform agent was registered as, and its connection with it. */
    async register(owner: Owner, wanted: NewAgent, decide: (agent: AgentRow) => DecidedConnection | undefined) {
      return transaction(db, async (tx): Promise<Registered> => {
        const known = await twin(tx, owner.projectId, wanted);
        if (known) refuseArchivedTwin(known);
        const agent = known ?? (await insert(tx, owner.projectId, wanted));
        const decided = decide(agent);
        const connection = decided && (await connections.ensure(tx, owner, agent, decided));
        return {
          result: known ? "reused" : "created",
          agent: await findAgent(tx, owner.projectId, agent.id),
          connection,
        };
      });
    },

    async rename(projectId: string, id: string, name: string): Promise<AgentRow> {
      return transaction(db, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        refuseArchived(agent);
        return agent.name === name ? agent : change(tx, agent, { name });
      });
    },

    /** Archives the agent and its live connections together. */
    async archive(projectId: string, id: string): Promise<{ agent: AgentRow; archivedConnections: ConnectionRow[] }> {
      return transaction(db, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        if (agent.archived_at !== null) return { agent, archivedConnections: [] };
        const now = new Date().toISOString();
        await tx.updateTable("agents").set({ archived_at: now, updated_at: now }).where("id", "=", id).execute();
        const archivedConnections = await connections.archiveAll(tx, id, now);
        return { agent: await findAgent(tx, projectId, id), archivedConnections };
      });
    },

    /** Makes the agent live again, under its name or another; its connections stay as they are. */
    async restore(projectId: string, id: string, name: string | undefined): Promise<AgentRow> {
      return transaction(db, async (tx) => {
        const agent = await findAgent(tx, projectId, id);
        return agent.archived_at === null ? agent : change(tx, agent, { name: name ?? agent.name, archived_at: null });
      });
    },
  };
}

/** The project's agent, archived or not. */
export async function findAgent(db: Db, projectId: string, id: string): Promise<AgentRow> {
  return rows(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
}

async function twin(db: Db, projectId: string, { platform, platformAgentId }: NewAgent): Promise<AgentRow | undefined> {
  if (platformAgentId === null) return undefined;
  return rows(db, projectId)
    .where("agent_platform", "=", platform)
    .where("platform_agent_id", "=", platformAgentId)
    .executeTakeFirst();
}

const rows = (db: Db, projectId: string) =>
  db
    .selectFrom("agents")
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom("connections")
        .select("modality")
        .whereRef("connections.agent_id", "=", "agents.id")
        .where("connection_type", "in", ["platform_a_chat_api", "platform_a_web_call"])
        .orderBy(sql`connections.archived_at IS NOT NULL`)
        .orderBy("connections.id")
        .limit(1)
        .as("platform_a_modality"),
    )
    .where("project_id", "=", projectId);

const refuseTakenName = refuseTaken("Another live agent of the project has this name; choose another `name`.");
