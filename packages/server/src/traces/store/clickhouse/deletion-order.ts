import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { digestOf } from "../../erasure/deleted-conversations.ts";
import type { TraceSums } from "../index/trace-sums.ts";
import { inTransaction } from "../index/transaction.ts";
import { addSums } from "../index/writes.ts";

// Another process may delete a conversation while this process stores its spans. A process that stores spans takes a shared lock of
// the project, and then reads the deletions. A process that deletes a conversation first stores the deletion, and then waits until
// every process that read the deletions earlier has released the lock.

const lockOf = (project: number) => sql`hashtextextended(${`svc deletions ${project}`}, 0)`;

/** Waits for the end of all transactions that may have read the project's deletions before the newest deletion was stored. */
export const waitForStorers = (db: Db, project: number): Promise<void> =>
  inTransaction(db, async (tx) => void (await sql`SELECT pg_advisory_xact_lock(${lockOf(project)})`.execute(tx)));

/** Leaves out the sums of deleted conversations, and returns these sums. */
export const indexTraces = (db: Db, sums: readonly TraceSums[]): Promise<TraceSums[]> =>
  inTransaction(db, async (tx) => {
    const deleted = await deletedAmong(tx, sums);
    const kept = sums.filter((one) => !deleted.includes(one));
    if (kept.length > 0) await addSums(tx, kept);
    return deleted;
  });

/** Later deletions wait until this transaction ends. */
async function deletedAmong(tx: Db, sums: readonly TraceSums[]): Promise<TraceSums[]> {
  const projects = [...new Set(sums.map(({ project }) => project))].sort((one, other) => one - other);
  for (const project of projects) await sql`SELECT pg_advisory_xact_lock_shared(${lockOf(project)})`.execute(tx);
  const { rows: having } = await sql<{ number: number }>`
    SELECT number FROM projects WHERE number IN (${sql.join(projects)})
      AND EXISTS (SELECT 1 FROM deleted_names WHERE project_id = projects.id)`.execute(tx);
  if (having.length === 0) return [];
  const numbers = new Set(having.map(({ number }) => number));
  const suspects = sums
    .filter(({ project }) => numbers.has(project))
    .map((one) => ({ sums: one, digests: digestsOf(one) }));
  const { rows: found } = await sql<{ number: number; digest: string }>`
    SELECT number, digest FROM deleted_names JOIN projects ON projects.id = project_id
    WHERE number IN (${sql.join([...numbers])}) AND digest IN (
      SELECT * FROM json_array_elements_text(${JSON.stringify(suspects.flatMap(({ digests }) => digests))}::json))`.execute(
    tx,
  );
  const deleted = new Set(found.map(({ number, digest }) => `${number} ${digest}`));
  return suspects
    .filter(({ sums: { project }, digests }) => digests.some((digest) => deleted.has(`${project} ${digest}`)))
    .map((suspect) => suspect.sums);
}

const digestsOf = ({ traceId, conversation }: TraceSums): string[] => [
  digestOf("trace", traceId),
  ...(conversation === null ? [] : [digestOf("name", conversation)]),
];
