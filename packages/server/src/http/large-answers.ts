import type { ServerResponse } from "node:http";
import { AppError } from "../errors.ts";

const LARGE_BYTES = 1024 * 1024;
const HELD_BYTES_MAX = 256 * 1024 * 1024;

export type LargeAnswers = {
  /** Counts an answer until it is sent or its connection closes. Refuses one over the bound, unless it is the only one. */
  hold: (bytes: number, response: ServerResponse) => void;
};

/** Bounds the memory of all large answers that slow readers have not received yet. */
export function createLargeAnswers(heldBytesMax = HELD_BYTES_MAX): LargeAnswers {
  let heldBytes = 0;
  return {
    hold(bytes, response) {
      if (bytes < LARGE_BYTES) return;
      if (heldBytes > 0 && heldBytes + bytes > heldBytesMax) {
        throw new AppError(
          "unavailable",
          "Too many large answers are still being sent. Ask again for less, or for one at a time.",
          undefined,
          { retryAfterSeconds: 5 },
        );
      }
      heldBytes += bytes;
      response.once("close", () => {
        heldBytes -= bytes;
      });
    },
  };
}
