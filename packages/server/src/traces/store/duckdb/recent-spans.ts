import { FIXED_COLUMNS, type FixedColumn, type SealedBatch, views } from "../../span-batch.ts";

export type RecentSpans = {
  /** Adds the spans of a batch's rows; returns how many may have been added before. */
  note: (batch: SealedBatch, from: number, to: number) => number;
  /**
   * Returns the number of a journal record. The memory has seen every span of each trace that began after that record.
   */
  since: () => number;
};

type Generation = { hashes: Uint32Array; size: number; firstLsn: number };

/**
 * Creates a memory of recent spans: their hashes, in two generations of `spansMax`. It spares most commits a search for
 * stored spans, because a span without a hash here is new if its trace began after `since`. Two spans may have the same
 * hash; on a hit the commit searches the tables.
 */
export function createRecentSpans(spansMax = 1 << 20): RecentSpans {
  const slots = spansMax * 2;
  const generation = (firstLsn: number): Generation => ({ hashes: new Uint32Array(slots * 2), size: 0, firstLsn });
  let current: Generation | undefined;
  let older: Generation | undefined;

  function note(batch: SealedBatch, from: number, to: number): number {
    const columns = views(batch.fixed, batch.capacity);
    const words = (name: FixedColumn) =>
      new Uint32Array(batch.fixed, columns[name].byteOffset, (batch.rows * FIXED_COLUMNS[name]) / 4);
    const [traces, spans, projects] = [words("trace_id"), words("span_id"), words("project")];
    let suspects = 0;
    for (let row = from; row < to; row++) {
      if (current === undefined || current.size === spansMax) {
        older = current;
        current = generation(columns.lsn.getFloat64(row * 8, true));
      }
      let low = mix(projects[row]! ^ 0x9e3779b9, spans[row * 2]!);
      let high = mix(low, spans[row * 2 + 1]!);
      for (let word = 0; word < 4; word += 2) {
        low = mix(low, traces[row * 4 + word]! ^ high);
        high = mix(high, traces[row * 4 + word + 1]! + low);
      }
      if (low === 0) low = 1; // 0 is a free slot
      if (find(current, low, high, true) || (older !== undefined && find(older, low, high, false))) suspects++;
    }
    return suspects;
  }

  function find({ hashes }: Generation, low: number, high: number, insert: boolean): boolean {
    let slot = (high % slots) * 2;
    while (hashes[slot] !== 0) {
      if (hashes[slot] === low && hashes[slot + 1] === high) return true;
      slot = slot + 2 === hashes.length ? 0 : slot + 2;
    }
    if (insert) {
      hashes[slot] = low;
      hashes[slot + 1] = high;
      current!.size++;
    }
    return false;
  }

  return { note, since: () => (older ?? current)?.firstLsn ?? Number.POSITIVE_INFINITY };
}

/** One round of MurmurHash3 and its final mix. */
function mix(hash: number, word: number): number {
  let mixed = Math.imul(word, 0xcc9e2d51);
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593) ^ hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
