import type { FindProjects } from "../../access/projects.ts";
import { unknownAgentIds } from "../../agents/store/find-agent.ts";
import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { contentOf, type MockToolContent, type MockToolRow } from "./rules.ts";

/** Value of `mock_tool_scopes.agent_id` for a mock tool that answers for every agent. */
const EVERY_AGENT = "";

export type MockToolStore = {
  get: (projectId: string, id: string) => Promise<MockToolRow>;
  findProjects: FindProjects;
  list: (projectId: string, page: PageRequest) => Promise<Page<MockToolRow>>;
  listOfAgent: (projectId: string, agentId: string) => Promise<MockToolContent[]>;
  listUnknownAgents: (projectId: string, agentIds: readonly string[]) => Promise<string[]>;
  /**
   * Throws when the project already has a mock of the same tool for one of the same agents, or a second one for every
   * agent.
   */
  create: (projectId: string, content: MockToolContent) => Promise<MockToolRow>;
  edit: (projectId: string, id: string, decide: (current: MockToolContent) => MockToolContent) => Promise<MockToolRow>;
  delete: (projectId: string, id: string) => Promise<void>;
};

export function createMockToolStore(db: Db): MockToolStore {
  return {
    get: (projectId, id) => find(db, projectId, id),

    findProjects: (id) => projectOfRow(db, "mock_tools", id),

    async list(projectId, page) {
      const query = db.selectFrom("mock_tools").selectAll().where("project_id", "=", projectId);
      const { items, next } = await readPage(query, page);
      return { items: await withAgents(db, items), next };
    },

    async listOfAgent(projectId, agentId) {
      const rows = await db
        .selectFrom("mock_tools")
        .selectAll()
        .where("project_id", "=", projectId)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom("mock_tool_scopes")
              .select("mock_tool_id")
              .whereRef("mock_tool_id", "=", "mock_tools.id")
              .where("agent_id", "in", [EVERY_AGENT, agentId]),
          ),
        )
        .execute();
      return (await withAgents(db, rows)).map(contentOf);
    },

    listUnknownAgents: (projectId, agentIds) => unknownAgentIds(db, projectId, agentIds),

    create(projectId, content) {
      const now = new Date().toISOString();
      const id = newId("mck");
      return transaction(db, projectId, async (tx) => {
        const row = { id, project_id: projectId, ...columns(content), created_at: now, updated_at: now };
        await tx.insertInto("mock_tools").values(row).execute();
        await insertScopes(tx, projectId, id, content);
        return find(tx, projectId, id);
      }).catch(refuseTakenScope);
    },

    edit: (projectId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        const content = decide(contentOf(await find(tx, projectId, id)));
        await tx
          .updateTable("mock_tools")
          .set({ ...columns(content), updated_at: new Date().toISOString() })
          .where("id", "=", id)
          .execute();
        await tx.deleteFrom("mock_tool_scopes").where("mock_tool_id", "=", id).execute();
        await insertScopes(tx, projectId, id, content);
        return find(tx, projectId, id);
      }).catch(refuseTakenScope),

    async delete(projectId, id) {
      const deleted = await db
        .deleteFrom("mock_tools")
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (deleted.numDeletedRows === 0n) throw notFound();
    },
  };
}

const columns = ({ tool, outcome, delayMs, succeedsWhen }: MockToolContent) => ({
  tool,
  outcome: JSON.stringify(outcome),
  delay_ms: delayMs,
  succeeds_when: succeedsWhen ?? null,
});

async function insertScopes(tx: Db, projectId: string, id: string, { tool, agentIds }: MockToolContent): Promise<void> {
  const scopes = agentIds.length === 0 ? [EVERY_AGENT] : agentIds;
  const rows = scopes.map((agent_id) => ({ mock_tool_id: id, project_id: projectId, tool, agent_id }));
  await tx.insertInto("mock_tool_scopes").values(rows).execute();
}

async function find(db: Db, projectId: string, id: string): Promise<MockToolRow> {
  const row = await db
    .selectFrom("mock_tools")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);
  return (await withAgents(db, [row]))[0]!;
}

async function withAgents(db: Db, rows: Omit<MockToolRow, "agentIds">[]): Promise<MockToolRow[]> {
  if (rows.length === 0) return [];
  const scopes = await db
    .selectFrom("mock_tool_scopes")
    .select(["mock_tool_id", "agent_id"])
    .where(
      "mock_tool_id",
      "in",
      rows.map(({ id }) => id),
    )
    .where("agent_id", "<>", EVERY_AGENT)
    .orderBy("agent_id")
    .execute();
  const agentsOf = Map.groupBy(scopes, ({ mock_tool_id }) => mock_tool_id);
  return rows.map((row) => ({ ...row, agentIds: (agentsOf.get(row.id) ?? []).map(({ agent_id }) => agent_id) }));
}

const refuseTakenScope = refuseTaken(
  "Another mock of this tool answers for the same agents: edit that one, or choose other agents.",
);
