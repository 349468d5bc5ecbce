import { sql } from "kysely";
import { postgresNowMs as nowMs } from "./dialect.ts";
import type { Db } from "./relational.ts";

type CountedRequests = { count: number; leftMs: number };

export async function countRequests(
  db: Db,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<Map<string, CountedRequests>> {
  const { rows } = await sql<CountedRequests & { subject: string }>`
    INSERT INTO request_counts AS c (subject, count, ends_ms)
    SELECT subject, count, ${nowMs} + ${sql.lit(windowMs)}
    FROM unnest(${[...requests.keys()]}::text[], ${[...requests.values()]}::bigint[]) AS n (subject, count) ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET
      count = excluded.count + CASE WHEN c.ends_ms > ${nowMs} THEN c.count ELSE 0 END,
      ends_ms = CASE WHEN c.ends_ms > ${nowMs} THEN c.ends_ms ELSE excluded.ends_ms END
    RETURNING subject, count, ends_ms - ${nowMs} AS "leftMs"`.execute(db);
  return new Map(rows.map(({ subject, ...window }) => [subject, window]));
}

export async function removeOldCounts(db: Db): Promise<void> {
  await sql`DELETE FROM request_counts WHERE ends_ms < ${nowMs}`.execute(db);
}

type TakenTokens = { granted: number; tokens: number };

const MINUTE_MS = 60_000;

/**
 * Refills the token bucket of each subject for the time since the subject's last request. Then takes one token for each request,
 * until the bucket is empty.
 */
export async function takeTokens(
  db: Db,
  requests: ReadonlyMap<string, number>,
  limitPerMinute: number,
): Promise<Map<string, TakenTokens>> {
  const limit = sql.lit(limitPerMinute);
  const filled = sql`least(${limit}, b.tokens + greatest(0, excluded.at_ms - b.at_ms) * ${limit}::float8 / ${sql.lit(MINUTE_MS)})`;
  const { rows } = await sql<TakenTokens & { subject: string }>`
    INSERT INTO token_buckets AS b (subject, tokens, granted, at_ms)
    SELECT subject, ${limit} - least(count, ${limit}), least(count, ${limit}), ${nowMs}
    FROM unnest(${[...requests.keys()]}::text[], ${[...requests.values()]}::bigint[]) AS n (subject, count) ORDER BY subject
    ON CONFLICT (subject) DO UPDATE SET
      tokens = ${filled} - least(excluded.granted, floor(${filled})),
      granted = least(excluded.granted, floor(${filled})),
      at_ms = greatest(b.at_ms, excluded.at_ms)
    RETURNING subject, tokens, granted`.execute(db);
  return new Map(rows.map(({ subject, ...taken }) => [subject, taken]));
}
