import { sql } from "kysely";
import { leasesOfProcesses, RELEASED } from "../../stores/lease.ts";
import type { Db } from "../../stores/relational.ts";
import { transaction } from "../../stores/transaction.ts";
import { type ComparedWords, textOfVector, type Vector, wordsToCompare } from "../meaning.ts";
import type { Arrival, Place } from "../rules.ts";
import { type Grouping, membersOf, regroup } from "./regroup.ts";
import { deleteVectors, readBaseline, vectorsOf } from "./vectors.ts";

/** Words whose vector an endpoint sent. */
export type EmbeddedWords = { digest: string; vector: Vector };

export type EmbeddingStore = ReturnType<typeof createEmbeddingStore>;

/** Creates the store of the vectors, and of the failed things that wait for vectors. A process leases the thing for which it asks. */
export function createEmbeddingStore(db: Db, grouping: Grouping) {
  const { meaning } = grouping;
  const leases = leasesOfProcesses(db);
  const thing = ({ projectId, whatKey }: Place) =>
    db.updateTable("things_by_meaning").where("project_id", "=", projectId).where("what_key", "=", whatKey);

  return {
    /** Prepares for the settings of this start: makes things due whose groups other settings made, and deletes vectors of other models. */
    async prepare(nowMs: number): Promise<void> {
      for (const table of ["wording_vectors", "embedding_models"] as const)
        await db
          .deleteFrom(table)
          .where("model", "!=", meaning?.model ?? "")
          .execute();
      if (meaning !== undefined)
        await db
          .insertInto("things_by_meaning")
          .columns(["project_id", "what_key", "setting", "due_ms"])
          .expression(
            db
              .selectFrom("grouped_failures")
              .select(["project_id", "what_key", sql<string>`''`.as("setting"), sql.lit(nowMs).as("due_ms")])
              .where("is_compared", "=", 1)
              .groupBy(["project_id", "what_key"])
              .having(({ fn }) => fn.count("wording").distinct(), ">", 1),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      await db
        .updateTable("things_by_meaning")
        .set({ due_ms: nowMs })
        .where("due_ms", "is", null)
        .where("setting", "!=", meaning?.setting ?? "")
        .execute();
    },

    isBaselineMissing: async (): Promise<boolean> =>
      meaning !== undefined && (await readBaseline(db, meaning.model)) === undefined,

    /** The first process that asked decides, so that all processes count similarities from one baseline. */
    async keepBaseline(baseline: number): Promise<void> {
      if (meaning !== undefined)
        await db
          .insertInto("embedding_models")
          .values({ model: meaning.model, baseline })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
    },

    /** Leases the thing that has waited longest. Returns undefined when no thing is due. */
    async lease(leaseMs: number, nowMs: number): Promise<Place | undefined> {
      const isFree = leases.isFree("leased_until_ms");
      const first = await db
        .selectFrom("things_by_meaning")
        .select(["project_id as projectId", "what_key as whatKey"])
        .where("due_ms", "<=", nowMs)
        .where(isFree)
        .orderBy("due_ms")
        .limit(1)
        .executeTakeFirst();
      if (first === undefined) return undefined;
      const taken = thing(first)
        .set({ leased_until_ms: leases.until(leaseMs) })
        .where(isFree);
      return (await taken.executeTakeFirst()).numUpdatedRows > 0n ? first : undefined;
    },

    /** Returns the thing's compared words without a vector, at most `limit`. */
    async listMissing(place: Place, limit: number): Promise<ComparedWords[]> {
      if (meaning === undefined) return [];
      const wordings = await membersOf(db, place.projectId)
        .clearSelect()
        .select("wording")
        .distinct()
        .where("what_key", "=", place.whatKey)
        .where("is_compared", "=", 1)
        .execute();
      const known = new Set(
        (await vectorsOf(db, place).where("model", "=", meaning.model).execute()).map(({ digest }) => digest),
      );
      const all = [...wordsToCompare(wordings.map(({ wording }) => wording)).values()];
      const missing = new Map(all.filter(({ digest }) => !known.has(digest)).map((words) => [words.digest, words]));
      return [...missing.values()].sort((one, other) => (one.digest < other.digest ? -1 : 1)).slice(0, limit);
    },

    /**
     * Stores vectors, groups the thing again and ends the lease, all in one transaction. Returns false if the vectors have another length
     * than the stored ones: then stores none and deletes the stored ones, because the model changed under its name.
     */
    keep: (place: Place, embedded: readonly EmbeddedWords[]): Promise<boolean> =>
      transaction(db, place.projectId, async (tx) => {
        const stored = await vectorsOf(tx, place)
          .select(({ fn }) => fn<number>("length", ["vector"]).as("length"))
          .where("model", "=", meaning?.model ?? "")
          .execute();
        const texts = new Map(embedded.map(({ digest, vector }) => [digest, textOfVector(vector)]));
        const length = texts.values().next().value?.length;
        const isOfOneLength = stored.every((row) => length === undefined || row.length === length);
        if (!isOfOneLength)
          await deleteVectors(
            tx,
            place,
            stored.map(({ digest }) => digest),
          );
        else if (meaning !== undefined)
          for (const [digest, vector] of texts) {
            const row = { project_id: place.projectId, what_key: place.whatKey, digest, model: meaning.model, vector };
            await tx
              .insertInto("wording_vectors")
              .values(row)
              .onConflict((conflict) => conflict.columns(["project_id", "what_key", "digest"]).doUpdateSet(row))
              .execute();
          }
        const arrived = isOfOneLength ? await waitingArrivals(tx, place, new Set(texts.keys())) : new Map();
        const change = { what: null, touched: new Set<string>(), arrived, revealed: new Set(arrived.keys()) };
        await regroup(tx, place.projectId, new Map([[place.whatKey, change]]), grouping);
        await tx
          .updateTable("things_by_meaning")
          .set({ leased_until_ms: RELEASED })
          .where("project_id", "=", place.projectId)
          .where("what_key", "=", place.whatKey)
          .execute();
        return isOfOneLength;
      }),

    /** Ends the lease. The thing waits behind all other due things. */
    async postpone(place: Place, nowMs: number): Promise<void> {
      await thing(place).set({ due_ms: nowMs, leased_until_ms: RELEASED }).execute();
    },
  };

  /** Returns the failures with these words, by wording. Empty while the thing changes to other settings: all its failures are older then. */
  async function waitingArrivals(
    tx: Db,
    { projectId, whatKey }: Place,
    digests: ReadonlySet<string>,
  ): Promise<Map<string, Arrival[]>> {
    const { setting } = (await tx
      .selectFrom("things_by_meaning")
      .select("setting")
      .where("project_id", "=", projectId)
      .where("what_key", "=", whatKey)
      .executeTakeFirst()) ?? { setting: "" };
    if (setting !== meaning?.setting) return new Map();
    const members = await membersOf(tx, projectId)
      .where("what_key", "=", whatKey)
      .where("is_compared", "=", 1)
      .execute();
    const compared = wordsToCompare(new Set(members.map(({ wording }) => wording)));
    const revealed = members.filter(({ wording }) => digests.has(compared.get(wording)?.digest ?? ""));
    return new Map(
      [...Map.groupBy(revealed, ({ wording }) => wording)].map(([wording, own]) => [
        wording,
        own.map(({ started_at, agent_version }) => ({ startedAt: started_at, agentVersion: agent_version })),
      ]),
    );
  }
}
