import type { Database } from "better-sqlite3";
import type { Selectable } from "kysely";
import type { Db } from "../../stores/relational.ts";
import type { Schema } from "../../stores/schema.ts";
import { transaction } from "../../stores/transaction.ts";

export type RecordingRow = Selectable<Schema["recordings"]>;

export type RecordingStore = {
  find: (projectId: string, names: readonly string[]) => Promise<RecordingRow | undefined>;
  /**
   * Stores a conversation's recording in place of an earlier one. Returns the blob of the earlier recording, which no row names any more;
   * null without an earlier recording.
   */
  put: (recording: RecordingRow) => Promise<string | null>;
  listNamed: (projectId: string, names: readonly string[]) => Promise<RecordingRow[]>;
  listBefore: (time: string, projectId?: string) => Promise<RecordingRow[]>;
  /** Deletes the rows of these recordings, except rows that have got another blob in the meantime. */
  delete: (recordings: readonly Pick<RecordingRow, "project_id" | "conversation" | "blob">[]) => Promise<void>;
  /** `blobs` has at most 400 entries. */
  listWithBlobs: (blobs: readonly string[]) => Promise<RecordingRow[]>;
  /** Changes the name of a recording's blob. Returns false when no recording has the blob. */
  renameBlob: (blob: string, name: string) => Promise<boolean>;
  listBlobs: () => Promise<Set<string>>;
  markLost: (blobs: readonly string[]) => Promise<void>;
};

const ROWS_AT_ONCE = 400;

export type RecordedBlob = { blob: string; bytes: number; sha256: string };

/** Returns the blobs of all recordings. A database of an older version of the service has none. */
export function recordedBlobs(engine: Database): RecordedBlob[] {
  const table = engine.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'recordings'").get();
  if (table === undefined) return [];
  const named = "SELECT blob, bytes, sha256 FROM recordings WHERE blob IS NOT NULL";
  return engine.prepare<[], RecordedBlob>(named).all();
}

export function createRecordingStore(db: Db): RecordingStore {
  const named = (projectId: string, names: readonly string[]) =>
    db.selectFrom("recordings").selectAll().where("project_id", "=", projectId).where("conversation", "in", names);

  return {
    find: (projectId, names) => named(projectId, names).executeTakeFirst(),

    put: (recording) =>
      transaction(db, recording.project_id, async (tx) => {
        const earlier = await tx
          .selectFrom("recordings")
          .select("blob")
          .where("project_id", "=", recording.project_id)
          .where("conversation", "=", recording.conversation)
          .executeTakeFirst();
        await tx
          .insertInto("recordings")
          .values(recording)
          .onConflict((conflict) => conflict.columns(["project_id", "conversation"]).doUpdateSet(recording))
          .execute();
        return earlier?.blob ?? null;
      }),

    async listNamed(projectId, names) {
      const rows: RecordingRow[] = [];
      for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
        rows.push(...(await named(projectId, names.slice(from, from + ROWS_AT_ONCE)).execute()));
      }
      return rows;
    },

    listBefore: (time, projectId) =>
      db
        .selectFrom("recordings")
        .selectAll()
        .where("recorded_at", "<", time)
        .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId!))
        .execute(),

    async delete(recordings) {
      for (const { project_id, conversation, blob } of recordings) {
        await db
          .deleteFrom("recordings")
          .where("project_id", "=", project_id)
          .where("conversation", "=", conversation)
          .where("blob", blob === null ? "is" : "=", blob)
          .execute();
      }
    },

    listWithBlobs: (blobs) => db.selectFrom("recordings").selectAll().where("blob", "in", blobs).execute(),

    async renameBlob(blob, name) {
      const update = db.updateTable("recordings").set({ blob: name }).where("blob", "=", blob);
      return (await update.executeTakeFirst()).numUpdatedRows > 0n;
    },

    async listBlobs() {
      const rows = await db.selectFrom("recordings").select("blob").where("blob", "is not", null).execute();
      return new Set(rows.map(({ blob }) => blob!));
    },

    async markLost(blobs) {
      for (const blob of blobs) {
        await db.updateTable("recordings").set({ blob: null, problem: "lost" }).where("blob", "=", blob).execute();
      }
    },
  };
}
