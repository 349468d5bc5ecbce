import { MAPPING_VERSION } from "../../vocabulary/version.ts";
import type { ProjectorRequest } from "../projector/messages.ts";
import type { ProjectorThread } from "../projector/thread-client.ts";
import { EMPTY_READING, type ReadingOutcome } from "../reading.ts";
import { indexOf } from "../span-index.ts";
import { inTransaction, type WritingDatabase } from "./database.ts";
import { createWaiting, type DueConversation } from "./due-readings.ts";
import { groupsOf, KEYED_TRACES } from "./groups.ts";
import type { ThreadLog } from "./messages.ts";
import { createReadingWriter } from "./readings.ts";
import { EXTENT_COLUMNS, type ExtentColumns, readIndex, toExtent, TRACES_MAX } from "./spans.ts";
import { sharedLsn } from "./statements.ts";
import type { SummaryColumns } from "./summaries.ts";

const SPANS_PER_ROUND = 4_000;

/** Selects all traces of the waiting conversations from one place to another; none of them began before the record `firstLsn`. */
const tracesFrom = (firstLsn: number) => `
  SELECT t.*, d.place FROM (${KEYED_TRACES} WHERE first_lsn >= ${firstLsn}) t
  JOIN (SELECT * FROM temp.waiting WHERE place BETWEEN $1::BIGINT AND $2::BIGINT) d
  ON d.project = t.project AND d.key = t.key`;

type ChosenConversation = { project: number; key: string; place: number; spans: number; traces: number } & Pick<
  SummaryColumns,
  "root_end_ns" | "ended_ns" | "received_last_ms"
>;

type KeyedExtent = ExtentColumns & { key: string };

/** Conversations that are read together. Their traces stay in the table `chosen` until the next round. */
export type Round = {
  conversations: ChosenConversation[];
  extents: KeyedExtent[];
  request: ProjectorRequest;
  /** The last place in the table `waiting` that the round covers. */
  last: number;
};

export type Projector = {
  /**
   * Chooses conversations that follow each other in the temporary table `waiting`, as many as fit into one read; returns the
   * last place when all of them were deleted meanwhile.
   */
  choose: (due: readonly DueConversation[]) => Promise<Round | { conversations: null; last: number }>;
  /** Derives the readings of the chosen conversations; null when they are too large together. Other work may run meanwhile. */
  read: (round: Round) => Promise<ReadingOutcome[] | null>;
  /** Stores the readings; when the conversations were too large together, those of the first one. Returns the last place that is done. */
  store: (round: Round, outcomes: ReadingOutcome[] | null) => Promise<number>;
};

export async function createProjector(
  database: WritingDatabase,
  thread: ProjectorThread,
  days: Set<number>,
  log: ThreadLog,
): Promise<Projector> {
  const { write, statements } = database;
  const readings = await createReadingWriter(database);
  await createWaiting(write);
  await write.run(`CREATE TEMP TABLE chosen AS FROM (${tracesFrom(0).replace(/\$\d/g, "0")}) LIMIT 0`);

  async function choose(due: readonly DueConversation[]) {
    const [from, to] = [due[0]!.place, due.at(-1)!.place];
    const firstLsn = Math.min(...due.map((conversation) => Number(conversation.first_lsn)));
    await statements.run("TRUNCATE temp.chosen");
    await statements.run(`INSERT INTO temp.chosen ${tracesFrom(sharedLsn(firstLsn))}`, [BigInt(from), BigInt(to)]);
    const chosen = await statements.rowsOf<ChosenConversation>(
      `SELECT project, key, place, spans, traces, root_end_ns, ended_ns, received_last_ms
       FROM (${groupsOf("FROM temp.chosen")}) JOIN (SELECT DISTINCT project, key, place FROM temp.chosen) USING (project, key)
       ORDER BY place`,
    );
    const conversations = withinBounds(chosen);
    if (conversations.length === 0) return { conversations: null, last: to };
    const extents = await statements.rowsOf<KeyedExtent>(
      `SELECT ${EXTENT_COLUMNS}, key FROM temp.chosen
       QUALIFY row_number() OVER (PARTITION BY project, key ORDER BY started_ns, trace_id) <= ${TRACES_MAX}`,
    );
    const { request, truncated } = await requestFor(conversations, extents);
    if (truncated && conversations.length > 1) return firstOf({ conversations, extents });
    return {
      conversations,
      extents,
      request,
      last: conversations.length < chosen.length ? conversations.at(-1)!.place : to,
    };
  }

  /** Returns a round of the first conversation alone. */
  async function firstOf({
    conversations: [first],
    extents,
  }: Pick<Round, "conversations" | "extents">): Promise<Round> {
    const { request } = await requestFor([first!], extents);
    return { conversations: [first!], extents, request, last: first!.place };
  }

  async function requestFor(conversations: readonly ChosenConversation[], extents: readonly KeyedExtent[]) {
    const placeOf = new Map(conversations.map((conversation, at) => [conversationId(conversation), at]));
    const traces = extents.filter((extent) => placeOf.has(conversationId(extent)));
    const { rows, truncated } = await readIndex(write, days, traces.map(toExtent), {
      byStart: conversations.length === 1,
    });
    const request: ProjectorRequest = {
      conversations: conversations.map((chosen) => ({
        facts: {
          rootEnded: chosen.root_end_ns !== null,
          endedNs: chosen.ended_ns,
          lastReceivedMs: Number(chosen.received_last_ms),
        },
        truncated: truncated || chosen.traces > TRACES_MAX,
      })),
      traces: traces.map((extent) => ({
        project: extent.project,
        traceId: extent.trace_id,
        conversation: placeOf.get(conversationId(extent))!,
      })),
      index: indexOf(rows),
    };
    return { request, truncated };
  }

  async function store(round: Round, outcomes: ReadingOutcome[] | null): Promise<number> {
    if (outcomes === null) {
      const first = await firstOf(round);
      return store(first, await thread.read(first.request));
    }
    const conversations = round.conversations.map(({ project, key }, at) => {
      const outcome = outcomes[at]!;
      if ("reading" in outcome) return { project, key, ...outcome.reading };
      const { error } = outcome;
      log("error", "a conversation could not be read from its spans", { project, conversation: key, error });
      return { project, key, ...EMPTY_READING };
    });
    await inTransaction(write, () => readings.replace(conversations, MAPPING_VERSION));
    await readings.free();
    return round.last;
  }

  return { choose, read: ({ request }) => thread.read(request), store };
}

const conversationId = ({ project, key }: { project: number; key: string }) => `${project} ${key}`;

/** Returns the first conversation and those after it whose spans fit into the same read. */
function withinBounds(changed: ChosenConversation[]): ChosenConversation[] {
  let spans = 0;
  const end = changed.findIndex((conversation) => (spans += conversation.spans) > SPANS_PER_ROUND);
  return end === -1 ? changed : changed.slice(0, Math.max(1, end));
}
