import { startOf } from "../../../assets.ts";
import { callThread } from "../../../base/threads/call-thread.ts";
import type { Log } from "../../../base/log/log.ts";
import { transfer } from "../../../base/threads/serve-calls.ts";
import type { Db } from "../../../stores/relational.ts";
import { giveBack, type LeasedConversation, takeDue, tracesOf } from "../index/due-conversations.ts";
import type { ReadRound } from "../index/reading-loop.ts";
import type { ReadConversation } from "../index/readings.ts";
import { addMissingTerms } from "../index/search-terms.ts";
import { outcomesOf } from "../outcomes.ts";
import { EMPTY_READING, type ReadingOutcome, type StoredReading } from "../reading.ts";
import type { ClickHouse } from "./client.ts";
import type { ReadingFace } from "./reading-messages.ts";
import { storeInClickHouse } from "./readings.ts";
import { countSpans, readSpans, TRACES_MAX } from "./spans.ts";

const CONVERSATIONS_PER_ROUND = 64;
const SPANS_PER_ROUND = 4_000;

type Counted = { conversation: LeasedConversation; traceIds: string[]; spans: number; errors: number };

export type ConversationReader = {
  readRound: ReadRound;
  close: () => Promise<void>;
};

/** A thread derives the conversations from their spans. */
export function createConversationReader(clickHouse: ClickHouse, db: Db, log: Log): ConversationReader {
  const thread = callThread<ReadingFace>(startOf("reading-thread"), { options: undefined, on: {} });
  let haveTerms = false;

  async function readRound(all: boolean): ReturnType<ReadRound> {
    const leased = await takeDue(db, CONVERSATIONS_PER_ROUND, all);
    if (leased.length === 0) return { any: await addTerms(), lagMs: 0 };
    const lagMs = Math.max(0, ...leased.map(({ waitedMs }) => waitedMs));
    const left = new Set(leased);
    try {
      const counted = await count(leased);
      for (const together of groupsOf(counted)) {
        await storeInClickHouse(clickHouse, db, await read(together));
        for (const { conversation } of together) left.delete(conversation);
      }
    } catch (error) {
      await giveBack(db, [...left]).catch(() => undefined);
      throw error;
    }
    return { any: true, lagMs };
  }

  /**
   * Adds search terms to the next conversations that an older version derived without search terms. Call it again until it returns
   * false.
   */
  async function addTerms(): Promise<boolean> {
    if (haveTerms) return false;
    haveTerms = (await addMissingTerms(db)) === 0;
    return !haveTerms;
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

  /** If their spans exceed one read, derives each conversation alone. */
  async function read(together: readonly Counted[]): Promise<ReadConversation[]> {
    const chosen = together.flatMap(({ conversation, traceIds }) =>
      traceIds.slice(0, TRACES_MAX).map((traceId) => ({ project: conversation.project, traceId })),
    );
    const { lines, spans: found } = await readSpans(clickHouse, chosen);
    if (together.length > 1 && found < together.reduce((sum, { spans }) => sum + spans, 0)) return readApart(together);
    const outcomes = await readingsOf(lines, together);
    if (outcomes === null) return readApart(together);
    return together.map(({ conversation, spans, errors }, at) => ({
      conversation,
      reading: readingFrom(outcomes[at]!, conversation),
      spans,
      errors,
    }));
  }

  async function readApart(together: readonly Counted[]): Promise<ReadConversation[]> {
    const apart: ReadConversation[] = [];
    for (const one of together) apart.push(...(await read([one])));
    return apart;
  }

  function readingsOf(lines: Uint8Array<ArrayBuffer>, together: readonly Counted[]): Promise<ReadingOutcome[] | null> {
    const conversations = together.map(({ conversation, traceIds, spans }) => {
      const { project, rootEnded, endedNs, lastReceivedMs, versionAttribute } = conversation;
      return { project, traceIds, spans, facts: { rootEnded, endedNs, lastReceivedMs, versionAttribute } };
    });
    return outcomesOf(together.length, thread.calls.read(transfer(lines, [lines.buffer]), conversations));
  }

  function readingFrom(outcome: ReadingOutcome, { project, key }: LeasedConversation): StoredReading {
    if ("reading" in outcome) return outcome.reading;
    log.error({ project, conversation: key, err: outcome.error }, "a conversation could not be read from its spans");
    return EMPTY_READING;
  }

  return { readRound, close: thread.close };
}

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
