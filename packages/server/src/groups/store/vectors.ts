import { sql } from "kysely";
import type { Db } from "../../stores/relational.ts";
import { HEAD_CHARACTERS, type Meaning, wordsToCompare } from "../meaning.ts";
import type { Place } from "../rules.ts";
import { markOf, type SameMeaning, type Wording } from "../similar-rules.ts";

/** Selects the vectors of a thing by their beginnings. */
export const vectorsOf = (tx: Db, { projectId, whatKey }: Place) =>
  tx
    .selectFrom("wording_vectors")
    .select(["digest", "model", sql<string>`substr(vector, 1, ${sql.lit(HEAD_CHARACTERS)})`.as("head")])
    .where("project_id", "=", projectId)
    .where("what_key", "=", whatKey);

/** Returns the similarity of unrelated texts by a model; undefined until the model was asked. */
export async function readBaseline(tx: Db, model: string): Promise<number | undefined> {
  const row = await tx.selectFrom("embedding_models").select("baseline").where("model", "=", model).executeTakeFirst();
  return row?.baseline;
}

export const deleteVectors = (tx: Db, { projectId, whatKey }: Place, digests: readonly string[]) =>
  tx
    .deleteFrom("wording_vectors")
    .where("project_id", "=", projectId)
    .where("what_key", "=", whatKey)
    .where("digest", "in", digests)
    .execute();

/**
 * Returns the comparison of these wordings by their stored vectors; undefined when none has a vector. Deletes the vectors of all other
 * wordings and of other models, and notes whether vectors are missing.
 */
export async function compareMeanings(
  tx: Db,
  place: Place,
  wordings: ReadonlySet<Wording>,
  meaning: Meaning | undefined,
): Promise<SameMeaning | undefined> {
  const compared = meaning === undefined ? new Map<Wording, never>() : wordsToCompare(wordings);
  const digests = new Set([...compared.values()].map(({ digest }) => digest));
  const stored = await vectorsOf(tx, place).execute();
  const isUsed = ({ digest, model }: (typeof stored)[number]) => digests.has(digest) && model === meaning?.model;
  const unused = stored.filter((row) => !isUsed(row)).map(({ digest }) => digest);
  if (unused.length > 0) await deleteVectors(tx, place, unused);
  const heads = new Map(stored.filter(isUsed).map(({ digest, head }) => [digest, head]));
  await noteMissing(tx, place, meaning?.setting, { compared: digests.size, known: heads.size });
  if (meaning === undefined || heads.size === 0) return undefined;
  const baseline = await readBaseline(tx, meaning.model);
  if (baseline === undefined) return undefined;
  const similarTo = await meaning.compare(JSON.stringify(place), baseline, heads, async () => {
    const vectors = await vectorsOf(tx, place).select("vector").execute();
    return new Map(vectors.map(({ digest, vector }) => [digest, vector]));
  });
  const placeOf = (wording: Wording, digest: string) => `${markOf(wording)} ${digest}`;
  const wordingAt = new Map([...compared].map(([wording, { digest }]) => [placeOf(wording, digest), wording]));
  return (wording) =>
    similarTo(compared.get(wording)?.digest ?? "").flatMap((digest) => wordingAt.get(placeOf(wording, digest)) ?? []);
}

/** A thing keeps its former setting until all its vectors are known. */
async function noteMissing(
  tx: Db,
  { projectId, whatKey }: Place,
  setting: string | undefined,
  { compared, known }: { compared: number; known: number },
): Promise<void> {
  if (setting === undefined || compared === 0) {
    await tx
      .deleteFrom("things_by_meaning")
      .where("project_id", "=", projectId)
      .where("what_key", "=", whatKey)
      .execute();
    return;
  }
  const nowMs = Date.now();
  await tx
    .insertInto("things_by_meaning")
    .values({ project_id: projectId, what_key: whatKey, setting, due_ms: known < compared ? nowMs : null })
    .onConflict((conflict) =>
      conflict
        .columns(["project_id", "what_key"])
        .doUpdateSet(
          known < compared
            ? { due_ms: sql<number>`coalesce(things_by_meaning.due_ms, ${sql.lit(nowMs)})` }
            : { setting, due_ms: null },
        ),
    )
    .execute();
}
