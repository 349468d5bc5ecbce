type SpoolBounds = { spans: number; bytes: number };

/**
 * Bounded queue of encoded spans, in the order in which they ended. Spans that `take` returned still count against the bounds until
 * `release`.
 */
export type Spool = {
  spans(): number;
  bytes(): number;
  /** Adds a span. Returns the number of spans that were dropped to stay within the bounds. */
  add(span: Uint8Array): number;
  /** Removes and returns the oldest spans that fit within `most`, but at least one span. */
  take(most: SpoolBounds): Uint8Array[];
  /** Stops counting spans that `take` returned. */
  release(batch: Uint8Array[]): void;
  /**
   * Puts back, at the front, spans that `take` returned. Returns the number of spans that were dropped to stay within the bounds,
   * because other spans arrived in the meantime.
   */
  putBack(batch: Uint8Array[]): number;
  /** Drops all waiting spans. Returns their number. */
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
