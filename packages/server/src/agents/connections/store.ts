import { notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import type { Db } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import type { AgentRow } from "../rules.ts";
import { findAgent } from "../store.ts";
import {
  type ConnectionChange,
  type ConnectionRow,
  type DecidedConnection,
  leadsToSame,
  refuseArchivedAgent,
  refuseOverfull,
  type Secret,
} from "./rules.ts";

/** The project and organization that the caller acts in. */
export type Owner = { projectId: string; organizationId: string };
export type OfAgent = { agent: AgentRow; connection: ConnectionRow };
export type ConnectionStore = ReturnType<typeof openConnectionStore>;

export function openConnectionStore(db: Db, sealed: SealedCredentials) {
  async function read(tx: Db, agentId: string, id: string): Promise<ConnectionRow> {
    return rows(tx, agentId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
  }

  async function readBoth(tx: Db, projectId: string, agentId: string, id: string): Promise<OfAgent> {
    const agent = await findAgent(tx, projectId, agentId);
    return { agent, connection: await read(tx, agentId, id) };
  }

  async function insert(tx: Db, owner: Owner, agent: AgentRow, wanted: DecidedConnection): Promise<ConnectionRow> {
    refuseOverfull(await liveCount(tx, agent.id));
    const id = newId("con");
    const now = new Date().toISOString();
    await tx
      .insertInto("connections")
      .values({ id, agent_id: agent.id, ...wanted.kept, created_at: now, updated_at: now, archived_at: null })
      .execute();
    await seal(tx, owner, id, wanted.secret);
    return read(tx, agent.id, id);
  }

  async function change(tx: Db, owner: Owner, current: ConnectionRow, { kept, secret }: ConnectionChange) {
    if (Object.keys(kept).length === 0 && !secret) return current;
    await seal(tx, owner, current.id, secret);
    await tx
      .updateTable("connections")
      .set({ ...kept, updated_at: new Date().toISOString() })
      .where("id", "=", current.id)
      .execute();
    return read(tx, current.agent_id, current.id);
  }

  async function seal(tx: Db, { organizationId }: Owner, id: string, secret: Secret | undefined): Promise<void> {
    if (secret) await sealed.put(tx, { id, organizationId }, secret.text, secret.shown);
  }

  return {
    get: (projectId: string, agentId: string, id: string) => readBoth(db, projectId, agentId, id),

    async list(
      projectId: string,
      agentId: string,
      archived: boolean,
      page: PageRequest,
    ): Promise<{ agent: AgentRow; page: Page<ConnectionRow> }> {
      const agent = await findAgent(db, projectId, agentId);
      const query = rows(db, agentId).where("archived_at", archived ? "is not" : "is", null);
      return { agent, page: await readPage(query, page) };
    },

    async create(owner: Owner, agentId: string, decide: (agent: AgentRow) => DecidedConnection): Promise<OfAgent> {
      return transaction(db, async (tx) => {
        const agent = await findAgent(tx, owner.projectId, agentId);
        refuseArchivedAgent(agent);
        return { agent, connection: await insert(tx, owner, agent, decide(agent)) };
      });
    },

    async edit(
      owner: Owner,
      agentId: string,
      id: string,
      decide: (current: ConnectionRow) => ConnectionChange,
    ): Promise<OfAgent> {
      return transaction(db, async (tx) => {
        const { agent, connection } = await readBoth(tx, owner.projectId, agentId, id);
        return { agent, connection: await change(tx, owner, connection, decide(connection)) };
      });
    },

    async archive(projectId: string, agentId: string, id: string): Promise<OfAgent> {
      return transaction(db, async (tx) => {
        const current = await readBoth(tx, projectId, agentId, id);
        if (current.connection.archived_at !== null) return current;
        await setArchived(tx, [id], new Date().toISOString());
        return readBoth(tx, projectId, agentId, id);
      });
    },

    /** Makes the connection live again when `decide` says so; its sealed credential was never taken away. */
    async restore(
      projectId: string,
      agentId: string,
      id: string,
      decide: (current: OfAgent) => boolean,
    ): Promise<OfAgent> {
      return transaction(db, async (tx) => {
        const current = await readBoth(tx, projectId, agentId, id);
        if (!decide(current)) return current;
        refuseOverfull(await liveCount(tx, agentId));
        await setArchived(tx, [id], null);
        return readBoth(tx, projectId, agentId, id);
      });
    },

    /** The live connection to the same place, with the credential that was sent; a new one when there is none. */
    async ensure(tx: Db, owner: Owner, agent: AgentRow, wanted: DecidedConnection): Promise<ConnectionRow> {
      const live = await rows(tx, agent.id).where("archived_at", "is", null).orderBy("id").execute();
      const same = live.find((row) => leadsToSame(row, wanted));
      return same ? change(tx, owner, same, { kept: {}, secret: wanted.secret }) : insert(tx, owner, agent, wanted);
    },

    /** Archives the agent's live connections and answers those. */
    async archiveAll(tx: Db, agentId: string, now: string): Promise<ConnectionRow[]> {
      const live = await rows(tx, agentId).where("archived_at", "is", null).orderBy("id", "desc").execute();
      await setArchived(
        tx,
        live.map(({ id }) => id),
        now,
      );
      return live.map((row) => ({ ...row, archived_at: now, updated_at: now }));
    },
  };
}

const rows = (db: Db, agentId: string) =>
  db
    .selectFrom("connections")
    .leftJoin("sealed_credentials", "owner_id", "id")
    .selectAll("connections")
    .select("sealed_credentials.hint")
    .where("agent_id", "=", agentId);

async function liveCount(db: Db, agentId: string): Promise<number> {
  const { count } = await db
    .selectFrom("connections")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("agent_id", "=", agentId)
    .where("archived_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

async function setArchived(tx: Db, ids: string[], archivedAt: string | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable("connections")
    .set({ archived_at: archivedAt, updated_at: archivedAt ?? new Date().toISOString() })
    .where("id", "in", ids)
    .execute();
}
