/**
 * The version of the journal's files, which threads share. It changes when records move or disappear, so that an address
 * from before is never used after.
 */
export type JournalVersion = Int32Array;

export const createJournalVersion = (): JournalVersion => new Int32Array(new SharedArrayBuffer(4));

/** Runs `work`, which moves or removes records; addresses from before and during the work are then outdated. */
export async function changingJournal<T>(version: JournalVersion, work: () => Promise<T>): Promise<T> {
  Atomics.add(version, 0, 1);
  try {
    return await work();
  } finally {
    Atomics.add(version, 0, 1);
  }
}
