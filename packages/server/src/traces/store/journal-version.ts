/**
 * Version of the journal's files, shared between threads. The version changes when records move or disappear. An address of a record
 * that was read under an older version must not be used.
 */
export type JournalVersion = Int32Array;

export const createJournalVersion = (): JournalVersion => new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work`, which moves or removes records. Changes the version before and after the work, so that addresses that were read
 * during the work are also outdated.
 */
export async function changingJournal<T>(version: JournalVersion, work: () => Promise<T>): Promise<T> {
  Atomics.add(version, 0, 1);
  try {
    return await work();
  } finally {
    Atomics.add(version, 0, 1);
  }
}
