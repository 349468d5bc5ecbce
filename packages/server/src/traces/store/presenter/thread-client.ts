import { startOf } from "../../../assets.ts";
import { callThread, ThreadEnded } from "../../../base/threads/call-thread.ts";
import { unavailable } from "../../../base/errors.ts";
import { JsonAnswer } from "../../../http/json-pieces.ts";
import type { Log } from "../../../base/log/log.ts";
import { transfer } from "../../../base/threads/serve-calls.ts";
import type { RecordAddress } from "../../span-batch.ts";
import type { StoredSpan } from "../../stored-span.ts";
import { createSpanParser, type SpanRow } from "../span-row.ts";
import type { FoundConversation, JsonRequest, NotPresented, PresenterFace, SpansRead } from "./messages.ts";

const YOUNG_HEAP_MB = 32;

export type Presenter = {
  /** If the signal aborts, rejects with its reason. */
  json: (
    found: FoundConversation,
    options: Pick<JsonRequest, "bytesMax" | "nowMs" | "upToDate">,
    signal: AbortSignal,
  ) => Promise<JsonAnswer | NotPresented>;
  spans: (found: FoundConversation) => Promise<({ spans: StoredSpan[] } & SpansRead) | NotPresented>;
  close: () => Promise<void>;
};

export function openPresenter(
  options: PresenterFace["options"],
  log: Log,
  onDamagedRecord: (address: RecordAddress) => void,
): Presenter {
  const receivers = new Map<number, (rows: SpanRow[]) => void>();
  let lastNumber = 0;
  const { calls, close } = callThread<PresenterFace>(
    { ...startOf("presenter-thread"), youngHeapMb: YOUNG_HEAP_MB },
    {
      options,
      on: { rows: (number, rows) => receivers.get(number)?.(rows), damagedRecord: onDamagedRecord },
      onFailed: ({ cause }) => log.error({ err: cause }, "the thread that presents conversations has failed"),
      errorOf: (error) =>
        error instanceof ThreadEnded ? unavailable("The conversation could not be presented; ask again.", 5) : error,
    },
  );

  return {
    async json(found, request, signal) {
      const pieces = await calls.json(transfer({ ...found, ...request }, movedWith(found)), signal);
      return typeof pieces === "string" ? pieces : new JsonAnswer(pieces);
    },

    async spans(found) {
      const parse = createSpanParser();
      const spans: StoredSpan[] = [];
      const number = ++lastNumber;
      receivers.set(number, (rows) => rows.forEach((row) => spans.push(parse(row))));
      try {
        const end = await calls.rows(transfer(found, movedWith(found)), number);
        return typeof end === "string" ? end : { spans, ...end };
      } finally {
        receivers.delete(number);
      }
    },

    close,
  };
}

const movedWith = (found: FoundConversation) => ("lines" in found ? [found.lines.buffer] : []);
