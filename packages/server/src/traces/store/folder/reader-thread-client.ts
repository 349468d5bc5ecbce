import { startOf } from "../../../assets.ts";
import { callThread } from "../../../base/threads/call-thread.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { outcomesOf } from "../outcomes.ts";
import type { CountedOutcome, ReaderFace, UnreadConversation } from "./reader-messages.ts";

export type ReaderThread = {
  /** Null if the conversations are too large to be derived together. Rejects if the thread does not start. */
  read: (conversations: readonly UnreadConversation[]) => Promise<CountedOutcome[] | null>;
  close: () => Promise<void>;
};

export function openReaderThread(
  options: ReaderFace["options"],
  onDamagedRecord: (address: RecordAddress) => void,
): ReaderThread {
  const on = { damagedRecord: onDamagedRecord };
  const { calls, close } = callThread<ReaderFace>(startOf("journal-reader-thread"), { options, on });
  return { read: (conversations) => outcomesOf(conversations.length, calls.read(conversations)), close };
}
