import type { ProjectChange } from "@svc/contract";
import type { Client } from "./client.ts";
import { isRefusal, isTemporary, pause } from "./patience.ts";

/** Options of `followChanges`. */
export type ChangeOptions = {
  /** Id or exact name of the project. Required when the key can see several projects. */
  projectId?: string | undefined;
  /** `cursor` of the last event that you received. Default: only changes from now on. */
  after?: string | undefined;
  /** Signal that ends the iteration without an error. */
  signal?: AbortSignal | undefined;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Yields the changes of a project as they happen, without end: conversations with new turns, and the progress of imports. An
 * event `reset` means that events were lost: request your lists again.
 *
 * ```ts
 * for await (const change of followChanges(client)) {
 *   if (change.kind === "conversations") console.log(change.traces.map(({ traceId }) => traceId));
 * }
 * ```
 *
 * Reconnects after a lost connection, a restart of the service, or a status 429, 502, 503 or 504, and continues after the last event. The
 * pauses between attempts grow up to 30 seconds; a longer `Retry-After` extends them. One event collects the changes of about two seconds.
 *
 * @param client - a client whose credential can read the project.
 * @throws SvcError when the service rejects the request, for example with `not_found` or `not_authenticated`.
 */
export async function* followChanges(
  client: Client,
  { projectId, after, signal }: ChangeOptions = {},
): AsyncGenerator<ProjectChange, void, undefined> {
  const isStopped = () => signal?.aborted === true;
  for (let pauseMs = FIRST_PAUSE_MS; !isStopped();) {
    let afterMs = pauseMs;
    try {
      const stream = await client.changes.stream({ projectId, after }, { signal, retries: 0 });
      for await (const change of changesIn(stream)) {
        pauseMs = FIRST_PAUSE_MS;
        if (change.cursor !== "") after = change.cursor;
        yield change;
      }
    } catch (error) {
      if (isStopped()) return;
      if (isRefusal(error)) throw error;
      if (isTemporary(error)) afterMs = Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1000);
    }
    await pause(afterMs, signal).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** Yields the data of the server-sent events. Skips comments, which have no data. */
async function* changesIn(stream: ReadableStream<Uint8Array>): AsyncGenerator<ProjectChange> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const frames = text.split("\n\n");
      text = frames.pop()!;
      for (const frame of frames) {
        const data = frame.split("\n").find((line) => line.startsWith("data: "));
        if (data !== undefined) yield JSON.parse(data.slice("data: ".length)) as ProjectChange;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
