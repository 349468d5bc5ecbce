import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MeasureName } from "@svc/contract/constants";
import { seeded } from "../packages/server/src/base/seeded.ts";
import { openSamples, type Samples } from "../packages/server/src/traces/store/duckdb/samples.ts";
import { openIndexFile } from "../packages/server/src/traces/store/folder/index-file.ts";
import { takeDue } from "../packages/server/src/traces/store/index/due-conversations.ts";
import { createWaitingSamples, noteReadings } from "../packages/server/src/traces/store/folder/waiting-samples.ts";
import { storeReadings } from "../packages/server/src/traces/store/index/readings.ts";
import { inTransaction } from "../packages/server/src/traces/store/index/transaction.ts";
import { addSums } from "../packages/server/src/traces/store/index/writes.ts";
import { packSamples } from "../packages/server/src/traces/store/packed-samples.ts";
import { EMPTY_READING } from "../packages/server/src/traces/store/reading.ts";
import type { SqliteFile } from "../packages/server/src/stores/sqlite/sqlite.ts";

const DOCS = join(import.meta.dirname, "../docs");
const AGENTS = 20;
const WEEK_HOURS = 7 * 24;
const SPANS = 25;
const TRANSCRIPT_WORDS = 60;
const PER_BATCH = 2_000;
const MEMORY_MB = 1_024;

const random = seeded("stored conversations");
const latency = () => Math.round(Math.exp(5 + 2.5 * random()) * 1000) / 1000;
/** The samples of one conversation. Their values are random, in the range of real latencies, counts, ratios and tokens. */
const SAMPLES: readonly [measure: MeasureName, value: () => number][] = [
  ["response_latency", latency],
  ["end_of_utterance_delay", latency],
  ["llm_time_to_first_token", latency],
  ["tts_time_to_first_byte", latency],
  ["unexplained_latency", latency],
  ["user_interruptions", () => Number(random() < 0.05)],
  ["tool_latency", latency],
  ["tool_errors", () => Number(random() < 0.02)],
  ["talk_ratio", random],
  ["output_tokens", () => Math.floor(Math.exp(3 + 2 * random()))],
];

/**
 * Opens an index and a sample store in a folder that goes with the process, and fills them with conversations of project 1 in the
 * last hours, by default of a week. Their transcripts consist of words of the documentation.
 */
export async function openStored(count: number, nowMs: number, hours = WEEK_HOURS) {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-stored-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const index = await openIndexFile(dataDir, () => undefined);
  const fail = (error: unknown): never => {
    throw error;
  };
  const samples = await openSamples({ dataDir, memoryLimitMb: MEMORY_MB, log: () => undefined, onFailed: fail });
  await storeConversations(index, samples, count, nowMs, hours);
  return { index, samples };
}

async function storeConversations(
  { db }: Pick<SqliteFile, "db">,
  samples: Samples,
  count: number,
  nowMs: number,
  hours: number,
): Promise<void> {
  const words = documentWords();
  const stepMs = Math.floor((hours * 3_600_000) / count);
  const waiting = createWaitingSamples(db, samples);
  for (let first = 0; first < count; first += PER_BATCH) {
    const numbers = Array.from({ length: Math.min(PER_BATCH, count - first) }, (_, at) => first + at);
    const sums = numbers.map((number) => {
      const startedMs = nowMs - hours * 3_600_000 + number * stepMs;
      const [startedNs, endedNs] = [BigInt(startedMs) * 1_000_000n, BigInt(startedMs + 180_000) * 1_000_000n];
      return {
        project: 1,
        traceId: (BigInt(number + 1) * 0x9e3779b97f4a7c15f39cc0605cedc835n).toString(16).slice(-32).padStart(32, "0"),
        startedNs,
        endedNs,
        spans: SPANS,
        errors: Number(random() < 0.05),
        rootName: "agent_session",
        rootStartNs: startedNs,
        rootEndNs: endedNs,
        conversation: `job-${number.toString(16).padStart(8, "0")}`,
        conversationRank: 1,
        agent: `agent-${number % AGENTS}`,
        agentStartNs: startedNs,
        service: "voice-agent",
        receivedFirstMs: startedMs + 180_000,
        receivedLastMs: startedMs + 180_000,
      };
    });
    await inTransaction(db, (tx) => addSums(tx, sums));
    const errorsOf = new Map(sums.map(({ conversation, errors }) => [conversation, errors]));
    const due = await takeDue(db, PER_BATCH, true);
    const read = due.map((conversation) => {
      const took = latency();
      const transcript = Array.from(
        { length: TRANSCRIPT_WORDS },
        () => words[Math.floor(random() * words.length)],
      ).join(" ");
      const startedMs = Number(conversation.endedNs! / 1_000_000n) - 180_000;
      const reading = {
        ...EMPTY_READING,
        turns: 6,
        toolCalls: 2,
        latency: { n: 1, mean: took, max: took, p50: null, p95: null },
        interruptions: 0,
        qualityTopics: [],
        preview: { text: transcript.slice(0, 200), role: "user" as const },
        transcript,
        names: `${conversation.key}\nroom-${conversation.key.slice(4)}`,
        samples: packSamples(
          SAMPLES.map(([measure, value], place) => ({
            measure,
            atMs: startedMs + place * 7_000,
            value: value(),
            provenance: "measured",
            turn: place >> 1,
          })),
        ),
      };
      return { conversation, reading, spans: SPANS, errors: errorsOf.get(conversation.key)! };
    });
    waiting.add(await storeReadings(db, read, noteReadings));
    await waiting.move();
  }
  await samples.pool();
  console.log(`${count} conversations, ${count * SPANS} spans, ${count * SAMPLES.length} samples`);
}

/** Returns the different words of the documentation. */
function documentWords(): string[] {
  const texts = readdirSync(DOCS)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(DOCS, name), "utf8").toLowerCase());
  return [...new Set(texts.join(" ").match(/[a-z]{2,}/g))].filter((word) => word !== "xylophone").toSorted();
}
