/** Calls that one run of `answer` serves: the number of calls per subject, and the promise of the answers by subject. */
type Group<T> = { counts: Map<string, number>; answers: Promise<Map<string, T>> };

/**
 * Returns a function that answers calls in groups, one group after another. Calls that arrive while `answer` runs form the next group.
 * `place` is the position of a call among the calls of its subject in the group, from 1. `calls` is the number of these calls.
 */
export function inGroups<T>(answer: (counts: ReadonlyMap<string, number>) => Promise<Map<string, T>>) {
  let waiting: Group<T> | undefined;
  let running: Promise<unknown> = Promise.resolve();

  function nextGroup(): Group<T> {
    const counts = new Map<string, number>();
    const answers = running.then(() => {
      waiting = undefined;
      return answer(counts);
    });
    running = answers.catch(() => undefined);
    return { counts, answers };
  }

  return async (subject: string): Promise<{ answer: T; place: number; calls: number }> => {
    waiting ??= nextGroup();
    const { counts, answers } = waiting;
    const place = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, place);
    return { answer: (await answers).get(subject)!, place, calls: counts.get(subject)! };
  };
}
