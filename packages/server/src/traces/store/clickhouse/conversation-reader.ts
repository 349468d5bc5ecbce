import { setImmediate as nextTurn } from "node:timers/promises";
import { inSlices } from "../../../in-slices.ts";
import type { Log } from "../../../log.ts";
import type { Db } from "../../../stores/relational.ts";
import { EMPTY_READING, readingOf, type StoredReading } from "../reading.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser } from "../span-row.ts";
import type { StoredSpan } from "../../stored-span.ts";
import type { ClickHouse } from "./client.ts";
import { giveBack, type LeasedConversation, takeDue, tracesOf } from "./due-conversations.ts";
import { type ReadConversation, storeReadings } from "./readings.ts";
import { countSpans, readSpans, TRACES_MAX } from "./spans.ts";

const CONVERSATIONS_PER_ROUND = 64;
const SPANS_PER_ROUND = 4_000;

type Round = {
  /** Whether there was any conversation to read. */
  any: boolean;
  /** For how long the longest waiting one was due. */
  lagMs: number;
};

/** A conversation with its traces and the exact number of its spans. */
type Counted = { conversation: LeasedConversation; traceIds: string[]; spans: number; errors: number };

/** Creates the function that reads the next conversations that are due, or with `all` any with new spans. */
export function createConversationReader(clickHouse: ClickHouse, db: Db, log: Log): (all: boolean) => Promise<Round> {
  async function readRound(all: boolean): Promise<Round> {
    const leased = await takeDue(db, CONVERSATIONS_PER_ROUND, all);
    if (leased.length === 0) return { any: false, lagMs: 0 };
    const lagMs = Math.max(0, ...leased.map(({ waitedMs }) => waitedMs));
    const left = new Set(leased);
    try {
      const counted = await count(leased);
      for (const together of groupsOf(counted)) {
        await storeReadings(clickHouse, db, await read(together));
        for (const { conversation } of together) left.delete(conversation);
      }
    } catch (error) {
      await giveBack(db, [...left]).catch(() => undefined);
      throw error;
    }
    return { any: true, lagMs };
  }

  async function count(leased: readonly LeasedConversation[]): Promise<Counted[]> {
    const traces = await tracesOf(
      db,
      leased.map(({ project, key }) => ({ project, key })),
      Number.MAX_SAFE_INTEGER,
    );
    const counts = new Map(
      (await countSpans(clickHouse, traces)).map((counted) => [`${counted.project} ${counted.traceId}`, counted]),
    );
    const byConversation = Map.groupBy(traces, ({ project, key }) => `${project} ${key}`);
    return leased.map((conversation) => {
      const own = byConversation.get(`${conversation.project} ${conversation.key}`) ?? [];
      const ofOwn = own.flatMap(({ project, traceId }) => counts.get(`${project} ${traceId}`) ?? []);
      return {
        conversation,
        traceIds: own.map(({ traceId }) => traceId),
        spans: ofOwn.reduce((sum, { spans }) => sum + spans, 0),
        errors: ofOwn.reduce((sum, { errors }) => sum + errors, 0),
      };
    });
  }

  /** Reads conversations from one query of their spans; one by one when these are too large together. */
  async function read(together: readonly Counted[]): Promise<ReadConversation[]> {
    const chosen = together.flatMap(({ conversation, traceIds }) =>
      traceIds.slice(0, TRACES_MAX).map((traceId) => ({ project: conversation.project, traceId })),
    );
    const { lines, spans: found } = await readSpans(clickHouse, chosen);
    if (together.length > 1 && found < together.reduce((sum, { spans }) => sum + spans, 0)) {
      const apart: ReadConversation[] = [];
      for (const one of together) apart.push(...(await read([one])));
      return apart;
    }
    const byTrace = await inSlices(spansByTrace(lines));
    const done: ReadConversation[] = [];
    for (const { conversation, traceIds, spans, errors } of together) {
      const own = traceIds.flatMap((traceId) => byTrace.get(`${conversation.project} ${traceId}`) ?? []);
      done.push({ conversation, reading: readingFrom(own, own.length < spans, conversation), spans, errors });
      await nextTurn();
    }
    return done;
  }

  function readingFrom(spans: readonly StoredSpan[], isPart: boolean, conversation: LeasedConversation): StoredReading {
    const { rootEnded, endedNs, lastReceivedMs, project, key } = conversation;
    if (spans.length === 0) return EMPTY_READING;
    try {
      return readingOf(spans, isPart, { rootEnded, endedNs, lastReceivedMs });
    } catch (error) {
      log.error({ project, conversation: key, err: error }, "a conversation could not be read from its spans");
      return EMPTY_READING;
    }
  }

  return readRound;
}

/** Returns the spans of each trace, by its project and id. */
function* spansByTrace(lines: Uint8Array): Generator<void, Map<string, StoredSpan[]>> {
  const parse = createSpanParser();
  const byTrace = new Map<string, StoredSpan[]>();
  for (const row of rowsOfLines(lines)) {
    const span = parse(row);
    const key = `${row.project} ${span.traceId}`;
    const others = byTrace.get(key);
    if (others === undefined) byTrace.set(key, [span]);
    else others.push(span);
    yield;
  }
  return byTrace;
}

/** Returns the conversations in groups whose spans fit into one read; a large conversation is a group by itself. */
function groupsOf(counted: readonly Counted[]): Counted[][] {
  const groups: Counted[][] = [];
  let spans = Number.POSITIVE_INFINITY;
  for (const one of counted) {
    if (spans + one.spans > SPANS_PER_ROUND) {
      groups.push([]);
      spans = 0;
    }
    groups.at(-1)!.push(one);
    spans += one.spans;
  }
  return groups;
}
