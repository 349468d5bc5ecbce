import type { Client } from "@svc/sdk";
import { copyOf, templateOf } from "./copied-bodies.ts";

export const SPANS_PER_CONVERSATION = 25;
export const WEEK_HOURS = 7 * 24;
const CONVERSATIONS_PER_BODY = 10;

type Week = {
  /** Sends conversations over several connections at once. No two calls of `send` send the same conversations. */
  send: (client: Client, conversations: number, connections?: number) => Promise<void>;
};

/** Creates the conversations of the week before `nowMs`. Each body has ten conversations, and each body is in another hour. */
export function createWeek(nowMs: number): Week {
  const templates = Array.from({ length: WEEK_HOURS }, (_, hour) =>
    templateOf(hour + 1, {
      spans: CONVERSATIONS_PER_BODY * SPANS_PER_CONVERSATION,
      conversations: CONVERSATIONS_PER_BODY,
      startMs: nowMs - (hour + 1) * 3_600_000,
    }),
  );
  let copies = 0;

  async function send(client: Client, conversations: number, connections = 8): Promise<void> {
    const last = copies + conversations / CONVERSATIONS_PER_BODY;
    const connection = async () => {
      while (copies < last) {
        const body = copyOf(templates[copies++ % templates.length]!);
        await client.traces.ingest({ body, contentType: "application/x-protobuf", gzip: true });
      }
    };
    await Promise.all(Array.from({ length: connections }, connection));
  }

  return { send };
}
