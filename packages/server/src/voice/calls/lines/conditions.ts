import type { LineCondition } from "@svc/contract";

/** What one direction of a line does to packets of 20 ms. Times are in milliseconds. */
export type Condition = {
  /** Share of packets that are lost, and the mean number of packets that are lost in a row. */
  loss: number;
  burst: number;
  /** Delay of every packet, and the mean of the additional delay, which is different for each packet. */
  delayMs: number;
  jitterMs: number;
  /** Share of packets that arrive after the following packet. */
  reordered: number;
  /** The frequencies that the line carries; null for all. */
  band: { fromHz: number; toHz: number } | null;
  /** Share of the agent's sound that the caller's microphone picks up from a loudspeaker; 0 for none. */
  echo: number;
};

const CLEAR: Condition = { loss: 0, burst: 1, delayMs: 0, jitterMs: 0, reordered: 0, band: null, echo: 0 };
const TELEPHONE = { fromHz: 300, toHz: 3_400 };

export const CONDITIONS: Record<Exclude<LineCondition, "good">, Condition> = {
  mobile: { ...CLEAR, loss: 0.02, burst: 2, delayMs: 60, jitterMs: 12, band: TELEPHONE },
  "bad-wifi": { ...CLEAR, loss: 0.05, burst: 4, delayMs: 20, jitterMs: 25, reordered: 0.02 },
  satellite: { ...CLEAR, loss: 0.005, burst: 1, delayMs: 280, jitterMs: 4, band: TELEPHONE },
  speakerphone: {
    ...CLEAR,
    loss: 0.005,
    burst: 1,
    delayMs: 20,
    jitterMs: 4,
    band: { fromHz: 350, toHz: 5_000 },
    echo: 0.06,
  },
};
