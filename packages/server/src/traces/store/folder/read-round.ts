import { sql } from "kysely";
import type { Db } from "../../../stores/relational.ts";
import { giveBack, type LeasedConversation, takeDue } from "../index/due-conversations.ts";
import type { ReadRound } from "../index/reading-loop.ts";
import { type NumberedReading, type ReadConversation, storeReadings } from "../index/readings.ts";
import { EMPTY_READING } from "../reading.ts";
import type { TraceBody } from "../body-rows.ts";
import { indexDialectOf } from "../index/dialect.ts";
import { sumUp } from "../index/writes.ts";
import { BODIES_MAX, bodiesOfConversations, receivedSpans } from "./bodies.ts";
import type { CountedOutcome, ExactTrace } from "./reader-messages.ts";
import type { ReaderThread } from "./reader-thread-client.ts";
import { noteReadings, type WaitingSamples } from "./waiting-samples.ts";

const CONVERSATIONS_PER_ROUND = 128;
const SPANS_PER_READ = 4_000;
export const TRACES_MAX = 1_000;

export function createFolderReader(
  db: Db,
  reader: ReaderThread,
  waiting: Pick<WaitingSamples, "add" | "makeRoom">,
  log: { error: (details: object, message: string) => void },
): ReadRound {
  /** The corrected sums of traces with repeated spans, by conversation. */
  const exactOf = new WeakMap<LeasedConversation, ExactTrace[]>();

  return async (all) => {
    await waiting.makeRoom();
    const leased = await takeDue(db, CONVERSATIONS_PER_ROUND, all);
    if (leased.length === 0) return { any: false, lagMs: 0 };
    // Conversations with the same bodies are then derived one after another, while these bodies are in the reader's cache.
    leased.sort((one, other) => one.lastReceivedMs - other.lastReceivedMs);
    const left = new Set(leased);
    try {
      for (const together of groupsOf(leased)) {
        const readings = await read(together);
        const numbered = await storeReadings(db, readings, async (tx, stored) => {
          await noteReadings(tx, stored);
          await correctSums(
            tx,
            stored.filter(({ isCurrent }) => isCurrent),
            exactOf,
          );
        });
        waiting.add(numbered);
        for (const conversation of together) left.delete(conversation);
      }
    } catch (error) {
      await giveBack(db, [...left]).catch(() => undefined);
      throw error;
    }
    return { any: true, lagMs: Math.max(0, ...leased.map(({ waitedMs }) => waitedMs)) };
  };

  /** If the conversations are too large together, derives each conversation alone. */
  async function read(together: readonly LeasedConversation[]): Promise<ReadConversation[]> {
    const all = await bodiesOfConversations(db, together, TRACES_MAX);
    const bodies = Map.groupBy(all, idOf);
    const outcomes = await reader.read(
      together.map((conversation) => ({
        facts: factsOf(conversation),
        isCut: conversation.traces > TRACES_MAX || all.length === BODIES_MAX,
        bodies: (bodies.get(idOf(conversation)) ?? []).map(({ key: _, ...body }): TraceBody => body),
      })),
    );
    if (outcomes === null) return (await Promise.all(together.map((one) => read([one])))).flat();
    return Promise.all(together.map((conversation, at) => readOf(conversation, outcomes[at]!)));
  }

  async function readOf(conversation: LeasedConversation, outcome: CountedOutcome): Promise<ReadConversation> {
    if ("reading" in outcome) {
      if (outcome.exact.length > 0) exactOf.set(conversation, outcome.exact);
      const counts = outcome.counts ?? (await receivedSpans(db, conversation));
      return { conversation, reading: outcome.reading, ...counts };
    }
    const { project, key } = conversation;
    log.error({ project, conversation: key, err: outcome.error }, "a conversation could not be read from its spans");
    return { conversation, reading: EMPTY_READING, ...(await receivedSpans(db, conversation)) };
  }
}

/**
 * Replaces the sums of traces with repeated spans by sums that count each span once. In the new sums, a repeated span does not change
 * the time of the last receipt.
 */
async function correctSums(
  tx: Db,
  stored: readonly NumberedReading[],
  exactOf: WeakMap<LeasedConversation, ExactTrace[]>,
): Promise<void> {
  const traces = stored.flatMap(({ conversation }) => exactOf.get(conversation) ?? []);
  if (traces.length === 0) return;
  const { table } = indexDialectOf(tx);
  const columns = {
    project: "integer",
    traceId: "text",
    spans: "integer",
    errors: "integer",
    receivedLastMs: "bigint",
  } as const;
  await sql`
    UPDATE traces SET spans = e.spans, errors = e.errors, received_last_ms = e."receivedLastMs"
    FROM ${table("e", columns, traces)} WHERE traces.project = e.project AND traces.trace_id = e."traceId"`.execute(tx);
  await sumUp(
    tx,
    stored.map(({ conversation }) => conversation),
  );
}

const idOf = ({ project, key }: { project: number; key: string }) => `${project} ${key}`;

const factsOf = ({ rootEnded, endedNs, lastReceivedMs, versionAttribute }: LeasedConversation) => ({
  rootEnded,
  endedNs,
  lastReceivedMs,
  versionAttribute,
});

function groupsOf(conversations: readonly LeasedConversation[]): LeasedConversation[][] {
  const groups: LeasedConversation[][] = [];
  let spans = Number.POSITIVE_INFINITY;
  for (const one of conversations) {
    if (spans + one.receivedSpans > SPANS_PER_READ) {
      groups.push([]);
      spans = 0;
    }
    groups.at(-1)!.push(one);
    spans += one.receivedSpans;
  }
  return groups;
}
