import { unavailable } from "../../base/errors.ts";
import type { JsonAnswer } from "../../http/json-pieces.ts";
import type { FoundConversation, NotPresented } from "./presenter/messages.ts";
import type { Presenter } from "./presenter/thread-client.ts";
import type { AnswerOptions, TraceReader } from "./trace-store.ts";
import type { TraceSummaryRow } from "../summary-row.ts";

/** Returns the conversation without its spans (`index` null) if it has more than `spansMax` spans. */
export type FindConversation = (
  project: number,
  traceId: string,
  spansMax: number,
  signal?: AbortSignal,
) => Promise<FoundConversation | { summary: TraceSummaryRow; index: null } | null>;

/** The read of a conversation that is larger than this must first wait for a slot. */
const SMALL = { spans: 500, bytes: 2 * 1024 * 1024 };
/** Memory that one span needs while an answer is built. */
const BYTES_PER_SPAN = 8 * 1024;
const LARGE_ONES_MAX = 1_000;
const TRIES_MAX = 5;

/** The store finds the spans of a conversation, and the presenter thread reads them. */
export function createConversationReads(
  findConversation: FindConversation,
  presenter: Presenter,
): Pick<TraceReader, "find" | "answer"> {
  /**
   * Sizes in bytes of large conversations that were read recently, by project and trace. If the size is known, a read waits for a
   * slot of that size before it looks for the spans.
   */
  const largeOnes = new Map<string, number>();

  async function answer(project: number, traceId: string, options: AnswerOptions): Promise<JsonAnswer | null> {
    const key = `${project} ${traceId}`;
    let bytes = largeOnes.get(key);
    if (bytes === undefined) {
      await options.takeSlot("list");
      const small = await present(project, traceId, SMALL.spans, SMALL.bytes, options);
      if (small === null || !("large" in small)) return small;
      bytes = Math.max(small.large.spans * BYTES_PER_SPAN, 2 * SMALL.bytes);
      if (largeOnes.size >= LARGE_ONES_MAX) largeOnes.delete(largeOnes.keys().next().value!);
      largeOnes.set(key, bytes);
    }
    await options.takeSlot("conversation", bytes);
    const large = await present(project, traceId, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, options);
    if (large === null) largeOnes.delete(key);
    else if ("large" in large) throw new Error("a conversation without bounds was too large");
    return large;
  }

  async function present(
    project: number,
    traceId: string,
    spansMax: number,
    bytesMax: number,
    { signal, nowMs, upToDate }: AnswerOptions,
  ): Promise<JsonAnswer | { large: TraceSummaryRow } | null> {
    return whileFilesStay(async () => {
      const found = await findConversation(project, traceId, spansMax, signal);
      signal.throwIfAborted();
      if (found === null) return null;
      if (isWithoutSpans(found)) return { large: found.summary };
      const json = await presenter.json(found, { bytesMax, nowMs, upToDate }, signal);
      return json === "too_large" ? { large: found.summary } : json;
    });
  }

  return {
    answer,
    find: (project, traceId) =>
      whileFilesStay(async () => {
        const found = await findConversation(project, traceId, Number.MAX_SAFE_INTEGER);
        if (found === null || isWithoutSpans(found)) return null;
        const read = await presenter.spans(found);
        return typeof read === "string" ? "outdated" : { summary: found.summary, ...read };
      }),
  };
}

const isWithoutSpans = (found: object): found is { index: null } => "index" in found && found.index === null;

/** Repeats a read until the journal's files did not change during it. */
async function whileFilesStay<T>(read: () => Promise<T | NotPresented>): Promise<Exclude<T, NotPresented>> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const result = await read();
    if (result !== "outdated") return result as Exclude<T, NotPresented>;
  }
  throw unavailable("Old conversations are being erased; ask again.", 2);
}
