import { ThreadEnded } from "../../base/threads/call-thread.ts";

/**
 * Waits for the outcomes that a thread derives for this number of conversations. If the thread fails, one of the conversations
 * may be the cause. A single conversation then has the error as its outcome. For several, returns null, and the caller reads
 * each one alone. Rejects if the thread does not start.
 */
export async function outcomesOf<Outcome>(
  conversations: number,
  derived: Promise<Outcome[] | null>,
): Promise<(Outcome | { error: unknown })[] | null> {
  try {
    return await derived;
  } catch (error) {
    const cause = error instanceof ThreadEnded ? (error.cause ?? error) : error;
    if (error instanceof ThreadEnded && !error.wasReady) throw cause;
    return conversations === 1 ? [{ error: cause }] : null;
  }
}
