import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { nextRevision } from "../../stores/dialect.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import type { AgentRow } from "../rules.ts";
import { findAgent } from "../store/find-agent.ts";
import {
  type ConnectionChange,
  type ConnectionContent,
  type ConnectionRow,
  freeName,
  leadsToSame,
  refuseArchivedAgent,
  refuseOverfull,
  type Secret,
} from "./rules.ts";

export type CredentialOwner = { projectId: string; organizationId: string };

export type ConnectionOfAgent = { agent: AgentRow; connection: ConnectionRow };

export type ConnectionStore = {
  /** Returns a connection of the agent together with the agent; both may be archived. */
  get: (projectId: string, agentId: string, id: string) => Promise<ConnectionOfAgent>;
  list: (
    projectId: string,
    agentId: string,
    archived: boolean,
    page: PageRequest,
  ) => Promise<{ agent: AgentRow; page: Page<ConnectionRow> }>;
  /** Throws for an archived agent, for an agent with too many connections, and for a taken name. */
  create: (
    owner: CredentialOwner,
    agentId: string,
    decide: (agent: AgentRow) => ConnectionContent,
  ) => Promise<ConnectionOfAgent>;
  edit: (
    owner: CredentialOwner,
    agentId: string,
    id: string,
    decide: (current: ConnectionRow) => ConnectionChange,
  ) => Promise<ConnectionOfAgent>;
  /** Archives the connection and keeps its sealed credential. */
  archive: (projectId: string, agentId: string, id: string) => Promise<ConnectionOfAgent>;
  restore: (
    projectId: string,
    agentId: string,
    id: string,
    decide: (current: ConnectionOfAgent) => boolean,
  ) => Promise<ConnectionOfAgent>;
  /**
   * Replaces the credential of the live connection that has the same type and content. Creates a connection when the agent has no such
   * connection.
   */
  ensure: (tx: Db, owner: CredentialOwner, agent: AgentRow, content: ConnectionContent) => Promise<ConnectionRow>;
  archiveAll: (tx: Db, agentId: string, now: string) => Promise<ConnectionRow[]>;
};

export function createConnectionStore(db: Db, sealed: SealedCredentials): ConnectionStore {
  return {
    get: (projectId, agentId, id) => findConnection(db, projectId, agentId, id),

    async list(projectId, agentId, archived, page) {
      const agent = await findAgent(db, projectId, agentId);
      const query = connectionsOf(db, agentId).where("archived_at", archived ? "is not" : "is", null);
      return { agent, page: await readPage(query, page) };
    },

    create: (owner, agentId, decide) =>
      transaction(db, owner.projectId, async (tx) => {
        const agent = await findAgent(tx, owner.projectId, agentId);
        refuseArchivedAgent(agent);
        return { agent, connection: await insert(tx, owner, agent, decide(agent)) };
      }),

    edit: (owner, agentId, id, decide) =>
      transaction(db, owner.projectId, async (tx) => {
        const { agent, connection } = await findConnection(tx, owner.projectId, agentId, id);
        return { agent, connection: await update(tx, owner, connection, decide(connection)) };
      }),

    archive: (projectId, agentId, id) =>
      transaction(db, projectId, async (tx) => {
        const current = await findConnection(tx, projectId, agentId, id);
        if (current.connection.archived_at !== null) return current;
        await setArchived(tx, [id], new Date().toISOString());
        return findConnection(tx, projectId, agentId, id);
      }),

    restore: (projectId, agentId, id, decide) =>
      transaction(db, projectId, async (tx) => {
        const current = await findConnection(tx, projectId, agentId, id);
        if (!decide(current)) return current;
        refuseOverfull((await liveNames(tx, agentId)).length);
        await setArchived(tx, [id], null);
        return findConnection(tx, projectId, agentId, id);
      }),

    async ensure(tx, owner, agent, content) {
      const live = await connectionsOf(tx, agent.id).where("archived_at", "is", null).orderBy("id").execute();
      const same = live.find((row) => leadsToSame(row, content));
      return same
        ? update(tx, owner, same, { columns: {}, secret: content.secret })
        : insert(tx, owner, agent, content);
    },

    async archiveAll(tx, agentId, now) {
      const live = await connectionsOf(tx, agentId).where("archived_at", "is", null).orderBy("id", "desc").execute();
      const ids = live.map(({ id }) => id);
      await setArchived(tx, ids, now);
      return live.map((row) => ({ ...row, archived_at: now, updated_at: now, revision: row.revision + 1 }));
    },
  };

  async function insert(
    tx: Db,
    owner: CredentialOwner,
    agent: AgentRow,
    { columns, choosesName, secret }: ConnectionContent,
  ): Promise<ConnectionRow> {
    const taken = await liveNames(tx, agent.id);
    refuseOverfull(taken.length);
    const name = choosesName ? columns.name : freeName(columns.name, taken);
    const id = newId("con");
    const now = new Date().toISOString();
    await tx
      .insertInto("connections")
      .values({
        id,
        agent_id: agent.id,
        ...columns,
        name,
        created_at: now,
        updated_at: now,
        archived_at: null,
        revision: 1,
      })
      .execute()
      .catch(refuseTakenName);
    await seal(tx, owner, id, secret);
    return findOfAgent(tx, agent.id, id);
  }

  async function update(
    tx: Db,
    owner: CredentialOwner,
    current: ConnectionRow,
    { columns, secret }: ConnectionChange,
  ): Promise<ConnectionRow> {
    if (Object.keys(columns).length === 0 && !secret) return current;
    await seal(tx, owner, current.id, secret);
    await tx
      .updateTable("connections")
      .set({ ...columns, updated_at: new Date().toISOString(), revision: nextRevision })
      .where("id", "=", current.id)
      .execute()
      .catch(refuseTakenName);
    return findOfAgent(tx, current.agent_id, current.id);
  }

  async function seal(tx: Db, { organizationId }: CredentialOwner, id: string, secret: Secret | undefined) {
    if (secret) await sealed.put(tx, { id, organizationId }, secret.text, secret.shown);
  }
}

async function findConnection(tx: Db, projectId: string, agentId: string, id: string): Promise<ConnectionOfAgent> {
  const agent = await findAgent(tx, projectId, agentId);
  return { agent, connection: await findOfAgent(tx, agentId, id) };
}

async function findOfAgent(tx: Db, agentId: string, id: string): Promise<ConnectionRow> {
  return connectionsOf(tx, agentId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
}

const connectionsOf = (db: Db, agentId: string) =>
  db
    .selectFrom("connections")
    .leftJoin("sealed_credentials", "owner_id", "id")
    .selectAll("connections")
    .select("sealed_credentials.hint")
    .where("agent_id", "=", agentId);

async function liveNames(db: Db, agentId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("connections")
    .select("name")
    .where("agent_id", "=", agentId)
    .where("archived_at", "is", null)
    .execute();
  return rows.map(({ name }) => name);
}

const refuseTakenName = refuseTaken(
  "Another live connection of the agent has this name; choose another, or rename or archive that one.",
);

async function setArchived(tx: Db, ids: string[], archivedAt: string | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable("connections")
    .set({ archived_at: archivedAt, updated_at: archivedAt ?? new Date().toISOString(), revision: nextRevision })
    .where("id", "in", ids)
    .execute()
    .catch(refuseTakenName);
}
