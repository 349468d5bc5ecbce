import { FIXED_COLUMNS, type FixedColumn, type SealedBatch, views } from "../span-batch.ts";

export type SeenSpans = {
  /** Remembers the spans of a batch's rows; answers how many may have been seen before. */
  note: (batch: SealedBatch, from: number, to: number) => number;
  /** A trace whose first record comes after this one has all its spans remembered. */
  since: () => number;
};

type Generation = { hashes: Uint32Array; size: number; firstLsn: number };

/**
 * The hashes of the spans that came lately, two generations of `spansMax`. It spares the commit the search for stored
 * doubles: a span that is not here and whose trace began within memory is new. What is here may be a chance hit, and
 * then the commit looks into the tables.
 */
export function rememberSpans(spansMax = 1 << 20): SeenSpans {
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
      if (low === 0) low = 1; // 0 marks a free slot
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

/** One round of Murmur3 and its last avalanche. */
function mix(hash: number, word: number): number {
  let mixed = Math.imul(word, 0xcc9e2d51);
  mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593) ^ hash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
