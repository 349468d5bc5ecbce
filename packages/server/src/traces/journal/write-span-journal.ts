import type { DeletedConversations } from "../erasure/deleted-conversations.ts";
import { openJournal } from "./journal.ts";
import { encodeSpans } from "../otlp/encode-spans.ts";
import { hexId } from "../store/span-row.ts";
import type { ReceivedSpan, SpanSource } from "../store/trace-store.ts";

type SpanCopy = {
  source: Pick<SpanSource, "pages">;
  journal: string;
  deleted: DeletedConversations;
  /** Called after each page, with the number of spans on disk and the receipt time of the last span. */
  onWritten: (spans: number, receivedMs: number) => void;
};

type Body = { spans: ReceivedSpan[]; characters: number };

/** Approximate limit of the characters in a body. The last span of a body may exceed the limit. */
const BODY_CHARACTERS = 2 * 1024 * 1024;

/**
 * Writes the spans of another trace store into a new journal, as if a service had received them. The spans that one project received
 * in one millisecond become one body, or several bodies if they are large.
 */
export async function writeSpanJournal({ source, journal: dir, deleted, onWritten }: SpanCopy): Promise<void> {
  const journal = openJournal(dir);
  const bodies = new Map<number, Body>();
  const writes: Promise<void>[] = [];
  let receivedMs = 0;
  let lsn = 0;
  let spans = 0;

  function add(span: ReceivedSpan): void {
    const { traceIds, names } = namesOf(span);
    if (deleted.isDeleted(span.project, { traceIds, names })) return;
    const body = bodies.get(span.project) ?? { spans: [], characters: 0 };
    bodies.set(span.project, body);
    body.spans.push(span);
    body.characters += charactersOf(span);
    spans++;
    if (body.characters >= BODY_CHARACTERS) write(span.project, body);
  }

  function writeAll(): void {
    for (const [project, body] of bodies) write(project, body);
  }

  function write(project: number, body: Body): void {
    bodies.delete(project);
    const chunks = [encodeSpans(body.spans)];
    const record = { lsn: ++lsn, project, receivedMs, encoding: "protobuf", compression: "identity", chunks } as const;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    journal.append(record, (error) => (error === null ? resolve() : reject(error as Error)));
    writes.push(promise);
  }

  try {
    for await (const page of source.pages()) {
      for (const span of page) {
        const ms = Math.floor(span.receivedUs / 1000);
        if (ms !== receivedMs) writeAll();
        receivedMs = ms;
        add(span);
      }
      await Promise.all(writes.splice(0));
      onWritten(spans, receivedMs);
    }
    writeAll();
    await Promise.all(writes);
  } finally {
    await journal.close();
  }
}

const namesOf = ({ trace_id, conversation }: ReceivedSpan) => ({
  traceIds: [hexId(trace_id, 32)],
  names: conversation === null ? [] : [conversation],
});

/** Counts a shared resource and scope once for each span, so the written bodies may be smaller than the limit. */
const charactersOf = ({ attributes, events, links, resource, scope }: ReceivedSpan): number =>
  [attributes, events, links, resource, scope].reduce((sum, text) => sum + (text?.length ?? 0), 0);
