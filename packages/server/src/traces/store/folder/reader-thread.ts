import { serveCalls } from "../../../base/threads/serve-calls.ts";
import { journalDir } from "../../journal/segments.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { type BodyReader, createMessageFinder, openBodyReader } from "../body-reader.ts";
import { SPANS_LOOKED_MAX, SPANS_MAX, type TraceBody } from "../body-rows.ts";
import type { BodyMessages } from "../body-spans.ts";
import { EMPTY_READING, readingOf } from "../reading.ts";
import { JSON_BYTES_MAX } from "../span-row.ts";
import type { CountedOutcome, ExactTrace, ReaderFace, UnreadConversation } from "./reader-messages.ts";

// The thread that derives conversations from the bodies in the journal. Meanwhile the store's thread commits spans. Then it stores
// the derived conversations.

/** Lower priority, so that under load the service stores spans first and derives conversations later. */
const NICENESS = 10;

serveCalls<ReaderFace>(({ dataDir, journalVersion }, { tell }) => {
  const bodies = openBodyReader(journalDir(dataDir), tell.damagedRecord, createMessageFinder());
  let versionOfBodies = 0;

  function read(conversations: readonly UnreadConversation[]): CountedOutcome[] | null {
    const current = Atomics.load(journalVersion, 0);
    if (current !== versionOfBodies) bodies.close();
    versionOfBodies = current;
    let bytes = 0;
    const outcomes: CountedOutcome[] = [];
    for (const { bodies: own, facts, isCut } of conversations) {
      try {
        const found = spansIn(own, bodies.read);
        bytes += found.bytes;
        if (bytes > JSON_BYTES_MAX && conversations.length > 1) return null;
        outcomes.push(outcomeOf(found, isCut, facts));
      } catch (error) {
        outcomes.push({ error });
      }
    }
    return outcomes;
  }

  return { calls: { read } };
}, NICENESS);

type FoundSpans = {
  spans: StoredSpan[];
  /** The number of all spans. The latest spans may be missing in `spans`. */
  total: number;
  parsed: number;
  errors: number;
  lost: number;
  bytes: number;
  exact: ExactTrace[];
};

function outcomeOf(
  { spans, total, parsed, errors, lost, exact }: FoundSpans,
  isCut: boolean,
  facts: UnreadConversation["facts"],
): CountedOutcome {
  if (total + lost === 0) return { reading: EMPTY_READING, counts: { spans: 0, errors: 0 }, exact: [] };
  const isPart = isCut || spans.length < total;
  const reading = readingOf(spans, isPart, facts, lost);
  const counts = isCut || parsed < total ? null : { spans: total + lost, errors };
  return { reading, counts, exact: isPart || lost > 0 ? [] : exact };
}

/** The bodies must be in the order of the journal. If a span occurs several times, the first copy counts. */
function spansIn(bodies: readonly TraceBody[], readBody: BodyReader<BodyMessages>["read"]): FoundSpans {
  const seen = new Map<string, Set<bigint>>();
  const bodiesOfTrace = Map.groupBy(bodies, ({ traceId }) => traceId);
  const spans: StoredSpan[] = [];
  const sums = new Map<string, ExactTrace>();
  const repeated = new Set<string>();
  let [total, parsed, errors, lost, bytes] = [0, 0, 0, 0, 0];
  for (const address of bodies) {
    const { traceId } = address;
    if (total >= SPANS_LOOKED_MAX) {
      total += address.spans;
      continue;
    }
    const body = readBody(address);
    if (body === undefined) {
      lost += address.spans;
      continue;
    }
    const { project, receivedMs } = address;
    const sum = sums.get(traceId) ?? { project, traceId, spans: 0, errors: 0, receivedLastMs: 0 };
    sums.set(traceId, sum);
    const isOnly = bodiesOfTrace.get(traceId)!.length === 1;
    const before = isOnly ? undefined : (seen.get(traceId) ?? new Set<bigint>());
    if (before !== undefined) seen.set(traceId, before);
    for (const row of body.rowsOf(BigInt(`0x${traceId}`))) {
      const spanId = body.spanIdOf(row);
      if (before?.has(spanId)) {
        repeated.add(traceId);
        continue;
      }
      before?.add(spanId);
      total++;
      if (bytes > JSON_BYTES_MAX) continue;
      bytes += body.bytesOf(row);
      const span = body.parse(row);
      spans.push(span);
      parsed++;
      errors += Number(span.status === "error");
      sum.spans++;
      sum.errors += Number(span.status === "error");
      sum.receivedLastMs = Math.max(sum.receivedLastMs, receivedMs);
    }
    if (body.rowsOf(BigInt(`0x${traceId}`)).length < address.spans) repeated.add(traceId);
  }
  if (spans.length > SPANS_MAX) spans.sort((a, b) => (a.startNs < b.startNs ? -1 : a.startNs > b.startNs ? 1 : 0));
  const exact = [...repeated].map((id) => sums.get(id)!);
  return { spans: spans.slice(0, SPANS_MAX), total, parsed, errors, lost, bytes, exact };
}
