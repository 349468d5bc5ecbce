/** Rate limit with bursts (token bucket): the available amount grows with time up to a maximum, and each use reduces the amount. */
type Allowance = {
  take: (amount: number) => boolean;
};

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
