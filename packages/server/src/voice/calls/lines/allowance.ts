/** An amount that grows with time up to a largest value, and from which uses are taken. */
type Allowance = {
  /** Takes an amount; returns false, and takes nothing, when less is left. */
  take: (amount: number) => boolean;
};

/** Creates a full allowance. */
export function createAllowance(largest: number, perMs: number): Allowance {
  let left = largest;
  let lastMs = performance.now();
  return {
    take(amount) {
      const nowMs = performance.now();
      left = Math.min(largest, left + (nowMs - lastMs) * perMs);
      lastMs = nowMs;
      if (amount > left) return false;
      left -= amount;
      return true;
    },
  };
}
