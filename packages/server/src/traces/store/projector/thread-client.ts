import { startOf } from "../../../assets.ts";
import { callThread } from "../../../call-thread.ts";
import { transfer } from "../../../serve-calls.ts";
import type { RecordAddress } from "../../span-batch.ts";
import { outcomesOf } from "../outcomes.ts";
import type { ReadingOutcome } from "../reading.ts";
import { buffersOf } from "../span-index.ts";
import type { ProjectorFace, ProjectorRequest } from "./messages.ts";

export type ProjectorThread = {
  /** Returns the outcome of each conversation; null when they are too large to be read together. Rejects when the thread does not start. */
  read: (request: ProjectorRequest) => Promise<ReadingOutcome[] | null>;
  close: () => Promise<void>;
};

/** Returns the projector thread. */
export function openProjectorThread(
  options: ProjectorFace["options"],
  onDamagedRecord: (address: RecordAddress) => void,
): ProjectorThread {
  const on = { damagedRecord: onDamagedRecord };
  const { calls, close } = callThread<ProjectorFace>(startOf("projector-thread"), { options, on });

  return {
    read: (request) =>
      outcomesOf(request.conversations.length, calls.read(transfer(request, buffersOf(request.index)))),
    close,
  };
}
