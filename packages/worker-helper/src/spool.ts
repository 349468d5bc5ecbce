type SpoolBounds = { spans: number; bytes: number };

/** Encoded spans in the order in which they ended; what is being sent counts against the bounds until it is settled. */
export function openSpool(bounds: SpoolBounds) {
  let waiting: Uint8Array[] = [];
  let spans = 0;
  let bytes = 0;

  const isOver = () => spans > bounds.spans || bytes > bounds.bytes;

  /** Drops the oldest until the bounds hold again. */
  function dropOldest(): number {
    let dropped = 0;
    while (isOver() && dropped < waiting.length) release(waiting[dropped++]!);
    waiting.splice(0, dropped);
    return dropped;
  }

  function release(span: Uint8Array): void {
    spans -= 1;
    bytes -= span.byteLength;
  }

  return {
    spans: () => spans,
    bytes: () => bytes,

    /** Answers how many spans were dropped to make room. */
    add(span: Uint8Array): number {
      if (span.byteLength > bounds.bytes) return 1;
      waiting.push(span);
      spans += 1;
      bytes += span.byteLength;
      return dropOldest();
    },

    /** Takes the oldest that fit in one body; one span always does. */
    take(most: SpoolBounds): Uint8Array[] {
      let size = 0;
      let count = 0;
      for (const span of waiting) {
        if (count === most.spans || (count > 0 && size + span.byteLength > most.bytes)) break;
        size += span.byteLength;
        count += 1;
      }
      return waiting.splice(0, count);
    },

    settle(batch: Uint8Array[]): void {
      batch.forEach(release);
    },

    /** Puts a batch back in its place; answers how many spans were dropped, since others came meanwhile. */
    putBack(batch: Uint8Array[]): number {
      waiting = [...batch, ...waiting];
      return dropOldest();
    },

    clear(): number {
      const dropped = waiting.length;
      waiting.splice(0).forEach(release);
      return dropped;
    },
  };
}
