import { Readable } from "node:stream";
import type { RunEvent } from "@svc/contract";
import type { Changes } from "./changes.ts";
import type { EventPage } from "./store/events.ts";

const HEARTBEAT_MS = 15_000;

export type Follow = {
  runId: string;
  after: number;
  changes: Changes;
  read: (after: number) => Promise<EventPage>;
  isDone: () => Promise<boolean>;
  signal: AbortSignal;
};

/** The events from `after` on, until the run is done and all are read. */
async function* follow({ runId, after, changes, read, isDone, signal }: Follow): AsyncGenerator<RunEvent | null> {
  while (!signal.aborted) {
    const changed = changes.next(runId, HEARTBEAT_MS, signal);
    const done = await isDone();
    const page = await read(after);
    yield* page.events;
    after = page.next;
    if (!page.caughtUp) continue;
    if (done) return;
    if (page.events.length === 0) yield null;
    await changed;
  }
}

/** Server-sent events, each with its `seq` as id; a comment keeps idle connections open. */
export const eventStream = (following: Follow): Readable =>
  Readable.from(
    (async function* () {
      for await (const event of follow(following)) {
        yield event === null
          ? ": waiting\n\n"
          : `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
      }
      yield "event: done\ndata: {}\n\n";
    })(),
    { objectMode: false },
  );
