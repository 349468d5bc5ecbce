// The main thread can answer requests while this thread derives conversations from their spans.
import { serveCalls } from "../../../base/threads/serve-calls.ts";
import { EMPTY_READING, outcomeOf, readingOf } from "../reading.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser, type SpanRow } from "../span-row.ts";
import type { ReadingFace } from "./reading-messages.ts";

/** Lower priority, so that under load the service stores spans first and derives conversations later. */
const NICENESS = 10;

serveCalls<ReadingFace>(
  () => ({
    calls: {
      read(lines, conversations) {
        const parse = createSpanParser();
        const byTrace = Map.groupBy(rowsOfLines(lines), keyOf);
        return conversations.map(({ project, traceIds, spans, facts }) =>
          outcomeOf(() => {
            const rows = traceIds.flatMap((traceId) => byTrace.get(`${project} ${BigInt(`0x${traceId}`)}`) ?? []);
            return rows.length === 0 ? EMPTY_READING : readingOf(rows.map(parse), rows.length < spans, facts);
          }),
        );
      },
    },
  }),
  NICENESS,
);

const keyOf = ({ project, trace_id: traceId }: SpanRow) => `${project} ${traceId}`;
