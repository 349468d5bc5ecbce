import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { type Page, type PageRequest, readPage } from "../stores/page.ts";
import { type Db, refuseTaken } from "../stores/relational.ts";
import { transaction } from "../stores/transaction.ts";
import { contentOf, type MockContent, type MockRow } from "./rules.ts";

/** The scope of a mock tool that answers for every agent. */
const EVERY_AGENT = "";

export type MockToolStore = ReturnType<typeof openMockToolStore>;

export function openMockToolStore(db: Db) {
  return {
    get: (projectId: string, id: string) => find(db, projectId, id),

    async list(projectId: string, page: PageRequest): Promise<Page<MockRow>> {
      const query = db.selectFrom("mock_tools").selectAll().where("project_id", "=", projectId);
      const { items, next } = await readPage(query, page);
      return { items: await withAgents(db, items), next };
    },

    /** All that can answer for the agent, for a run to take along. */
    async ofAgent(projectId: string, agentId: string): Promise<MockContent[]> {
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

    /** Those of the ids that name no agent of the project. */
    async unknownAgents(projectId: string, agentIds: readonly string[]): Promise<string[]> {
      if (agentIds.length === 0) return [];
      const rows = await db
        .selectFrom("agents")
        .select("id")
        .where("project_id", "=", projectId)
        .where("id", "in", agentIds)
        .execute();
      const known = new Set(rows.map(({ id }) => id));
      return agentIds.filter((id) => !known.has(id));
    },

    async create(projectId: string, content: MockContent): Promise<MockRow> {
      const now = new Date().toISOString();
      const id = newId("mck");
      return transaction(db, async (tx) => {
        const row = { id, project_id: projectId, ...columns(content), created_at: now, updated_at: now };
        await tx.insertInto("mock_tools").values(row).execute();
        await answerFor(tx, projectId, id, content);
        return find(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    /** Reads the mock tool, lets `decide` say what it becomes, and writes that, all in one transaction. */
    async edit(projectId: string, id: string, decide: (current: MockContent) => MockContent): Promise<MockRow> {
      return transaction(db, async (tx) => {
        const content = decide(contentOf(await find(tx, projectId, id)));
        await tx
          .updateTable("mock_tools")
          .set({ ...columns(content), updated_at: new Date().toISOString() })
          .where("id", "=", id)
          .execute();
        await tx.deleteFrom("mock_tool_scopes").where("mock_tool_id", "=", id).execute();
        await answerFor(tx, projectId, id, content);
        return find(tx, projectId, id);
      }).catch(refuseTakenName);
    },

    async delete(projectId: string, id: string): Promise<void> {
      const deleted = await db
        .deleteFrom("mock_tools")
        .where("project_id", "=", projectId)
        .where("id", "=", id)
        .executeTakeFirst();
      if (deleted.numDeletedRows === 0n) throw notFound();
    },
  };
}

const columns = ({ tool, outcome, delayMs }: MockContent) => ({
  tool,
  outcome: JSON.stringify(outcome),
  delay_ms: delayMs ?? null,
});

async function answerFor(tx: Db, projectId: string, id: string, { tool, agentIds }: MockContent): Promise<void> {
  const scopes = agentIds.length === 0 ? [EVERY_AGENT] : agentIds;
  const rows = scopes.map((agent_id) => ({ mock_tool_id: id, project_id: projectId, tool, agent_id }));
  await tx.insertInto("mock_tool_scopes").values(rows).execute();
}

async function find(db: Db, projectId: string, id: string): Promise<MockRow> {
  const row = await db
    .selectFrom("mock_tools")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("id", "=", id)
    .executeTakeFirstOrThrow(notFound);
  return (await withAgents(db, [row]))[0]!;
}

/** The rows with the agents for which each answers. */
async function withAgents(db: Db, rows: Omit<MockRow, "agentIds">[]): Promise<MockRow[]> {
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

const refuseTakenName = refuseTaken(
  "Another mock of this tool answers for the same agents: edit that one, or choose other agents.",
);
