import { serveCalls } from "../../../serve-calls.ts";
import { journalDir } from "../../journal/segments.ts";
import { type BodyReader, openBodyReader } from "../body-reader.ts";
import { outcomeOf, type ReadingOutcome, readingOf } from "../reading.ts";
import { rowsIn } from "../span-index.ts";
import { createSpanParser, type SpanRow, withDetails } from "../span-row.ts";
import type { ProjectorRequest, ProjectorFace } from "./messages.ts";

// The thread that derives readings from the bodies in the journal. The loader thread stores them, and commits rows meanwhile.

/** Under load, spans are answered and stored first, and readings lag. */
const NICENESS = 10;

serveCalls<ProjectorFace>(({ dataDir, journalVersion }, { tell }) => {
  const bodies = openBodyReader(journalDir(dataDir), tell.damagedRecord, { messages: true });
  let versionOfBodies = 0;

  function read(request: ProjectorRequest): ReadingOutcome[] | null {
    const current = Atomics.load(journalVersion, 0);
    if (current !== versionOfBodies) bodies.close();
    versionOfBodies = current;
    const { byConversation, truncated } = readSpans(request, bodies);
    if (truncated && request.conversations.length > 1) return null;
    const parse = createSpanParser();
    // Spans of one conversation at a time are parsed, so that the collector finds few objects alive.
    return request.conversations.map(({ facts, truncated: isCut }, at) =>
      outcomeOf(() => readingOf(byConversation[at]!.map(parse), isCut || truncated, facts)),
    );
  }

  return { calls: { read } };
}, NICENESS);

/** Returns the spans of each conversation; `truncated` when the limit of one read cut them. */
function readSpans({ conversations, traces, index }: ProjectorRequest, bodies: BodyReader) {
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
