import type { SIGNALLING_PARTIES, SIGNALLING_STEPS } from "@svc/contract";

type StepName = (typeof SIGNALLING_STEPS)[number];
type Party = (typeof SIGNALLING_PARTIES)[number];

/** One step of a call's signalling. */
export type SignallingStep = {
  step: StepName;
  /** Unix milliseconds. */
  atMs: number;
  by: Party;
  /** The status of the response that made the step; null without one. */
  status: number | null;
};

/** The steps of one call so far. */
export type CallSteps = {
  list: readonly SignallingStep[];
  /** Records a step with the present time. Nothing is recorded after the first end of the call. */
  note: (step: StepName, by: Party, status?: number | null) => void;
  has: (step: StepName) => boolean;
};

/** Further steps are not recorded: the other side may challenge and ring as often as it likes. */
const STEPS_MAX = 20;

export function createCallSteps(): CallSteps {
  const list: SignallingStep[] = [];
  const has: CallSteps["has"] = (name) => list.some(({ step }) => step === name);
  return {
    list,
    has,
    note(step, by, status = null) {
      const isLast = step === "ended";
      if (has("ended") || (!isLast && list.length >= STEPS_MAX)) return;
      list.push({ step, atMs: Date.now(), by, status });
    },
  };
}
