import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { journalDir } from "../../journal/segments.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { openBodyReader } from "../body-reader.ts";
import { outcomeOf, readingOf } from "../reading.ts";
import { rowsIn } from "../span-index.ts";
import { createSpanParser, type SpanRow, withDetails } from "../span-row.ts";
import type { ProjectorEvent, ProjectorOptions, ProjectorRequest } from "./messages.ts";

// The thread that derives readings from the bodies in the journal. The loader thread stores them, and commits rows meanwhile.

/** On Linux a thread has its own priority: under load, spans are answered and stored first, and readings lag. */
const PRIORITY = 10;

const port = parentPort!;
const { dataDir, journalVersion } = workerData as ProjectorOptions;
const send = (event: ProjectorEvent) => port.postMessage(event);
const onDamaged = (address: RecordAddress) => send({ kind: "damaged_record", address });
const bodies = openBodyReader(journalDir(dataDir), onDamaged, { messages: true });
let versionOfBodies = 0;

if (process.platform === "linux") setPriority(PRIORITY);

port.on("message", (request: ProjectorRequest) => {
  const current = Atomics.load(journalVersion, 0);
  if (current !== versionOfBodies) bodies.close();
  versionOfBodies = current;
  const { byConversation, truncated } = readSpans(request);
  if (truncated && request.conversations.length > 1) return send({ kind: "answer", answer: null });
  const parse = createSpanParser();
  // Spans of one conversation at a time are parsed, so that the collector finds few objects alive.
  const answer = request.conversations.map(({ facts, truncated: isCut }, at) =>
    outcomeOf(() => readingOf(byConversation[at]!.map(parse), isCut || truncated, facts)),
  );
  send({ kind: "answer", answer });
});

/** Returns the spans of each conversation; `truncated` when the limit of one read cut them. */
function readSpans({ conversations, traces, index }: ProjectorRequest) {
  const conversationOf = createLookUp(traces);
  const byConversation = conversations.map((): SpanRow[] => []);
  const details = withDetails([...rowsIn(index)], bodies.read, (row) => row);
  for (let next = details.next(); ; next = details.next()) {
    if (next.done !== true) continue;
    const { values, truncated } = next.value;
    for (const row of values) byConversation[conversationOf(row)]!.push(row);
    return { byConversation, truncated };
  }
}

/** Returns a function that finds the conversation of a row. */
function createLookUp(traces: ProjectorRequest["traces"]): (row: SpanRow) => number {
  const byProject = new Map<number, Map<bigint, number>>();
  for (const { project, traceId, conversation } of traces) {
    const byTrace = byProject.get(project);
    if (byTrace === undefined) byProject.set(project, new Map([[traceId, conversation]]));
    else byTrace.set(traceId, conversation);
  }
  return ({ project, trace_id }) => byProject.get(project)!.get(trace_id)!;
}

send({ kind: "ready" });
