import { Worker } from "node:worker_threads";
import { startOf } from "../../../assets.ts";
import { unavailable } from "../../../errors.ts";
import { JsonAnswer } from "../../../http/json-pieces.ts";
import type { Log } from "../../../log.ts";
import type { RecordAddress } from "../../span-batch.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { buffersOf } from "../span-index.ts";
import { createSpanParser, type SpanRow } from "../span-row.ts";
import type {
  FoundConversation,
  PresenterAnswer,
  PresenterEvent,
  PresenterOptions,
  PresenterRequest,
} from "./messages.ts";

const YOUNG_HEAP_MB = 32;
/** Fits the largest conversation that is read at once, in the densest JSON. */
const OLD_HEAP_MB = 1536;

type PresentOptions = Pick<PresenterRequest, "bytesMax" | "nowMs" | "upToDate">;

/** The reason why a conversation was not presented: it exceeds `bytesMax`, or the journal's files have changed. */
export type NotPresented = "too_large" | "outdated";

export type Presenter = {
  /** Returns the answer of the interface as JSON. Rejects with the signal's reason when it aborts. */
  json: (found: FoundConversation, options: PresentOptions, signal: AbortSignal) => Promise<JsonAnswer | NotPresented>;
  /** Returns the spans; `truncated` when a limit cut them. */
  spans: (found: FoundConversation) => Promise<{ spans: StoredSpan[]; truncated: boolean } | NotPresented>;
  close: () => Promise<void>;
};

type Call = { onEvent: (event: PresenterAnswer) => void; reject: (error: unknown) => void };

/** Returns the presenter. Its thread starts with the first conversation, and starts again after a failure. */
export function openPresenter(
  options: PresenterOptions,
  log: Log,
  onDamagedRecord: (address: RecordAddress) => void,
): Presenter {
  const calls = new Map<number, Call>();
  let worker: Worker | undefined;
  let lastId = 0;
  let closed = false;

  function threadOf(): Worker {
    if (closed) throw unavailable("The service is stopping; ask again later.", 5);
    return (worker ??= start());
  }

  function start(): Worker {
    const { file, execArgv, env } = startOf("presenter-thread");
    const started = new Worker(file, {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB, maxOldGenerationSizeMb: OLD_HEAP_MB },
      execArgv,
      env,
    });
    started.on("message", (event: PresenterEvent) => {
      if (event.kind === "damaged_record") onDamagedRecord(event.address);
      else calls.get(event.id)?.onEvent(event);
    });
    started.on("error", (error) => log.error({ err: error }, "the thread that presents conversations has failed"));
    started.once("exit", () => {
      worker = undefined;
      for (const { reject } of calls.values())
        reject(unavailable("The conversation could not be presented; ask again.", 5));
      calls.clear();
    });
    return started;
  }

  /** Asks the thread; `onEvent` returns the result, or undefined while more events follow. */
  function ask<Result>(
    found: FoundConversation,
    as: PresenterRequest["as"],
    options: PresentOptions,
    signal: AbortSignal | undefined,
    onEvent: (event: PresenterAnswer) => Result | undefined,
  ): Promise<Result> {
    const canceled = new Int32Array(new SharedArrayBuffer(4));
    const id = ++lastId;
    return new Promise<Result>((resolve, reject) => {
      signal?.throwIfAborted();
      const thread = threadOf();
      const end = () => {
        calls.delete(id);
        signal?.removeEventListener("abort", cancel);
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      const cancel = () => {
        Atomics.store(canceled, 0, 1);
        fail(signal!.reason);
      };
      signal?.addEventListener("abort", cancel, { once: true });
      calls.set(id, {
        reject: fail,
        onEvent(event) {
          if (event.kind === "failure") return fail(event.error);
          const result = onEvent(event);
          if (result === undefined) return;
          end();
          resolve(result);
        },
      });
      const buffers = "lines" in found ? [found.lines.buffer] : buffersOf(found.index);
      thread.postMessage({ ...found, ...options, id, as, canceled } satisfies PresenterRequest, buffers);
    });
  }

  return {
    json: (found, options, signal) =>
      ask(found, "json", options, signal, (event) => {
        if (event.kind === "json") return new JsonAnswer(event.pieces);
        return event.kind as NotPresented;
      }),

    spans(found) {
      const parse = createSpanParser();
      const spans: StoredSpan[] = [];
      const take = (row: SpanRow) => spans.push(parse(row));
      const options = { bytesMax: Number.POSITIVE_INFINITY, nowMs: 0, upToDate: null };
      return ask(found, "rows", options, undefined, (event) => {
        if (event.kind === "rows") {
          event.rows.forEach(take);
          return undefined;
        }
        if (event.kind === "complete") return { spans, truncated: event.truncated };
        return event.kind as NotPresented;
      });
    },

    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}
