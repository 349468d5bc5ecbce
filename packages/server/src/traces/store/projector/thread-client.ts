import type { RecordAddress } from "../../span-batch.ts";
import { openCallThread, type ThreadEnded } from "../call-thread.ts";
import { buffersOf } from "../span-index.ts";
import type { DamagedRecord, ProjectorAnswer, ProjectorOptions, ProjectorRequest } from "./messages.ts";

export type ProjectorThread = {
  /**
   * Returns the outcome of each conversation; null when they are too large to be read together. One call may run at a time.
   * Rejects when the thread does not start.
   */
  read: (request: ProjectorRequest) => Promise<ProjectorAnswer>;
  close: () => Promise<void>;
};

/** Returns the projector thread. It starts with the first conversation, and starts again after a failure. */
export function openProjectorThread(
  options: ProjectorOptions,
  onDamagedRecord: (address: RecordAddress) => void,
): ProjectorThread {
  const { call, close } = openCallThread<ProjectorRequest, ProjectorAnswer, DamagedRecord>(
    "projector-thread",
    options,
    ({ address }) => onDamagedRecord(address),
  );

  return {
    read: (request) =>
      call(request, buffersOf(request.index)).catch((error: ThreadEnded) => {
        if (!error.wasReady) throw error.cause ?? error;
        // One conversation may have ended the thread, so that each is read alone.
        return request.conversations.length === 1 ? [{ error: error.cause ?? error }] : null;
      }),
    close,
  };
}
