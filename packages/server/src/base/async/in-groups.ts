/** Calls that one piece of work answers together: how often each subject is called, and the answers by subject. */
type Group<T> = { counts: Map<string, number>; answers: Promise<Map<string, T>> };

/**
 * Returns a function that answers calls in groups, one group after another: the calls that come while `answer` works are the next
 * group. `place` counts the calls of the subject in their group from 1; `calls` is their number.
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
