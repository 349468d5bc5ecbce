type SpoolBounds = { spans: number; bytes: number };

/**
 * A bounded memory for encoded spans, in the order in which they ended. Spans that `take` returned count against the
 * bounds until they are released or put back.
 */
export type Spool = {
  spans(): number;
  bytes(): number;
  /** Adds a span, and returns how many spans were dropped to make room. */
  add(span: Uint8Array): number;
  /** Returns the oldest spans that fit in one body, at least one. */
  take(most: SpoolBounds): Uint8Array[];
  /** Forgets spans that `take` returned. */
  release(batch: Uint8Array[]): void;
  /**
   * Puts spans that `take` returned back to the front, and returns how many were dropped because other spans arrived
   * meanwhile.
   */
  putBack(batch: Uint8Array[]): number;
  /** Drops all waiting spans, and returns their number. */
  clear(): number;
};

export function createSpool(bounds: SpoolBounds): Spool {
  let waiting: Uint8Array[] = [];
  let spans = 0;
  let bytes = 0;

  const isOver = () => spans > bounds.spans || bytes > bounds.bytes;

  function dropOldest(): number {
    let dropped = 0;
    while (isOver() && dropped < waiting.length) forget(waiting[dropped++]!);
    waiting.splice(0, dropped);
    return dropped;
  }

  function forget(span: Uint8Array): void {
    spans -= 1;
    bytes -= span.byteLength;
  }

  return {
    spans: () => spans,
    bytes: () => bytes,

    add(span) {
      if (span.byteLength > bounds.bytes) return 1;
      waiting.push(span);
      spans += 1;
      bytes += span.byteLength;
      return dropOldest();
    },

    take(most) {
      let size = 0;
      let count = 0;
      for (const span of waiting) {
        if (count === most.spans || (count > 0 && size + span.byteLength > most.bytes)) break;
        size += span.byteLength;
        count += 1;
      }
      return waiting.splice(0, count);
    },

    release(batch) {
      batch.forEach(forget);
    },

    putBack(batch) {
      waiting = [...batch, ...waiting];
      return dropOldest();
    },

    clear() {
      const dropped = waiting.length;
      waiting.splice(0).forEach(forget);
      return dropped;
    },
  };
}
