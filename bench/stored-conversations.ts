import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseConnection, rowsOf } from "../packages/server/src/traces/store/duckdb/database.ts";
import { outdatePools } from "../packages/server/src/traces/store/duckdb/pools.ts";
import { prepareTables } from "../packages/server/src/traces/store/duckdb/schema.ts";
import { signatureOf } from "../packages/server/src/traces/search-signature.ts";
import { MAPPING_VERSION } from "../packages/server/src/traces/vocabulary/version.ts";

const DOCS = join(import.meta.dirname, "../docs");
const AGENTS = 20;
const HOURS = 7 * 24;
const SPANS = 25;
const ROWS_SIGNED = 20_480;
const TRANSCRIPT_WORDS = 60;
/** The samples of one conversation; their values have the distribution of latencies, counts or tokens. */
const SAMPLES = [
  ["response_latency", 1],
  ["end_of_utterance_delay", 1],
  ["llm_time_to_first_token", 1],
  ["tts_time_to_first_byte", 1],
  ["unexplained_latency", 1],
  ["user_interruptions", 1],
  ["tool_latency", 1],
  ["tool_errors", 1],
  ["talk_ratio", 1],
  ["output_tokens", 1],
] as const;

const VALUES: Partial<Record<string, string>> = {
  user_interruptions: "(random() < 0.05)::INTEGER",
  tool_errors: "(random() < 0.02)::INTEGER",
  talk_ratio: "random()",
  output_tokens: "floor(exp(3 + 2 * random()))",
};
const LATENCY = "round(exp(5 + 2.5 * random()) , 3)";

/**
 * Fills the tables of an empty trace store with read conversations of project 1 in the last week, as the projector would, and
 * with their traces and samples. Their transcripts are made of the words of the documentation.
 */
export async function storeConversations(write: DatabaseConnection, count: number, nowMs: number): Promise<void> {
  await prepareTables(write);
  await write.run("SELECT setseed(0.5)");
  const step = Math.floor((HOURS * 3_600_000) / count);
  const atMs = `(${nowMs - HOURS * 3_600_000} + reading * ${step})`;
  await write.run(
    `CREATE TEMP TABLE words AS SELECT unnest(from_json('${JSON.stringify(documentWords())}', '["VARCHAR"]')) AS word`,
  );
  await write.run("CREATE TEMP TABLE vocabulary AS SELECT list(word) AS words FROM temp.words");
  await write.run(`
    INSERT INTO conversations BY NAME
    SELECT reading, 1 AS project, trace_id, [trace_id] AS trace_ids, 1 AS traces, format('job-{:08x}', reading) AS conversation,
      'production' AS source, agent, 'voice-agent' AS service, 'agent_session' AS root_name, ended_ns AS root_end_ns, started_ns,
      ended_ns, ${SPANS} AS spans, (random() < 0.05)::INTEGER AS errors, ended_ns // 1000000 AS received_last_ms,
      ${MAPPING_VERSION} AS mapping_version, 6 AS turns, 2 AS tool_calls, 1 AS latency_n, latency AS latency_mean,
      latency AS latency_max, 0 AS text_response_n, 0 AS interruptions, '' AS quality, transcript[1:200] AS preview, transcript,
      format(E'job-{:08x}\\nroom-{:06d}', reading, reading) AS names
    FROM (
      SELECT *, ${LATENCY} AS latency, started_ns + 180000000000 AS ended_ns
      FROM (
        SELECT range::BIGINT + 1 AS reading, (md5_number(range::VARCHAR)::UHUGEINT) AS trace_id,
          'agent-' || (range % ${AGENTS}) AS agent, ${atMs.replace("reading", "range")} * 1000000 AS started_ns,
          array_to_string(list_transform(range(${TRANSCRIPT_WORDS}), lambda place:
            words[1 + (hash(range * ${TRANSCRIPT_WORDS} + place) % length(words))::INTEGER]), ' ') AS transcript
        FROM range(${count}), temp.vocabulary
      )
    ) ORDER BY reading`);
  await write.run(`
    INSERT INTO traces BY NAME
    SELECT project, trace_id, 20000 AS first_day, 20000 AS last_day, reading AS first_lsn, reading AS lsn, started_ns, ended_ns,
      spans, errors, root_name, started_ns AS root_start_ns, root_end_ns, conversation, 1 AS conversation_rank, agent,
      started_ns AS agent_start_ns, service, received_last_ms AS received_first_ms, received_last_ms, source,
      reading AS projected_lsn, reading
    FROM conversations ORDER BY reading`);
  const samples = SAMPLES.map(
    ([measure], place) =>
      `SELECT reading, '${measure}' AS measure, ${place} AS place, ${VALUES[measure] ?? LATENCY} AS value FROM conversations`,
  );
  await write.run(`
    INSERT INTO measures
    SELECT reading, project, source, agent, measure, started_ns // 1000000 + place * 7000, value, 'measured', place // 2
    FROM (${samples.join(" UNION ALL ")}) JOIN conversations USING (reading) ORDER BY reading, place`);
  await outdatePools(write, "FROM measures");
  await storeSignatures(write, count);
  const [stored] = await rowsOf<{ samples: bigint }>(write, "SELECT count(*) AS samples FROM measures");
  console.log(`${count} conversations, ${count * SPANS} spans, ${stored!.samples} samples`);
}

async function storeSignatures(write: DatabaseConnection, count: number): Promise<void> {
  for (let from = 0; from < count; from += ROWS_SIGNED) {
    const rows = await rowsOf<{
      reading: bigint;
      transcript: string;
      names: string;
      agent: string;
      conversation: string;
    }>(
      write,
      `SELECT reading, transcript, names, agent, conversation FROM conversations WHERE reading > ${from} AND reading <= ${from + ROWS_SIGNED}`,
    );
    const appender = await write.createAppender("signatures");
    for (const { reading, agent, conversation, ...texts } of rows) {
      appender.appendBigInt(reading);
      appender.appendUInteger(1);
      for (const word of signatureOf({ ...texts, sent: [agent, conversation, "agent_session"] }))
        appender.appendUBigInt(word);
      appender.endRow();
    }
    appender.closeSync();
  }
}

/** Returns the different words of the documentation. */
function documentWords(): string[] {
  const texts = readdirSync(DOCS)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(DOCS, name), "utf8").toLowerCase());
  return [...new Set(texts.join(" ").match(/[a-z]{2,}/g))].filter((word) => word !== "xylophone").toSorted();
}
