/**
 * Measures how long one thing with the largest number of compared wordings takes to be grouped again, by words alone and with vectors of
 * 1,536 numbers: `npm run bench -- regroup`. No two wordings are similar, so that each pair is compared. Embedded stores.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { LIMITS } from "@svc/contract";
import { seeded } from "../packages/server/src/base/seeded.ts";
import { createMeaning, textOfVector, vectorOf, wordsToCompare } from "../packages/server/src/groups/meaning.ts";
import { anchorOf } from "../packages/server/src/groups/rules.ts";
import { BOUNDS, type Grouping, regroup } from "../packages/server/src/groups/store/regroup.ts";
import { openSqlite } from "../packages/server/src/stores/sqlite/sqlite.ts";
import { transaction } from "../packages/server/src/stores/transaction.ts";

const ROUNDS = 30;
const DIMENSIONS = 1_536;
const WORDS = 20;
const MODEL = "vectors-1";

const random = seeded("regroup");
const folder = mkdtempSync(join(tmpdir(), "svc-bench-"));
const { db, embedded, close } = openSqlite(folder);
embedded.engine.pragma("foreign_keys = OFF");

const wordings = Array.from({ length: LIMITS.wordingsCompared }, () =>
  Array.from({ length: WORDS }, () => `w${Math.floor(random() * 1e9).toString(36)}`).join(" "),
);

async function fill(projectId: string): Promise<void> {
  for (const [index, wording] of wordings.entries()) {
    const startedAt = new Date(Date.UTC(2026, 4, 1) + index * 1_000).toISOString();
    await db
      .insertInto("grouped_failures")
      .values({
        project_id: projectId,
        conversation: `conversation ${index}`,
        what_key: "what",
        group_id: null,
        wording,
        is_compared: 1,
        quote: wording,
        turn: 1,
        source: "production",
        trace_id: null,
        run_id: null,
        agent: null,
        agent_version: null,
        started_at: startedAt,
        anchor: anchorOf({ projectId, whatKey: "what" }, startedAt, `conversation ${index}`),
        known_at: startedAt,
      })
      .execute();
  }
}

async function storeVectors(projectId: string): Promise<void> {
  for (const { digest } of wordsToCompare(wordings).values()) {
    const vector = textOfVector(vectorOf(Array.from({ length: DIMENSIONS }, () => random() - 0.5))!);
    const row = { project_id: projectId, what_key: "what", digest, model: MODEL, vector };
    await db.insertInto("wording_vectors").values(row).execute();
  }
}

/** Groups again as after a further failure with a known wording. */
async function again(projectId: string, grouping: Grouping): Promise<number> {
  const touched = new Set([wordings[0]!]);
  const change = { what: JSON.stringify({ kind: "veto" }), touched, arrived: new Map() };
  const start = performance.now();
  await transaction(db, projectId, (tx) => regroup(tx, projectId, new Map([["what", change]]), grouping));
  return performance.now() - start;
}

const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
const shown = (ms: number) => `${ms.toFixed(1)} ms`;

const byWords: Grouping = { bounds: BOUNDS };
const settings = { baseUrl: "", apiKey: undefined, model: MODEL, similarity: 0.65 };
const withVectors: Grouping = { bounds: BOUNDS, meaning: createMeaning(settings, BOUNDS.wordings) };
await fill("words");
await fill("vectors");
await again("words", byWords);
await again("vectors", byWords); // it makes the groups
await storeVectors("vectors");

await db.insertInto("embedding_models").values({ model: MODEL, baseline: 0 }).execute();

const stalls = monitorEventLoopDelay({ resolution: 1 });
stalls.enable();
const first = await again("vectors", withVectors);
stalls.disable();
const times = { words: [] as number[], vectors: [] as number[] };
for (let round = 0; round < ROUNDS; round++) {
  times.words.push(await again("words", byWords));
  times.vectors.push(await again("vectors", withVectors));
}
const [words, vectors] = [median(times.words), median(times.vectors)];
console.log(`${wordings.length} wordings, ${DIMENSIONS} numbers in a vector, median of ${ROUNDS}`);
console.log(`by words      ${shown(words)}`);
console.log(`with vectors  ${shown(vectors)}  ratio ${(vectors / words).toFixed(2)}`);
console.log(
  `first time    ${shown(first)}  ratio ${(first / words).toFixed(2)}, longest stall ${shown(stalls.max / 1e6)}`,
);
await close();
rmSync(folder, { recursive: true });
