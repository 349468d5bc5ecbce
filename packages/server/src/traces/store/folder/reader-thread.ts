import { serveCalls } from "../../../serve-calls.ts";
import { journalDir } from "../../journal/segments.ts";
import { openBodyReader } from "../body-reader.ts";
import { atOnce, rowsOfBodies } from "../body-rows.ts";
import { EMPTY_READING, readingOf } from "../reading.ts";
import { createSpanParser, type SpanRow, withDetails } from "../span-row.ts";
import type { CountedOutcome, ReaderFace, UnreadConversation } from "./reader-messages.ts";

// The thread that derives readings from the bodies in the journal. The thread of the store keeps them, and commits spans meanwhile.

/** Under load, spans are answered and stored first, and readings lag. */
const NICENESS = 10;

serveCalls<ReaderFace>(({ dataDir, journalVersion }, { tell }) => {
  const bodies = openBodyReader(journalDir(dataDir), tell.damagedRecord, { messages: true });
  let versionOfBodies = 0;

  function read(conversations: readonly UnreadConversation[]): CountedOutcome[] | null {
    const current = Atomics.load(journalVersion, 0);
    if (current !== versionOfBodies) bodies.close();
    versionOfBodies = current;
    const found = conversations.map((one) => ({ ...one, ...atOnce(rowsOfBodies(one.bodies, bodies.read)) }));
    const byConversation = found.map((): SpanRow[] => []);
    const owner = found.flatMap(({ rows }, at) => rows.map(() => at));
    const { values, truncated } = atOnce(
      withDetails(
        found.flatMap(({ rows }) => rows),
        bodies.read,
        (row) => row,
      ),
    );
    if (truncated && conversations.length > 1) return null;
    for (const [at, row] of values.entries()) byConversation[owner[at]!]!.push(row);
    const parse = createSpanParser();
    // Spans of one conversation at a time are parsed, so that the collector finds few objects alive.
    return found.map(({ facts, isCut, rows, lost, total, errors }, at) => {
      try {
        if (total + lost === 0) return { reading: EMPTY_READING, spans: 0, errors: 0 };
        const spans = byConversation[at]!.map(parse);
        const isPart = isCut || truncated || rows.length < total;
        return { reading: readingOf(spans, isPart, facts, lost), spans: total + lost, errors };
      } catch (error) {
        return { error };
      }
    });
  }

  return { calls: { read } };
}, NICENESS);
