const SLOTS = 4096;
const SLOT_BYTES = 64;

/**
 * Returns the same string object for a short text that was converted recently. Most keys, names and ids occur in many
 * spans. Comparing bytes is cheaper than creating a string, and equal strings compare faster when they are the same
 * object.
 */
export class SharedTexts {
  readonly #encoding: "utf8" | "hex";
  readonly #texts: string[] = Array.from({ length: SLOTS }, () => "");
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #known = new Uint8Array(SLOTS * SLOT_BYTES);

  constructor(encoding: "utf8" | "hex") {
    this.#encoding = encoding;
  }

  of(bytes: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length === 0) return "";
    if (length > SLOT_BYTES) return bytes.toString(this.#encoding, from, to);
    const slot = slotOf(bytes, from, to);
    const at = slot * SLOT_BYTES;
    const known = this.#known;
    if (this.#lengths[slot] === length) {
      let i = length - 1;
      while (i >= 0 && known[at + i] === bytes[from + i]) i--;
      if (i < 0) return this.#texts[slot]!;
    }
    const text = bytes.toString(this.#encoding, from, to);
    for (let i = 0; i < length; i++) known[at + i] = bytes[from + i]!;
    this.#lengths[slot] = length;
    this.#texts[slot] = text;
    return text;
  }
}

function slotOf(bytes: Buffer, from: number, to: number): number {
  const length = to - from;
  const sum =
    length * 31 +
    bytes[from]! * 13 +
    bytes[from + (length >> 2)]! * 17 +
    bytes[from + (length >> 1)]! * 7 +
    bytes[to - 1]! * 61;
  return sum & (SLOTS - 1);
}
