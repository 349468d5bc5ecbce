import { join } from "node:path";
import { send } from "../test/support/request.ts";
import { until } from "../test/support/until.ts";
import { AppError } from "../packages/server/src/base/errors.ts";
import { createDecoder } from "../packages/server/src/traces/otlp/decoder.ts";
import { SpanBatch } from "../packages/server/src/traces/span-batch.ts";
import { newBody, wordsOf } from "./loads/ingest.ts";
import { type Body, cleanBodies, mutated, strangeConversation } from "./mutations.ts";
import type { Arena, Scenario } from "./scenario.ts";
import { claimed, clientOf } from "./service.ts";
import { keysIn } from "../test/support/secret.ts";

/** In each round, this many bodies are sent over HTTP; the others are decoded in this process. */
const SENT = 200;
const DECODED = 4_800;
const AT_ONCE = 8;
const SPANS_MAX = 50_000;

export const bodies: Scenario = {
  name: "bodies",
  shows: "no mutated OTLP body makes the service answer with 5xx, end, or stop deriving later conversations",
  weight: 2,
  trials: "mutated bodies",
  goal: 1_000_000,
  async run(arena) {
    const settings = claimed(arena.draws);
    const service = arena.launch({ dataDir: join(arena.folder, "data"), settings });
    const url = await service.serving;
    const key = keysIn(settings).projectKey;
    const clean = cleanBodies(arena.draws);
    const decode = createDecoder().decodeRecord;
    let batch = new SpanBatch();

    for (let round = 0; arena.goesOn(); round++) {
      const draws = arena.draws.named(`round ${round}`);
      const drawn = () => (draws.next() < 0.3 ? strangeConversation(draws) : mutated(draws, draws.pick(clean), clean));
      let waiting = SENT;
      const sender = async () => {
        while (waiting-- > 0) await sendBody(arena, url, key, drawn());
      };
      await Promise.all(Array.from({ length: AT_ONCE }, sender));
      for (let number = 0; number < DECODED; number++) {
        const { bytes, encoding, gzip } = drawn();
        arena.trial();
        try {
          if (batch.rows > SPANS_MAX / 2) batch = new SpanBatch();
          const record = {
            project: 1,
            lsn: 1,
            receivedMs: 1,
            encoding,
            compression: gzip ? ("gzip" as const) : ("identity" as const),
            chunks: [bytes],
          };
          decode(record, batch, { index: true });
          arena.count("accepted");
        } catch (error) {
          // A refusal is an AppError with a 4xx code; every other error would be a 500.
          if (error instanceof AppError) arena.count("refused");
          else
            arena.violation(`the decoder threw ${String(error)}`, {
              body: bytes.toString("base64"),
              encoding,
              gzip,
              error,
            });
        }
      }
      await stillReads(arena, url, key);
      if (!service.isAlive()) {
        arena.violation("the service ended", { log: service.log.slice(-20), errors: service.errors() });
        return;
      }
    }
    if (arena.isPlanted) arena.violation("planted: a body was answered with 500");
    const errors = service.log.filter(({ level }) => level === "error" || level === "fatal");
    if (errors.length > 0)
      arena.violation(`the log has ${errors.length} errors, such as: ${errors[0]!.msg}`, errors.slice(0, 20));
    await service.stop();
  },
};

async function sendBody(arena: Arena, url: string, key: string, body: Body): Promise<void> {
  const { bytes, encoding, gzip } = body;
  arena.trial();
  const headers = {
    "content-type": encoding === "json" ? "application/json" : "application/x-protobuf",
    ...(gzip && { "content-encoding": "gzip" }),
  };
  const reply = await send(url, { method: "POST", path: "/v1/traces", key, body: bytes, headers });
  arena.count(`answers ${reply.status}`);
  if (reply.status >= 500)
    arena.violation(`${reply.status} ${reply.text.slice(0, 200)}`, { body: bytes.toString("base64"), encoding, gzip });
}

/** Sends a valid conversation, and expects that the service reads it after everything that was sent before. */
async function stillReads(arena: Arena, url: string, key: string): Promise<void> {
  const client = clientOf(url, key);
  const body = newBody(arena.draws, 5);
  await client.traces.ingest(body.send);
  arena.count("clean conversations");
  const read = await until(
    "a clean conversation is derived",
    async () => (await client.traces.get({ traceId: body.traceId })).spans.length === 5,
    60_000,
  ).catch((error: Error) => error);
  if (read instanceof Error) arena.violation("a clean conversation is not derived after mutated bodies", { read });
  else for (const fault of await wordsOf(client, body)) arena.violation(fault);
}
