import { createHash } from "node:crypto";
import type { Connection } from "../stores/analytics.ts";
import { type Origin, type SealedBatch, views } from "./span-batch.ts";

const KNOWN_MAX = 20_000;

export type Origins = {
  /** Stages the origins of a batch; the answer tells a row's origin id, as DuckDB lays it out. */
  note: (batch: SealedBatch) => (row: number) => BigUint64Array;
  /** Moves what is staged into the table `staged_origins`. */
  flush: () => void;
  /** Inside the transaction: keeps the staged origins that are new. */
  keep: () => Promise<void>;
  /** After the transaction. */
  empty: () => Promise<void>;
  /** Forgets which ones are stored, after some were removed. */
  forget: () => void;
};

/** Resources and scopes, stored once each. */
export async function openOrigins(write: Connection): Promise<Origins> {
  await write.run(
    "CREATE TEMP TABLE staged_origins (id UHUGEINT, service VARCHAR, resource VARCHAR, scope VARCHAR, stored BOOLEAN)",
  );
  const appender = await write.createAppender("staged_origins", "main", "temp");
  const stored = new Map<string, string | null>(); // id → service
  let staged = new Map<string, string | null>(); // of the next commit
  let flushed = new Map<string, string | null>(); // of the commit under way

  function stage(project: number, origin: Origin): BigUint64Array {
    const id = originId(project, origin);
    const key = id.join();
    if (staged.has(key)) return id;
    const isStored = stored.has(key);
    const service = isStored ? stored.get(key)! : serviceName(origin.resource);
    staged.set(key, service);
    appender.appendUHugeInt((id[1]! << 64n) | id[0]!);
    if (service === null) appender.appendNull();
    else appender.appendVarchar(service);
    appender.appendVarchar(isStored ? "" : origin.resource);
    appender.appendVarchar(isStored ? "" : origin.scope);
    appender.appendBoolean(isStored);
    appender.endRow();
    return id;
  }

  function note(batch: SealedBatch) {
    const { origin, project } = views(batch.fixed, batch.capacity);
    const ids: (BigUint64Array | undefined)[] = [];
    let onlyProject = -1;
    return (row: number): BigUint64Array => {
      const index = origin.getUint32(row * 4, true);
      const owner = project.getUint32(row * 4, true);
      if (owner !== onlyProject) ids.length = 0;
      onlyProject = owner;
      return (ids[index] ??= stage(owner, batch.origins[index]!));
    };
  }

  async function keep() {
    await write.run(
      `INSERT INTO origins SELECT id, any_value(service), any_value(resource), any_value(scope) FROM temp.staged_origins
       WHERE NOT stored AND id NOT IN (SELECT id FROM origins) GROUP BY id`,
    );
  }

  async function empty() {
    await write.run("TRUNCATE temp.staged_origins");
    if (stored.size + flushed.size > KNOWN_MAX) stored.clear();
    for (const [key, service] of flushed) stored.set(key, service);
  }

  function flush() {
    appender.flushSync();
    flushed = staged;
    staged = new Map();
  }

  return { note, flush, keep, empty, forget: () => stored.clear() };
}

/** JSON text holds no NUL, so the parts cannot run into each other. */
function originId(project: number, origin: Origin): BigUint64Array {
  const digest = createHash("sha256").update(`${project}\0${origin.resource}\0${origin.scope}`).digest();
  return new BigUint64Array([digest.readBigUInt64LE(0), digest.readBigUInt64LE(8)]);
}

function serviceName(resource: string): string | null {
  try {
    const name = (JSON.parse(resource) as { attributes?: Record<string, unknown> }).attributes?.["service.name"];
    return typeof name === "string" && name !== "" ? name : null;
  } catch {
    return null;
  }
}
