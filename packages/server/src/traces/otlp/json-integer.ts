const DIGITS_MAX = 20;
export const MINUS = 45;

/** A 64-bit number as two words. */
export class Integer64 {
  low = 0;
  high = 0;

  /**
   * Reads a minus sign or none, and 1 to 20 digits in [from, to). Returns false when the text is something else or is
   * outside of the numbers from -2^63 to 2^63 - 1, or 2^64 - 1 when `unsigned`.
   */
  read(bytes: Buffer, from: number, to: number, unsigned: boolean): boolean {
    const isNegative = from < to && bytes[from] === MINUS;
    const first = isNegative ? from + 1 : from;
    if (to - first < 1 || to - first > DIGITS_MAX) return false;
    // The number is `upper` × 10^10 + `lower`.
    const middle = Math.max(first, to - 10);
    const upper = digits(bytes, first, middle);
    const lower = digits(bytes, middle, to);
    if (upper < 0 || lower < 0) return false;
    this.#combine(upper, lower);
    const isTooLarge = isNegative
      ? this.high > 0x8000_0000 || (this.high === 0x8000_0000 && this.low > 0)
      : this.high > (unsigned ? 0xffff_ffff : 0x7fff_ffff);
    if (isTooLarge) return false;
    if (isNegative) this.#negate();
    this.low |= 0;
    this.high |= 0;
    return true;
  }

  /** Takes a whole number; returns false when it is outside of the numbers that `read` accepts. */
  set(value: number, unsigned: boolean): boolean {
    if (!Number.isInteger(value) || value < -(2 ** 63) || value >= 2 ** (unsigned ? 64 : 63)) return false;
    this.high = Math.floor(value / 0x1_0000_0000) | 0;
    this.low = Number(BigInt.asIntN(32, BigInt(value)));
    return true;
  }

  /** Sets the words, not negative, to `upper` × 10^10 + `lower`; no product has more than 53 bits. */
  #combine(upper: number, lower: number): void {
    const upperHigh = Math.floor(upper / 0x2_0000);
    const product = upperHigh * 1e10; // × 2^17
    const productHigh = Math.floor(product / 0x8000);
    const rest = (product - productHigh * 0x8000) * 0x2_0000 + (upper - upperHigh * 0x2_0000) * 1e10 + lower;
    const carry = Math.floor(rest / 0x1_0000_0000);
    this.high = productHigh + carry;
    this.low = rest - carry * 0x1_0000_0000;
  }

  #negate(): void {
    this.low = -this.low >>> 0;
    this.high = this.low === 0 ? -this.high : ~this.high;
  }
}

/** Returns the number in [from, to), or -1 when it has another byte than digits. */
export function digits(bytes: Buffer, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = bytes[i]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
