/**
 * The version of the journal's files, shared between threads. It changes when records move or disappear. An address from an
 * older version must not be used.
 */
export type JournalVersion = Int32Array;

export const createJournalVersion = (): JournalVersion => new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work`, which moves or removes records. Changes the version before and after, so addresses from during the work are
 * outdated too.
 */
export async function changingJournal<T>(version: JournalVersion, work: () => Promise<T>): Promise<T> {
  Atomics.add(version, 0, 1);
  try {
    return await work();
  } finally {
    Atomics.add(version, 0, 1);
  }
}
