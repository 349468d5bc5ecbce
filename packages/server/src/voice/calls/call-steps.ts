import type { SIGNALLING_PARTIES, SIGNALLING_STEPS } from "@svc/contract";

type StepName = (typeof SIGNALLING_STEPS)[number];
type Party = (typeof SIGNALLING_PARTIES)[number];

export type SignallingStep = {
  step: StepName;
  /** Unix time in milliseconds. */
  atMs: number;
  by: Party;
  /** Status of the response that caused the step; null when no response caused it. */
  status: number | null;
};

export type CallSteps = {
  list: readonly SignallingStep[];
  note: (step: StepName, by: Party, status?: number | null) => void;
  has: (step: StepName) => boolean;
  /**
   * Whether the called side said that it rings (180). A 183 says only that the call proceeds, and often carries an announcement of the
   * carrier in place of a ring.
   */
  hasRung: () => boolean;
};

/** Largest number of recorded steps, because the other side can send any number of challenges and ringing responses. */
const STEPS_MAX = 20;

export function createCallSteps(): CallSteps {
  const list: SignallingStep[] = [];
  const has: CallSteps["has"] = (name) => list.some(({ step }) => step === name);
  return {
    list,
    has,
    hasRung: () => list.some(({ step, status }) => step === "ringing" && status === 180),
    note(step, by, status = null) {
      const isLast = step === "ended";
      if (has("ended") || (!isLast && list.length >= STEPS_MAX)) return;
      list.push({ step, atMs: Date.now(), by, status });
    },
  };
}
