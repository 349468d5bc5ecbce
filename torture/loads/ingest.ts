import { gzipSync } from "node:zlib";
import { type OtlpBody, pages } from "@svc/sdk";
import { requestOf } from "../../test/support/ingest.ts";
import { attribute, encodeJson, encodeProtobuf, type OtlpSpan } from "../../test/support/otlp.ts";
import type { Draws } from "../random.ts";
import { type Access, isUnknown, lastingFaults, type Load } from "./load.ts";

type Body = { traceId: string; spans: number; text: string; send: OtlpBody };

const SAMPLE = 12;
const PLANTED: Body = {
  traceId: "f".repeat(32),
  spans: 3,
  text: "",
  send: { body: "", contentType: "application/json" },
};

/** Returns a body with one new conversation. */
export function newBody(
  draws: Draws,
  spans = draws.next() < 0.03 ? draws.whole(500, 3_000) : draws.whole(1, 30),
): Body {
  const traceId = draws.hex(32).replace(/^0/, "7");
  const text = `words of ${traceId}`;
  const startNs = BigInt(Date.now() - 120_000) * 1_000_000n;
  const root = draws.hex(16).replace(/^0/, "7");
  const spanAt = (at: number): OtlpSpan => ({
    traceId,
    spanId: at === 0 ? root : draws.hex(16).replace(/^0/, "7"),
    ...(at > 0 && { parentSpanId: root }),
    name: at === 0 ? "agent_session" : "user_turn",
    startTimeUnixNano: String(startNs + BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(startNs + BigInt(at) * 1_000_000n + 500_000n),
    attributes: [attribute("note", `${text} ${at}`), attribute("lk.pii.user_transcript", `I say the ${text} ${at}`)],
  });
  const request = requestOf(Array.from({ length: spans }, (_, at) => spanAt(at)));
  const form = draws.whole(0, 2);
  const send: OtlpBody =
    form === 0
      ? { body: encodeJson(request), contentType: "application/json" }
      : form === 1
        ? { body: encodeProtobuf(request), contentType: "application/x-protobuf" }
        : { body: gzipSync(encodeProtobuf(request)), contentType: "application/x-protobuf", gzip: true };
  return { traceId, spans, text, send };
}

/** Sends spans. A body without an answer is sent again, as by an exporter. */
export function ingestLoad(): Load {
  const acknowledged = new Map<string, Body>();
  const waiting: Body[] = [];

  async function step({ client, draws }: Access): Promise<void> {
    const body = waiting.shift() ?? newBody(draws);
    try {
      await client.traces.ingest(body.send);
      acknowledged.set(body.traceId, body);
    } catch (error) {
      if (isUnknown(error)) waiting.push(body);
      throw error;
    }
  }

  async function faults(access: Access): Promise<string[]> {
    const { client, draws } = access;
    const stored = new Map<string, number>();
    const look = async () => {
      const doubled: string[] = [];
      stored.clear();
      for await (const { traceId, spanCount } of pages(client.traces.list, { pageSize: 200, source: "production" })) {
        if (stored.has(traceId)) doubled.push(traceId);
        stored.set(traceId, spanCount);
      }
      const wrong = [...acknowledged.values()].filter(({ traceId, spans }) => stored.get(traceId) !== spans);
      const open = waiting.filter(({ traceId, spans }) => stored.has(traceId) && stored.get(traceId) !== spans);
      return [
        ...wrong.map(({ traceId, spans }) => `ingest: ${traceId} has ${stored.get(traceId) ?? 0} of ${spans} spans`),
        ...doubled.map((traceId) => `ingest: ${traceId} is listed twice`),
        ...open.map(({ traceId }) => `ingest: ${traceId}, which was not acknowledged, is stored in part`),
      ];
    };
    const found = await lastingFaults(access, look);
    const all = [...acknowledged.values()].filter(({ traceId }) => stored.has(traceId));
    for (let sample = 0; sample < Math.min(SAMPLE, all.length); sample++)
      found.push(...(await wordsOf(client, draws.pick(all))));
    return found;
  }

  return {
    name: "ingest",
    step,
    faults,
    acknowledged: () => acknowledged.size,
    plant: () => void acknowledged.set(PLANTED.traceId, PLANTED),
  };
}

/** Returns the faults of one conversation's spans. Each span must occur once, with its words. */
export async function wordsOf(
  client: Access["client"],
  { traceId, spans, text }: Pick<Body, "traceId" | "spans" | "text">,
): Promise<string[]> {
  const trace = await client.traces.get({ traceId });
  const ids = new Set(trace.spans.map(({ spanId }) => spanId));
  const notes = new Set(trace.spans.map(({ attributes }) => (attributes as Record<string, unknown>)["note"]));
  const expected = Array.from({ length: Math.min(spans, trace.spans.length) }, (_, at) => `${text} ${at}`);
  if (ids.size !== trace.spans.length) return [`ingest: ${traceId} shows a span twice`];
  if (!trace.spansTruncated && trace.spans.length !== spans)
    return [`ingest: ${traceId} shows ${trace.spans.length} of ${spans} spans`];
  if (!trace.spansTruncated && expected.some((note) => !notes.has(note))) return [`ingest: ${traceId} lost words`];
  return [];
}
