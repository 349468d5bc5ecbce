import type { ServerResponse } from "node:http";
import { AppError } from "../errors.ts";

const LARGE_BYTES = 1024 * 1024;
const HELD_BYTES_MAX = 256 * 1024 * 1024;

export type LargeAnswers = ReturnType<typeof createLargeAnswers>;

/** Bounds what large answers take together until their readers have them, for a reader may be slow or take nothing. */
export function createLargeAnswers(heldBytesMax = HELD_BYTES_MAX) {
  let heldBytes = 0;
  return {
    /** Counts an answer until it is sent or its connection ends; refuses one too many, and never the only one. */
    hold(bytes: number, response: ServerResponse): void {
      if (bytes < LARGE_BYTES) return;
      if (heldBytes > 0 && heldBytes + bytes > heldBytesMax) {
        throw new AppError(
          "unavailable",
          "Too many large answers wait for their readers; ask again, for less or one at a time.",
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
