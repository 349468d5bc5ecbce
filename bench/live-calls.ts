import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { encodeProtobuf, type OtlpRequest, type OtlpSpan } from "../test/support/otlp.ts";

const CAPTURE = "test/fixtures/otlp-captures/py-1.8.9-voice";
/** The job's name in the recorded call, and the longer name that replaces it, in which each call has its own digits. */
const JOB = "AJ_123";
const LONG_JOB = "AJ_000000000000";
/** The agent's name in the recorded call, and its name and version in the bodies, in which calls have their own digits. */
const AGENT = "clinic";
const LONG_AGENT = "clinic-0";
const VERSION = "version-0";
const ROUND_SECONDS = 16;

/** One body of a call with the offsets of the ids and names that differ between calls. */
type CallBody = { bytes: Buffer; spans: number; traceIdAt: number[]; jobAt: number[]; digitsAt: number[][] };
export type CallIds = {
  traceId: Buffer;
  job: Buffer;
  /** Digits of the agent's name and of its version. */
  digits?: readonly [agent: number, version: number];
};

type CallTimes = {
  startMs?: number;
  /** Time between two repetitions of the recorded call. */
  roundSeconds?: number;
};

/** Number of bodies in a repetition of the recorded call. */
export const BODIES_OF_ROUND = readdirSync(CAPTURE).filter((name) => name.endsWith(".decoded.json")).length - 1;

/**
 * Returns the bodies of one call in the order in which a real worker sent them. A call longer than the recorded one repeats the
 * middle with later times and other ids. The last body ends the session.
 */
export function bodiesOfCall(
  count: number,
  { startMs = Date.now(), roundSeconds = ROUND_SECONDS }: CallTimes = {},
): CallBody[] {
  const files = readdirSync(CAPTURE).filter((name) => name.endsWith(".decoded.json"));
  const captured = files
    .sort()
    .map((name) => readFileSync(join(CAPTURE, name), "utf8").replaceAll(JOB, LONG_JOB))
    .map((text) => text.replaceAll(`"${AGENT}"`, `"${LONG_AGENT}"`));
  const [last, round] = [captured.at(-1)!, captured.slice(0, -1)];
  const spans = spansIn(JSON.parse(last) as OtlpRequest);
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined)!;
  const shiftNs = BigInt(startMs) * 1_000_000n - BigInt(root.startTimeUnixNano!);
  const rounds = Math.ceil((count - 1) / round.length);
  const texts = Array.from({ length: count - 1 }, (_, at) => ({
    text: round[at % round.length]!,
    number: Math.floor(at / round.length),
  }));
  return [...texts, { text: last, number: rounds - 1 }].map(({ text, number }) =>
    templateOf(shifted(text, number, number * roundSeconds, { rootId: root.spanId, shiftNs })),
  );
}

/** Returns a body with the times and ids of one repetition. The root span covers all repetitions. */
function shifted(
  text: string,
  round: number,
  seconds: number,
  { rootId, shiftNs }: { rootId: string; shiftNs: bigint },
): OtlpRequest {
  const byNs = shiftNs + BigInt(seconds) * 1_000_000_000n;
  const renamed = text.replace(/\b(speech|item)_([0-9a-f]{10})/g, (_, kind, id) => `${kind}_${id}${round}`);
  return JSON.parse(renamed, function (key, value) {
    if (key.endsWith("UnixNano"))
      return String(BigInt(value) + (this.spanId === rootId && key === "startTimeUnixNano" ? shiftNs : byNs));
    if (key === "doubleValue" && value > 1e9 && value < 1e10) return value + Number(byNs / 1_000_000n) / 1000;
    if ((key === "spanId" || key === "parentSpanId") && value !== rootId)
      return (BigInt(`0x${value}`) ^ BigInt(round * 0x10001)).toString(16).padStart(16, "0");
    return value;
  }) as OtlpRequest;
}

function templateOf(request: OtlpRequest): CallBody {
  const spans = spansIn(request);
  for (const { resource } of request.resourceSpans!)
    resource!.attributes!.push({ key: "service.version", value: { stringValue: VERSION } });
  const bytes = encodeProtobuf(request);
  const lastOf = (name: string) => offsetsOf(Buffer.from(name), bytes).map((at) => at + name.length - 1);
  return {
    bytes,
    spans: spans.length,
    traceIdAt: offsetsOf(Buffer.from(spans[0]!.traceId, "hex"), bytes),
    jobAt: offsetsOf(Buffer.from(LONG_JOB), bytes),
    digitsAt: [lastOf(LONG_AGENT), lastOf(VERSION)],
  };
}

export const newCall = (): CallIds => ({
  traceId: randomBytes(16),
  job: Buffer.from(`AJ_${randomBytes(6).toString("hex")}`),
});

/** Returns the gzipped body of one call. */
export function bodyFor(
  { bytes, traceIdAt, jobAt, digitsAt }: CallBody,
  { traceId, job, digits = [0, 0] }: CallIds,
): Buffer {
  const copy = Buffer.from(bytes);
  for (const at of traceIdAt) traceId.copy(copy, at);
  for (const at of jobAt) job.copy(copy, at);
  for (const [which, places] of digitsAt.entries()) for (const at of places) copy[at] = 0x30 + digits[which]!;
  return gzipSync(copy, { level: 1 });
}

const spansIn = (request: OtlpRequest): OtlpSpan[] =>
  request.resourceSpans!.flatMap((of) => of.scopeSpans!.flatMap((scope) => scope.spans!));

function offsetsOf(id: Buffer, bytes: Buffer): number[] {
  const at: number[] = [];
  for (let next = bytes.indexOf(id); next >= 0; next = bytes.indexOf(id, next + id.length)) at.push(next);
  return at;
}
