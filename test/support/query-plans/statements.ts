import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { decideMetrics } from "../../../packages/server/src/traces/metrics/metric-rules.ts";
import {
  bodiesOf,
  bodiesOfConversations,
  createCountSpans,
  receivedSpans,
} from "../../../packages/server/src/traces/store/folder/bodies.ts";
import { createFolderExporter } from "../../../packages/server/src/traces/store/folder/export.ts";
import type { FolderParts } from "../../../packages/server/src/traces/store/folder/store.ts";
import {
  findVersionConversations,
  listAgentVersions,
  setVersionAttributes,
} from "../../../packages/server/src/traces/store/index/agent-versions.ts";
import { countConversations } from "../../../packages/server/src/traces/store/index/counts.ts";
import {
  giveBack,
  isAnyUnread,
  takeDue,
  tracesOf,
} from "../../../packages/server/src/traces/store/index/due-conversations.ts";
import {
  deleteTraces,
  forgetReadings,
  tracesBegunBefore,
} from "../../../packages/server/src/traces/store/index/erase.ts";
import { conversationRows, readingRows } from "../../../packages/server/src/traces/store/index/export-rows.ts";
import {
  conversationsBefore,
  namesOf,
  selectTraces,
  withDigests,
} from "../../../packages/server/src/traces/store/index/names.ts";
import { noteReadings, readUnmovedAgain } from "../../../packages/server/src/traces/store/folder/waiting-samples.ts";
import { createReadingWaits } from "../../../packages/server/src/traces/store/index/reading-waits.ts";
import { storeReadings } from "../../../packages/server/src/traces/store/index/readings.ts";
import {
  findProjects,
  findSummary,
  lastOfAgents,
  lastSentMs,
  readSince,
  watch,
} from "../../../packages/server/src/traces/store/index/reads.ts";
import { markForRemap } from "../../../packages/server/src/traces/store/index/remap.ts";
import { findMatches } from "../../../packages/server/src/traces/store/index/search-matches.ts";
import { addSums } from "../../../packages/server/src/traces/store/index/writes.ts";
import { EMPTY_READING } from "../../../packages/server/src/traces/store/reading.ts";
import { traceIdOf } from "../ingest.ts";
import { sumsOf, type TraceIndex } from "../trace-index.ts";
import type { Case } from "./case.ts";
import { BY_START, list, PAGE } from "./pages.ts";

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

const key = { project: 1, key: traceIdOf(1) };
const trace = { project: 1, traceId: traceIdOf(1) };
const makeDue = (engine: TraceIndex["engine"]) =>
  engine.exec("UPDATE conversations SET due_ms = 1, leased_until_ms = 0");
const makeUnread = (engine: TraceIndex["engine"]) =>
  engine.exec("UPDATE conversations SET change = change + 1, due_ms = 1");

const BY_AGENT_VERSION = {
  uses: "conversations_by_agent_version",
  bound: "(project=? AND source=? AND agent=? AND agent_version=?)",
};

