import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { type ReadConversation, storeReadings } from "../index/readings.ts";
import { unpackSamples } from "../packed-samples.ts";
import type { ClickHouse } from "./client.ts";

/**
 * Stores derived conversations: first samples and tool calls in ClickHouse, then everything else in the index. If another process
 * took over the lease of a conversation, what that process derived has a higher version and replaces what this one stored.
 */
export async function storeInClickHouse(
  clickHouse: ClickHouse,
  db: Db,
  read: readonly ReadConversation[],
): Promise<void> {
  if (read.length === 0) return;
  const bytes = Buffer.from(read.map((one) => JSON.stringify(samplesOf(one))).join("\n"));
  await clickHouse.insert({ table: "readings", columns: SAMPLE_COLUMNS, format: "JSONEachRow", bytes });
  const stored = new Set((await storeReadings(db, read)).map(({ conversation }) => conversation));
  const erased = read.filter(({ conversation }) => !stored.has(conversation));
  await removeErased(clickHouse, db, erased);
}

const SAMPLE_COLUMNS = [
  "project",
  "key",
  "version",
  "source",
  "agent",
  "agent_version",
  "channel",
  "first_ms",
  "last_ms",
  ...["measure", "at_ms", "value", "provenance", "turn"].map((name) => `samples.${name}`),
  ...["tool", "at_ms", "is_error"].map((name) => `tools.${name}`),
];

function samplesOf({ conversation, reading: { agentVersion, channel, samples: packed, toolUses } }: ReadConversation) {
  const samples = unpackSamples(packed);
  const { project, key, lease, source, agent } = conversation;
  const times = [...samples, ...toolUses].map(({ atMs }) => atMs);
  return {
    project,
    key,
    version: lease,
    source: source ?? "production",
    agent,
    agent_version: agentVersion,
    channel,
    first_ms: times.reduce((least, ms) => Math.min(least, ms), Number.MAX_SAFE_INTEGER),
    last_ms: times.reduce((most, ms) => Math.max(most, ms), 0),
    "samples.measure": samples.map(({ measure }) => measure),
    "samples.at_ms": samples.map(({ atMs }) => atMs),
    "samples.value": samples.map(({ value }) => value),
    "samples.provenance": samples.map(({ provenance }) => provenance),
    "samples.turn": samples.map(({ turn }) => turn),
    "tools.tool": toolUses.map(({ tool }) => tool),
    "tools.at_ms": toolUses.map(({ atMs }) => atMs),
    "tools.is_error": toolUses.map(({ isError }) => (isError === null ? null : Number(isError))),
  };
}

/** Removes the samples of conversations that were erased while they were derived. */
async function removeErased(clickHouse: ClickHouse, db: Db, read: readonly ReadConversation[]): Promise<void> {
  for (const { conversation } of read) {
    const { project, key, lease } = conversation;
    const { rows } = await sql`SELECT 1 FROM conversations WHERE project = ${project} AND key = ${key}`.execute(db);
    if (rows.length > 0) continue;
    await clickHouse.run(
      `ALTER TABLE ${clickHouse.table("readings")} DELETE
       WHERE project = {project: UInt32} AND key = {key: String} AND version = {lease: UInt64}`,
      { project, key, lease },
    );
  }
}
