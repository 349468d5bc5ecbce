/**
 * `RATING_MAX` is the rating of a call that only its encoding impairs (G.107). The other constants are for G.711 without packet loss
 * concealment (G.113).
 */
const RATING_MAX = 93.2;
const LOSS_IMPAIRMENT = 95;
const LOSS_ROBUSTNESS = 4.3;
/** With fewer packets, the measured loss is too uncertain. */
const PACKETS_MIN = 100;

/**
 * Returns the opinion score from 1 to 4.5 that the E-model estimates for G.711 sound with this packet loss. Delay and echo are not
 * considered.
 */
export function estimatedMos(expected: number, missing: number): number | null {
  if (expected < PACKETS_MIN) return null;
  const lossPercent = (100 * Math.min(missing, expected)) / expected;
  const rating = RATING_MAX - (LOSS_IMPAIRMENT * lossPercent) / (lossPercent + LOSS_ROBUSTNESS);
  if (rating <= 0) return 1;
  const score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6;
  return Math.round(Math.max(1, score) * 100) / 100;
}