export const others: [string, Case][] = [
  [
    "a search in the few conversations of an agent of a day",
    {
      ask: list({ search: "hello", agents: ["Ada"], fromNs: 1n, toNs: 9n }),
      ...BY_START,
    },
  ],
  [
    "the places at which a search matches",
    { ask: ({ db }) => findMatches(db, 1, [traceIdOf(1), traceIdOf(2)], "hello") },
  ],
  [
    "a page of one agent",
    { ask: list({ agents: ["Ada"] }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of one agent by its name",
    { ask: list({ agentNames: ["Ada"] }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of one version of agents",
    { ask: list({ agentVersions: ["41"] }), uses: "conversations_by_version", bound: "agent_version=?", inOrder: PAGE },
  ],
  [
    "a page of one version of an agent",
    {
      ask: list({ agents: ["Ada"], agentVersions: ["41"] }),
      uses: "conversations_by_version",
      bound: "agent_version=?",
      inOrder: PAGE,
    },
  ],
  [
    "a page of one ending",
    { ask: list({ ending: "voicemail" }), uses: "conversations_by_ending", bound: "reported_ending=?", inOrder: PAGE },
  ],
  [
    "a page of one channel",
    { ask: list({ channels: ["room"] }), uses: "conversations_by_channel", bound: "channel=?", inOrder: PAGE },
  ],
  ["a page of several channels", { ask: list({ channels: ["room", "text"] }), ...BY_START }],
  [
    "the counts of a channel",
    {
      ask: ({ db }) =>
        countConversations(db, { ...decideMetrics(1, { bucket: "day", channel: ["room"] }, Date.now()) }),
    },
  ],
  ["a page of several versions", { ask: list({ agentVersions: ["41", "42"] }), ...BY_START }],
  ["the versions of all agents", { ask: ({ db }) => listAgentVersions(db, 1, undefined), ...BY_AGENT_VERSION }],
  ["the versions of some agents", { ask: ({ db }) => listAgentVersions(db, 1, ["Ada", "Bob"]), ...BY_AGENT_VERSION }],
  [
    "the conversations of a version",
    {
      ask: ({ db }) => findVersionConversations(db, { project: 1, agent: "Ada", version: "41", fromMs: 0, toMs: 9 }),
      uses: "conversations_by_agent_version",
      bound: "agent_version=? AND started_ns>? AND started_ns<?",
      inOrder: "ORDER BY started_ns DESC",
    },
  ],
  ["the attributes of versions", { ask: ({ db }) => setVersionAttributes(db, [{ project: 1, attribute: "ring" }]) }],
  [
    "the counts of a version",
    {
      ask: ({ db }) =>
        countConversations(db, { ...decideMetrics(1, { bucket: "day", agentVersion: ["41"] }, Date.now()) }),
    },
  ],
  [
    "the counts by version",
    {
      ask: ({ db }) => countConversations(db, { ...decideMetrics(1, { bucket: "day", byVersion: true }, Date.now()) }),
    },
  ],
  [
    "a page without agent",
    { ask: list({ withoutAgent: true }), uses: "conversations_by_agent", bound: "agent=?", inOrder: PAGE },
  ],
  [
    "a page of those that were received lately",
    { ask: list({ receivedFromMs: 5 }), uses: "conversations_by_lastreceived" },
  ],
  ["a page of simulations", { ask: list({ simulations: ["sim_1", "sim_2"] }) }],
  ["a page of named conversations", { ask: list({ conversations: ["one", traceIdOf(1)] }) }],
  [
    "the counts of a week",
    {
      ask: ({ db }) => countConversations(db, { ...decideMetrics(1, { bucket: "day" }, Date.now()) }),
      uses: "conversations_by_startedat",
    },
  ],
  [
    "the counts of an agent",
    { ask: ({ db }) => countConversations(db, { ...decideMetrics(1, { bucket: "day", agent: ["Ada"] }, Date.now()) }) },
  ],
  [
    "what is due",
    {
      ask: async ({ db, engine }) => {
        makeDue(engine);
        return takeDue(db, 10, false);
      },
      uses: "conversations_due",
    },
  ],
  [
    "what is unread",
    {
      ask: async ({ db, engine }) => {
        makeDue(engine);
        return takeDue(db, 10, true);
      },
      uses: "conversations_due",
    },
  ],
  ["whether anything is unread", { ask: ({ db }) => isAnyUnread(db), uses: "conversations_due" }],
  [
    "what is given back",
    {
      ask: async ({ db, engine }) => {
        makeDue(engine);
        return giveBack(db, await takeDue(db, 10, true));
      },
    },
  ],
  [
    "conversations derived since one",
    {
      ask: ({ db }) => readSince(createCountSpans(db), db, 1, 0n, 50),
      uses: "conversations_by_reading",
      inOrder: "ORDER BY reading DESC",
    },
  ],
  ["a summary", { ask: ({ db }) => findSummary(createCountSpans(db), db, 1, traceIdOf(1)) }],
  [
    "a summary of a conversation that is not derived yet",
    {
      ask: async ({ db, engine }) => {
        makeUnread(engine);
        return findSummary(createCountSpans(db), db, 1, traceIdOf(1));
      },
      uses: "traces_by_key",
    },
  ],
  [
    "a page with conversations that are not derived yet",
    {
      ask: async (index) => {
        makeUnread(index.engine);
        return list()(index);
      },
      ...BY_START,
    },
  ],
  ["a watch", { ask: ({ db }) => watch(db, 1, traceIdOf(1), () => undefined) }],
  ["a wait", { ask: ({ db }) => createReadingWaits(db, () => undefined)([{ ...trace, lsn: 1 }]) }],
  ["projects with a trace", { ask: ({ db }) => findProjects(db, [1, 2], traceIdOf(1)) }],
  [
    "the last span of a worker",
    { ask: ({ db }) => lastSentMs(db, 1), uses: "conversations_by_lastreceived", inOrder: "ORDER BY received_last_ms" },
  ],
  [
    "the last production conversations of agents",
    {
      ask: ({ db }) => lastOfAgents(db, 1, ["Ada", "Bob"]),
      uses: "conversations_by_source_and_agent",
      bound: "source=? AND agent=?",
      inOrder: "ORDER BY started_ns",
    },
  ],
  [
    "traces by ids and names",
    { ask: ({ db }) => selectTraces(db, 1, { traceIds: [traceIdOf(1)], names: ["one"] }), uses: "traces_by_key" },
  ],
  ["the names of a conversation", { ask: ({ db }) => namesOf(db, 1, traceIdOf(1)), uses: "traces_by_key" }],
  ["traces by digests", { ask: ({ db }) => withDigests(db, 1, ["0a"]), readsAll: "the digests are not stored" }],
  ["conversations before a day", { ask: ({ db }) => conversationsBefore(db, 5), uses: "traces_by_arrival" }],
  [
    "a project's conversations before a day",
    { ask: ({ db }) => conversationsBefore(db, 5, 1), uses: "traces_of_project_by_arrival" },
  ],
  [
    "a project's traces before a day",
    { ask: ({ db }) => tracesBegunBefore(db, 5, 1), uses: "traces_of_project_by_arrival" },
  ],
  ["traces before a day", { ask: ({ db }) => tracesBegunBefore(db, 5), uses: "traces_by_arrival" }],
  ["traces of conversations", { ask: ({ db }) => tracesOf(db, [key], 5), uses: "traces_by_key" }],
  ["the bodies of traces", { ask: ({ db }) => bodiesOf(db, [trace]) }],
  ["the bodies of conversations", { ask: ({ db }) => bodiesOfConversations(db, [key], 5), uses: "traces_by_key" }],
  ["the number of spans", { ask: ({ db }) => createCountSpans(db)([trace]) }],
  ["the number of a conversation's spans", { ask: ({ db }) => receivedSpans(db, key), uses: "traces_by_key" }],
  [
    "derived conversations without their samples",
    {
      ask: ({ db, engine }) => {
        engine.exec("INSERT OR REPLACE INTO unmoved_readings VALUES (1, 1, NULL)");
        return readUnmovedAgain(db, { lastReading: () => 0, store: async () => undefined });
      },
      uses: "conversations_by_reading",
    },
  ],
  [
    "new spans",
    {
      ask: ({ db }) => addSums(db, [sumsOf(1), sumsOf(3, { conversation: "three", conversationRank: 1 })]),
      uses: "traces_by_key",
    },
  ],
  [
    "a derived conversation",
    {
      ask: async ({ db, engine }) => {
        makeDue(engine);
        return storeReadings(
          db,
          (await takeDue(db, 10, true)).map((conversation) => ({
            conversation,
            reading: EMPTY_READING,
            spans: 1,
            errors: 0,
          })),
          noteReadings,
        );
      },
    },
  ],
  ["a remap", { ask: ({ db }) => markForRemap(db, 1, false), readsAll: "it changes all of them" }],
  [
    "an erasure",
    {
      ask: ({ db }) =>
        db.transaction().execute(async (tx) => {
          await deleteTraces(tx, [{ project: 1, traceId: traceIdOf(9) }]);
          await forgetReadings(tx, [{ project: 1, key: traceIdOf(9) }]);
        }),
    },
  ],
  ["exported conversations", { ask: ({ db }) => all(conversationRows(db, 1)), inOrder: "AS page_key" }],
  ["exported derived conversations", { ask: ({ db }) => all(readingRows(db, 1)), inOrder: "AS page_key" }],
];

/** The exporter needs only the index in these cases, because no body is stored. */
const exporterOf = ({ db, dataDir }: Parameters<Case["ask"]>[0]) =>
  createFolderExporter({ db } as FolderParts, dataDir);
export const ofExports: [string, Case][] = [
  ["the days of an export", { ask: (index) => exporterOf(index).days(1), uses: "bodies_by_arrival" }],
  [
    "the bodies of a day",
    {
      ask: (index) =>
        exporterOf(index).write({ table: "spans", project: 1, day: 5 }, join(index.dataDir, `${randomUUID()}.parquet`)),
      uses: "bodies_by_arrival",
    },
  ],
];
