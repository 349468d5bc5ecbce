import { ThreadEnded } from "../../base/threads/call-thread.ts";

/**
 * If the thread that derives the outcomes fails, one of the conversations may be the cause. For one conversation, returns the error
 * as its outcome. For several conversations, returns null, and the caller then derives each conversation alone. Rejects if the
 * thread does not start.
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
