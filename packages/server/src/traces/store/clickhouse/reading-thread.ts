// The thread that derives readings from spans in ClickHouse, so that the main thread answers requests meanwhile.
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { EMPTY_READING, outcomeOf, readingOf } from "../reading.ts";
import { rowsOfLines } from "../span-lines.ts";
import { createSpanParser, type SpanRow } from "../span-row.ts";
import type { ReadingEvent, ReadingRequest } from "./reading-messages.ts";

/** On Linux a thread has its own priority: under load, spans are answered and stored first, and readings lag. */
const PRIORITY = 10;

const port = parentPort!;
const send = (event: ReadingEvent) => port.postMessage(event);

if (process.platform === "linux") setPriority(PRIORITY);

port.on("message", ({ lines, conversations }: ReadingRequest) => {
  const parse = createSpanParser();
  const byTrace = Map.groupBy(rowsOfLines(lines), keyOf);
  const answer = conversations.map(({ project, traceIds, spans, facts }) =>
    outcomeOf(() => {
      const rows = traceIds.flatMap((traceId) => byTrace.get(`${project} ${BigInt(`0x${traceId}`)}`) ?? []);
      return rows.length === 0 ? EMPTY_READING : readingOf(rows.map(parse), rows.length < spans, facts);
    }),
  );
  send({ kind: "answer", answer });
});

const keyOf = ({ project, trace_id: traceId }: SpanRow) => `${project} ${traceId}`;

send({ kind: "ready" });
