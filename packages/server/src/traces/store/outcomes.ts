import { ThreadEnded } from "../../base/threads/call-thread.ts";

/**
 * Returns the outcomes that a thread derives for this number of conversations. When it fails, one of them may be the reason: a
 * single one has the error as its outcome, and several have none, so that each is read alone. Rejects when no thread starts.
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
