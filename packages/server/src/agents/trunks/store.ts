import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { FindProjects } from "../../access/projects.ts";
import { notFound } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { dialectOf, nextRevision } from "../../stores/dialect.ts";
import { type Page, type PageRequest, readPage } from "../../stores/page.ts";
import { projectOfRow } from "../../stores/project-of-row.ts";
import { type Db, refuseTaken } from "../../stores/relational.ts";
import type { SealedCredentials } from "../../stores/sealed-credentials.ts";
import { transaction } from "../../stores/transaction.ts";
import {
  type CallDecision,
  DAY_MS,
  type decideTrunk,
  MINUTE_MS,
  type PlacedCalls,
  refuseTooManyTrunks,
  type TrunkChange,
  type TrunkCredential,
  type TrunkRow,
} from "./rules.ts";

type TrunkOwner = { projectId: string; organizationId: string };

export type TrunkStore = {
  get: (projectId: string, id: string) => Promise<TrunkRow>;
  findProjects: FindProjects;
  list: (projectId: string, page: PageRequest) => Promise<Page<TrunkRow>>;
  listAll: (projectId: string) => Promise<TrunkRow[]>;
  /** Throws for a taken name, and for a project with too many trunks. */
  create: (owner: TrunkOwner, content: ReturnType<typeof decideTrunk>) => Promise<TrunkRow>;
  edit: (owner: TrunkOwner, id: string, decide: (current: TrunkRow) => TrunkChange) => Promise<TrunkRow>;
  delete: (projectId: string, id: string) => Promise<void>;
  /** Returns the number of calls of the last 24 hours for each trunk that has placed calls. */
  countCalls: (ids: readonly string[]) => Promise<Map<string, number>>;
  /** Returns a trunk with the calls that it has placed; undefined without a trunk. */
  readCalls: (projectId: string, id: string) => Promise<{ trunk: TrunkRow; placed: PlacedCalls } | undefined>;
  /**
   * Counts one call when `decide` says so. Decisions about a trunk are made one after another, even in several processes. Returns
   * undefined without a trunk.
   */
  placeCall: (
    projectId: string,
    id: string,
    decide: (trunk: TrunkRow, placed: PlacedCalls) => CallDecision,
  ) => Promise<{ trunk: TrunkRow; decision: CallDecision } | undefined>;
  /** Returns undefined when the service no longer has the key that encrypted the credential. */
  openCredential: (id: string) => Promise<TrunkCredential | undefined>;
};

export function createTrunkStore(db: Db, sealed: SealedCredentials): TrunkStore {
  const { nowMs } = dialectOf(db);
  const taken = refuseTaken("The project has a trunk with this name. Choose another name.");

  async function seal(
    tx: Db,
    { organizationId }: TrunkOwner,
    id: string,
    credential: TrunkCredential | null | undefined,
  ): Promise<void> {
    if (credential === null) await sealed.remove(tx, id);
    else if (credential) await sealed.put(tx, { id, organizationId }, JSON.stringify(credential), credential.password);
  }

  return {
    get: (projectId, id) => getTrunk(db, projectId, id),
    findProjects: (id) => projectOfRow(db, "trunks", id),
    list: (projectId, page) => readPage(trunksOf(db, projectId), page),
    listAll: (projectId) => trunksOf(db, projectId).orderBy("id").execute(),

    create: (owner, { columns, credential }) =>
      transaction(db, owner.projectId, async (tx) => {
        const { count } = await tx
          .selectFrom("trunks")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("project_id", "=", owner.projectId)
          .executeTakeFirstOrThrow();
        refuseTooManyTrunks(Number(count));
        const now = new Date().toISOString();
        const id = newId("trk");
        await tx
          .insertInto("trunks")
          .values({ id, project_id: owner.projectId, ...columns, created_at: now, updated_at: now, revision: 1 })
          .execute();
        await seal(tx, owner, id, credential);
        return getTrunk(tx, owner.projectId, id);
      }).catch(taken),

    edit: (owner, id, decide) =>
      transaction(db, owner.projectId, async (tx) => {
        const current = await getTrunk(tx, owner.projectId, id);
        const { columns, credential } = decide(current);
        if (Object.keys(columns).length === 0 && credential === undefined) return current;
        await seal(tx, owner, id, credential);
        await tx
          .updateTable("trunks")
          .set({ ...columns, updated_at: new Date().toISOString(), revision: nextRevision })
          .where("id", "=", id)
          .execute();
        return getTrunk(tx, owner.projectId, id);
      }).catch(taken),

    delete: (projectId, id) =>
      transaction(db, projectId, async (tx) => {
        await getTrunk(tx, projectId, id);
        await tx.deleteFrom("trunks").where("id", "=", id).execute();
        await sealed.remove(tx, id);
      }),

    async countCalls(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom("placed_calls")
        .select(({ fn }) => ["trunk_id", fn.countAll<number>().as("calls")])
        .where("trunk_id", "in", ids)
        .where("placed_ms", ">", sql<number>`${nowMs} - ${sql.lit(DAY_MS)}`)
        .groupBy("trunk_id")
        .execute();
      return new Map(rows.map(({ trunk_id, calls }) => [trunk_id, Number(calls)]));
    },

    readCalls: (projectId, id) => readCalls(db, projectId, id),

    placeCall: (projectId, id, decide) =>
      transaction(db, `calls of ${id}`, async (tx) => {
        const read = await readCalls(tx, projectId, id);
        if (!read) return undefined;
        const { trunk, placed } = read;
        await tx
          .deleteFrom("placed_calls")
          .where("trunk_id", "=", id)
          .where("placed_ms", "<=", placed.nowMs - DAY_MS)
          .execute();
        const decision = decide(trunk, placed);
        if (decision.kind === "place")
          await tx
            .insertInto("placed_calls")
            .values({ id: randomUUID(), trunk_id: id, placed_ms: placed.nowMs })
            .execute();
        return { trunk, decision };
      }),

    async openCredential(id) {
      const secret = await sealed.open(id);
      return secret === undefined ? undefined : JSON.parse(secret);
    },
  };

  async function readCalls(tx: Db, projectId: string, id: string) {
    const trunk = await trunksOf(tx, projectId).where("id", "=", id).executeTakeFirst();
    return trunk && { trunk, placed: await placedCalls(tx, trunk) };
  }

  async function placedCalls(tx: Db, trunk: TrunkRow): Promise<PlacedCalls> {
    const { rows } = await sql<{ now: number }>`SELECT ${nowMs} AS now`.execute(tx);
    const now = Number(rows[0]!.now);
    const calls = tx
      .selectFrom("placed_calls")
      .where("trunk_id", "=", trunk.id)
      .where("placed_ms", ">", now - DAY_MS);
    const { count } = await calls.select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
    const lastMinute = await calls
      .select("placed_ms")
      .where("placed_ms", ">", now - MINUTE_MS)
      .orderBy("placed_ms", "desc")
      .limit(trunk.calls_per_minute)
      .execute();
    return {
      nowMs: now,
      lastMinute: lastMinute.map(({ placed_ms }) => Number(placed_ms)),
      lastDayCount: Number(count),
    };
  }
}

const trunksOf = (db: Db, projectId: string) =>
  db
    .selectFrom("trunks")
    .leftJoin("sealed_credentials", "owner_id", "id")
    .selectAll("trunks")
    .select("sealed_credentials.hint")
    .where("project_id", "=", projectId);

const getTrunk = (db: Db, projectId: string, id: string): Promise<TrunkRow> =>
  trunksOf(db, projectId).where("id", "=", id).executeTakeFirstOrThrow(notFound);
