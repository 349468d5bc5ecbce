import type { Selectable } from "kysely";
import { sha256 } from "../../base/secrets/secrets.ts";
import type { Db, Embedded } from "../relational.ts";
import type { Schema } from "../schema.ts";

export type MovedFolder = Selectable<Schema["moved_folders"]>;

type MoveProgress = Partial<Pick<MovedFolder, "rows_moved" | "lsn" | "received_us" | "unreadable_records">>;

/** Returns the id of a data folder: the digest of the time of its first migration and the id of its first project, which never change. */
export function folderIdOf(engine: Embedded["engine"]): string {
  const born = engine.prepare<[], string>("SELECT min(applied_at) FROM migrations").pluck().get();
  const project = engine.prepare<[], string>("SELECT id FROM projects ORDER BY number LIMIT 1").pluck().get();
  return sha256(JSON.stringify([born, project]));
}

export const findMove = (db: Db): Promise<MovedFolder | undefined> =>
  db.selectFrom("moved_folders").selectAll().executeTakeFirst();

export async function beginMove(db: Db, folder: string, content: string): Promise<MovedFolder> {
  const begun = {
    folder,
    content,
    rows_moved: 0,
    lsn: 0,
    received_us: 0,
    unreadable_records: 0,
    started_at: new Date().toISOString(),
    finished_at: null,
  } as const;
  const row = { id: 1, ...begun } as const;
  await db
    .insertInto("moved_folders")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet(begun))
    .execute();
  return row;
}

export async function noteProgress(db: Db, progress: MoveProgress): Promise<void> {
  await db.updateTable("moved_folders").set(progress).execute();
}

export async function finishMove(db: Db): Promise<string> {
  const finishedAt = new Date().toISOString();
  await db.updateTable("moved_folders").set({ finished_at: finishedAt }).execute();
  return finishedAt;
}

export async function requireWholeFolder(db: Db): Promise<void> {
  const move = await findMove(db);
  if (move === undefined || move.finished_at !== null) return;
  throw new Error(
    "These databases hold a part of a data folder: repeat `svc migrate --to databases` on the folder until it ends without a difference, or name empty databases.",
  );
}
